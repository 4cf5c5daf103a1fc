"""One instance given to enqueue_many is refused; a queue on one task is not that on another."""

import tensorflow as tf

q = tf.FIFOQueue(capacity=10, dtypes=[tf.float32], shapes=[[2]], name="q", shared_name="shared_q")
instance = tf.placeholder(tf.float32, shape=(2))
try:
    q.enqueue_many([instance])
except ValueError as error:
    print(str(error)[:35])
put = q.enqueue_many([tf.expand_dims(instance, 0)])
with tf.Session(tf.train.Server.create_local_server().target) as sess:
    sess.run(put, feed_dict={instance: [1.0, 2.0]})
    print(sess.run(q.dequeue()))
other = tf.train.Server.create_local_server()
with tf.Session(other.target) as sess:
    try:
        sess.run(q.dequeue_many(2), options=tf.RunOptions(timeout_in_ms=100))
    except tf.errors.DeadlineExceededError as error:
        print(type(error).__name__)
