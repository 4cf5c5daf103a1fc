"""Two problems on one cluster, kept apart by a scope of names or by a container, one reset."""

import tensorflow as tf

server = tf.train.Server.create_local_server()
with tf.variable_scope("first"):
    mine = tf.Variable(1.0, name="x")
with tf.container("second"):
    theirs = tf.Variable(2.0, name="x")
with tf.Session(server.target) as sess:
    sess.run([mine.initializer, theirs.initializer])
print(mine.name, theirs.name)
tf.Session.reset(server.target, ["second"])
with tf.Session(server.target) as sess:
    for v in (mine, theirs):
        try:
            print(sess.run(v))
        except tf.errors.FailedPreconditionError as error:
            print(type(error).__name__)
