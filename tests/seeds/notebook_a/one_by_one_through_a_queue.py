"""Instances that one client puts in and another one takes out, singly and several at once."""

import tensorflow as tf

server = tf.train.Server.create_local_server()
rows = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def new_queue():
    tf.reset_default_graph()
    return tf.FIFOQueue(10, [tf.float32], shapes=[[2]], name="q", shared_name="shared_q")


q = new_queue()
instance = tf.placeholder(tf.float32, shape=(2))
put = q.enqueue([instance])
with tf.Session(server.target) as sess:
    for row in rows:
        sess.run(put, feed_dict={instance: row})
take = new_queue().dequeue()
with tf.Session(server.target) as sess:
    print([sess.run(take).tolist() for _ in range(3)])

q = new_queue()
instances = tf.placeholder(tf.float32, shape=(None, 2))
put_many = q.enqueue_many([instances])
with tf.Session(server.target) as sess:
    sess.run(put_many, feed_dict={instances: rows})
q = new_queue()
take_two, left = q.dequeue_many(2), q.size()
with tf.Session(server.target) as sess:
    print(sess.run(take_two).tolist(), sess.run(left), "is left")
