"""Between-graph replication with flags: workers as threads, each with its graph and its master."""

import threading

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("steps", 12, "Steps in all.")
flags.DEFINE_integer("workers", 2, "Number of workers.")
FLAGS = flags.FLAGS
server = tf.train.Server.create_local_server()
rng = np.random.RandomState(0)
X = rng.randn(60, 2).astype(np.float32)
y = (X @ [[2.0], [-3.0]]).astype(np.float32)
found = {}
initialized = threading.Event()


class TellOthers(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        initialized.set()


def worker(task):
    with tf.Graph().as_default():
        global_step = tf.train.get_or_create_global_step()
        w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
        rows = slice(30 * task, 30 * task + 30)
        loss = tf.reduce_mean(tf.square(tf.matmul(X[rows], w) - y[rows]))
        train = tf.train.GradientDescentOptimizer(0.2).minimize(loss, global_step=global_step)
        if task != 0:
            initialized.wait()
        hooks = [TellOthers(), tf.train.StopAtStepHook(last_step=FLAGS.steps)]
        with tf.train.MonitoredTrainingSession(
            master=server.target, is_chief=task == 0, hooks=hooks, log_step_count_steps=None
        ) as sess:
            while not sess.should_stop():
                _, step = sess.run([train, global_step])
        found[task] = step >= 1


def main(_):
    threads = [threading.Thread(target=worker, args=(i,)) for i in range(FLAGS.workers)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print(sorted(found.items()))
    with tf.Graph().as_default():
        w = tf.get_variable("w", [2, 1])
        step = tf.train.get_or_create_global_step()
        with tf.Session(server.target) as sess:
            values, steps = sess.run([w, step])
            print(np.round(values.ravel()), steps >= FLAGS.steps)


tf.app.run(main)
