"""A greeting that goes through a server."""

import tensorflow as tf

greeting = tf.constant("Good morning, cluster!")
server = tf.train.Server.create_local_server()
with tf.Session(server.target) as sess:
    print(sess.run(greeting))
