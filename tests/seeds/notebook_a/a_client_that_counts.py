"""The same program as three clients, one after another: only the first one initialises."""

import tensorflow as tf


def client(target, *arguments):
    with tf.Graph().as_default():
        x = tf.Variable(0.0, name="x")
        increment_x = tf.assign(x, x + 1)
        with tf.Session(target) as sess:
            if arguments == ("init",):
                sess.run(x.initializer)
            sess.run(increment_x)
            return x.eval()


server = tf.train.Server.create_local_server()
print(client(server.target, "init"), client(server.target), client(server.target))
