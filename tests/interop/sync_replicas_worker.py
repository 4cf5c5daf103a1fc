"""A worker that trains with one of the other library: for sync_replicas_program.py.

    python sync_replicas_worker.py tinytf|tensorflow CLUSTER INDEX

CLUSTER is JSON. Each line on stdin is answered by one on stdout: a new training (a dictionary), one
"step", the "values", the "end". A real TensorFlow's server listens on all interfaces: run it in a
network namespace only.
"""

import json
import os
import sys

import numpy as np

library, cluster, index = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
if library == "tinytf":
    import tinytf as tf
else:
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()

COUNT = len(cluster["worker"])
ROWS = np.random.RandomState(3).normal(size=(8, 3)).astype(np.float32)
LABELS = ROWS @ np.array([1.0, -2.0, 0.5], np.float32)


class Training:
    """One training: its graph and session.

    Args:
      server: of this worker. name: of the training, a container. is_sync: with whom it waits.
      chief: the index of the chief. use_resource: the kind of variables.
    """

    def __init__(self, server, name, is_sync, chief, use_resource):
        is_chief = index == chief
        setter = tf.train.replica_device_setter(
            worker_device=f"/job:worker/task:{index}", ps_tasks=1
        )
        with tf.Graph().as_default() as graph, tf.container(name), tf.device(setter):
            step = tf.train.get_or_create_global_step()
            w = tf.get_variable("w", initializer=np.zeros(3, np.float32), use_resource=use_resource)
            table = tf.get_variable(
                "table", initializer=np.ones([4, 1], np.float32), use_resource=use_resource
            )
            predicted = tf.reduce_sum(ROWS[index::COUNT] * w, 1)
            loss = tf.reduce_mean(tf.square(predicted - LABELS[index::COUNT]))
            loss += tf.reduce_sum(tf.nn.embedding_lookup(table, [0, 2]))
            optimizer = (
                tf.train.AdamOptimizer(0.1) if is_sync else tf.train.GradientDescentOptimizer(0.1)
            )
            if is_sync:
                optimizer = tf.train.SyncReplicasOptimizer(optimizer, COUNT)
            self.train = optimizer.minimize(loss, step)
            init = tf.global_variables_initializer()
            self.seen = {"w": w, "table": table, "step": step}
        self.coord = tf.train.Coordinator()
        self.session = sess = tf.Session(server.target, graph)
        if is_chief:
            sess.run(init)
        if is_sync:
            sess.run(optimizer.chief_init_op if is_chief else optimizer.local_step_init_op)
        if is_sync and is_chief:
            runner = optimizer.get_chief_queue_runner()
            runner.create_threads(sess, self.coord, daemon=True, start=True)

    def answer(self, line):
        if line == "step":
            self.session.run(self.train)
        elif line == "values":
            return {name: np.asarray(v).tolist() for name, v in self.session.run(self.seen).items()}
        else:
            self.coord.request_stop()
            self.session.close()
        return line


def main():
    server = tf.train.Server(cluster, "worker", index)
    training = None
    print(json.dumps("serving"), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if isinstance(asked, dict):
            training = Training(server, **asked)
            answer = "ready"
        else:
            answer = training.answer(asked)
        print(json.dumps(answer), flush=True)
    os._exit(0)  # TensorFlow's servers cannot be stopped


main()
