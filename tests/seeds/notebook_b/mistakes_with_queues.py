"""One instance given to enqueue_many is refused; a queue on one task is not that on another."""

import tensorflow as tf

q = tf.FIFOQueue(capacity=10, dtypes=[tf.float32], shapes=[[2]], name="q", shared_name="shared_q")
instance = tf.placeholder(tf.float32, shape=(2))
try:
    q.enqueue_many([instance])
except ValueError as error:
    print(str(error)[:35])
put = q.enqueue_many([tf.expand_dims(instance, 0)])
size = q.size()
servers = [tf.train.Server.create_local_server() for _ in range(2)]
with tf.Session(servers[0].target) as sess:
    sess.run(put, feed_dict={instance: [1.0, 2.0]})
for server in servers:
    with tf.Session(server.target) as sess:
        print(sess.run(size), "there")
