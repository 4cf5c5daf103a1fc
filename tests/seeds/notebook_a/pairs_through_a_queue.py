"""Elements of two parts; what is fetched alone loses its other half; closing, and after it."""

import tensorflow as tf

q = tf.FIFOQueue(10, [tf.int32, tf.float32], shapes=[[], [3, 2]], name="q", shared_name="shared_q")
a, b = tf.placeholder(tf.int32, shape=()), tf.placeholder(tf.float32, shape=(3, 2))
put = q.enqueue((a, b))
take_a, take_b = q.dequeue()
many_a, many_b = q.dequeue_many(2)
rest = q.dequeue_up_to(2)[0]
close = q.close()
with tf.Session() as sess:
    for number in (10, 11, 12, 13, 14):
        sess.run(put, feed_dict={a: number, b: [[number, 2.0], [3.0, 4.0], [5.0, 6.0]]})
    print(*sess.run([take_a, take_b]))
    print(sess.run(take_a), *sess.run([many_a, many_b]))
    sess.run(close)
    for fetch, feed in ((put, {a: 1, b: [[0.0, 0.0]] * 3}), (rest, None), (many_a, None)):
        try:
            print(sess.run(fetch, feed))
        except (tf.errors.CancelledError, tf.errors.OutOfRangeError) as error:
            print(type(error).__name__)
