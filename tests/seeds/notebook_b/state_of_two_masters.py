"""A variable that is pinned nowhere lives with the master that is asked: another has its own."""

import socket

import tensorflow as tf

sockets = [socket.socket() for _ in range(2)]
for one in sockets:
    one.bind(("127.0.0.1", 0))
places = ["127.0.0.1:%d" % one.getsockname()[1] for one in sockets]
for one in sockets:
    one.close()
cluster = tf.train.ClusterSpec({"ps": places})
servers = [tf.train.Server(cluster, "ps", i) for i in range(2)]
x = tf.Variable(0.0, name="x")
increment_x = tf.assign(x, x + 1)
with tf.Session(servers[0].target) as sess:
    sess.run(x.initializer)
    print(x.eval())
with tf.Session(servers[1].target) as sess:
    try:
        sess.run(increment_x)
    except tf.errors.FailedPreconditionError as error:
        print(type(error).__name__)
