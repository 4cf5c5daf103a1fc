"""The programs on clusters of the books of the time, as a reader types them into one notebook.

    python book_clusters_program.py             with a real TensorFlow
    python book_clusters_program.py tinytf      with tinytf

Five servers live in this very process, on the ports that the books give. Prints what each cell
printed, as JSON. A real TensorFlow's servers listen on all interfaces: run it in a network of its
own.
"""

import contextlib
import io
import json
import os
import sys

if sys.argv[1:] == ["tinytf"]:
    import tinytf as tf
else:
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()

FRESH = """
def reset_graph(seed=42):
    tf.reset_default_graph()
    tf.set_random_seed(seed)

reset_graph()
"""

SERVERS = """
cluster_spec = tf.train.ClusterSpec({
    "ps": [
        "127.0.0.1:2221",  # /job:ps/task:0
        "127.0.0.1:2222",  # /job:ps/task:1
    ],
    "worker": [
        "127.0.0.1:2223",  # /job:worker/task:0
        "127.0.0.1:2224",  # /job:worker/task:1
        "127.0.0.1:2225",  # /job:worker/task:2
    ]})
task_ps0 = tf.train.Server(cluster_spec, job_name="ps", task_index=0)
task_ps1 = tf.train.Server(cluster_spec, job_name="ps", task_index=1)
task_worker0 = tf.train.Server(cluster_spec, job_name="worker", task_index=0)
task_worker1 = tf.train.Server(cluster_spec, job_name="worker", task_index=1)
task_worker2 = tf.train.Server(cluster_spec, job_name="worker", task_index=2)
"""

OPENING = """
reset_graph()
a = tf.constant(1.0)
b = a + 2
c = a * 3
with tf.Session("grpc://127.0.0.1:2223") as sess:
    print(c.eval())
"""

PINNING = """
reset_graph()

with tf.device("/job:ps"):
    a = tf.Variable(1.0, name="a")

with tf.device("/job:worker"):
    b = a + 2

with tf.device("/job:worker/task:1"):
    c = a + b

with tf.device("/job:ps/task:1/cpu:0"):
    d = a + c

with tf.Session("grpc://127.0.0.1:2221") as sess:
    sess.run(a.initializer)
    print(c.eval(), d.eval())
"""

SHARDING = """
reset_graph()

with tf.device(tf.train.replica_device_setter(
        ps_tasks=2,
        ps_device="/job:ps",
        worker_device="/job:worker")):
    v1 = tf.Variable(1.0, name="v1")  # pinned to /job:ps/task:0
    v2 = tf.Variable(2.0, name="v2")  # pinned to /job:ps/task:1
    v3 = tf.Variable(3.0, name="v3")  # pinned to /job:ps/task:0
    s = v1 + v2            # pinned to /job:worker
    with tf.device("/task:1"):
        p1 = 2 * s         # pinned to /job:worker/task:1
        with tf.device("/cpu:0"):
            p2 = 3 * s     # pinned to /job:worker/task:1/cpu:0

config = tf.ConfigProto()
with tf.Session("grpc://127.0.0.1:2221", config=config) as sess:
    v1.initializer.run()
    v2.initializer.run()
    print(v1.device, v2.device, v3.device, s.device, p1.device, p2.device)
    print(*sess.run([s, p1, p2]))
"""

CLIENT_ONE = """
reset_graph()
with tf.device("/job:ps/task:0"):
    x = tf.Variable(0.0, name="x")
increment_x = tf.assign(x, x + 1)

with tf.Session("grpc://127.0.0.1:2223") as sess:
    sess.run(x.initializer)
    sess.run(increment_x)
    print(x.eval())
"""

CLIENT_TWO = """
with tf.Session("grpc://127.0.0.1:2224") as sess:
    sess.run(increment_x)
    print(x.eval())
"""

LOADER = """
reset_graph()
with tf.device("/job:ps/task:1"):
    q = tf.FIFOQueue(capacity=10, dtypes=[tf.float32], shapes=[[2]], name="q",
                     shared_name="shared_q")
training_instance = tf.placeholder(tf.float32, shape=(2,))
enqueue = q.enqueue([training_instance])
with tf.Session("grpc://127.0.0.1:2223") as sess:
    sess.run(enqueue, feed_dict={training_instance: [1., 2.]})
    sess.run(enqueue, feed_dict={training_instance: [3., 4.]})
    sess.run(enqueue, feed_dict={training_instance: [5., 6.]})
"""

TRAINER = """
reset_graph()
with tf.device("/job:ps/task:1"):
    q = tf.FIFOQueue(capacity=10, dtypes=[tf.float32], shapes=[[2]], name="q",
                     shared_name="shared_q")
    dequeue = q.dequeue()
    dequeue_mini_batch = q.dequeue_many(2)
with tf.Session("grpc://127.0.0.1:2225") as sess:
    print(sess.run(dequeue))
    print(sess.run(dequeue_mini_batch))
"""

CLIENT = """
reset_graph()
with tf.device("/job:ps/task:0"):
    x = tf.Variable(10.0, name="x")
    with tf.container("my_problem_1"):
        y = tf.Variable(20.0, name="x_too")
with tf.Session("grpc://127.0.0.1:2224") as sess:
    sess.run([x.initializer, y.initializer])
    print(*sess.run([x, y]))
tf.Session.reset("grpc://127.0.0.1:2221", ["my_problem_1"])
with tf.Session("grpc://127.0.0.1:2223") as sess:
    print(x.eval())
    try:
        print(y.eval())
    except tf.errors.FailedPreconditionError:
        print("y is gone")
"""

CELLS = {
    "fresh": FRESH,
    "servers": SERVERS,
    "opening": OPENING,
    "pinning": PINNING,
    "sharding": SHARDING,
    "client one": CLIENT_ONE,
    "client two": CLIENT_TWO,
    "loader": LOADER,
    "trainer": TRAINER,
    "containers": CLIENT,
}


def main() -> None:
    """Run the cells in order, in one namespace."""
    names, printed = {"tf": tf}, {}
    for cell, source in CELLS.items():
        if sys.argv[1:] != ["tinytf"]:  # TensorFlow refuses the container's name that a book has
            source = source.replace("my_problem_1", "my.problem.1")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(source, names)  # noqa: S102 - ours
        printed[cell] = said.getvalue()
    print(json.dumps(printed), flush=True)
    os._exit(0)  # TensorFlow's servers cannot be stopped


main()
