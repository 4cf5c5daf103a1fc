"""Two parameter servers and three workers in one process; operations pinned to jobs and tasks."""

import socket

import tensorflow as tf


def addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    found = ["127.0.0.1:%d" % one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return found


places = addresses(5)
jobs = {"ps": places[:2], "worker": places[2:]}
cluster = tf.train.ClusterSpec(jobs)
servers = [
    tf.train.Server(cluster, job, i) for job in ("ps", "worker") for i in range(len(jobs[job]))
]

with tf.device("/job:ps"):
    a = tf.Variable(1.0, name="a")
with tf.device("/job:worker"):
    b = a + 2
with tf.device("/job:worker/task:1"):
    c = a + b
with tf.device("/job:ps/task:1/cpu:0"):
    d = a + c
with tf.Session(servers[0].target) as sess:
    sess.run(a.initializer)
    print(c.eval(), d.eval(), [t.device for t in (a, b, c, d)])

tf.reset_default_graph()
setter = tf.train.replica_device_setter(
    ps_tasks=2, ps_device="/job:ps", worker_device="/job:worker"
)
with tf.device(setter):
    v1, v2, v3 = (tf.Variable(float(i), name="v%d" % i) for i in (1, 2, 3))
    s = v1 + v2
    with tf.device("/task:1"):
        p1 = 2 * s
        with tf.device("/cpu:0"):
            p2 = 3 * s
with tf.Session(servers[0].target) as sess:
    sess.run([v1.initializer, v2.initializer])
    print(sess.run([p1, p2]) == [6.0, 9.0], [t.device for t in (v1, v2, v3, s, p1, p2)])
