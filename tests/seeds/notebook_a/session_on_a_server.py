"""Constants through a session on a server: the sum is fetched, the product is what is printed."""

import tensorflow as tf

server = tf.train.Server.create_local_server()
a = tf.constant(1.0)
b = a + 2
c = b * 3
with tf.Session(server.target) as sess:
    print(c.eval(), sess.run(a * 3))
