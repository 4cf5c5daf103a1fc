"""Three numbers, and a session that waits for a fourth no longer than it was told."""

import tensorflow as tf

q = tf.FIFOQueue(capacity=10, dtypes=[tf.float32], shapes=[()])
v = tf.placeholder(tf.float32)
put, take = q.enqueue([v]), q.dequeue()
more = take + 1
config = tf.ConfigProto()
config.operation_timeout_in_ms = 150
with tf.Session(config=config) as sess:
    for number in (1.0, 2.0, 3.0):
        sess.run(put, feed_dict={v: number})
    print(sess.run(more), sess.run(more, feed_dict={take: 5}), sess.run(more), sess.run(more))
    try:
        print(sess.run(more))
    except tf.errors.DeadlineExceededError:
        print("waited long enough")
