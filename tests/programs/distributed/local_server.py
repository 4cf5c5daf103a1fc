"""The smallest cluster: a server of this process, and sessions that share its variables."""

import tensorflow as tf

c = tf.constant("Hello distributed TensorFlow!")
server = tf.train.Server.create_local_server()
with tf.Session(server.target) as sess:
    print(sess.run(c))
print(server.target.startswith("grpc://"), server.server_def.job_name)

x = tf.Variable(0.0, name="x")
increment_x = tf.assign(x, x + 1)
with tf.Session(server.target) as sess:
    sess.run(x.initializer)
    sess.run(increment_x)
    print(x.eval())
with tf.Session(server.target) as sess:
    sess.run(increment_x)
    print(x.eval())
tf.Session.reset(server.target)
with tf.Session(server.target) as sess:
    try:
        sess.run(x)
    except tf.errors.FailedPreconditionError as error:
        print(type(error).__name__)
