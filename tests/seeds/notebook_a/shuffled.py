"""A queue that shuffles keeps ten for later: of 22, two times five come out, then it waits."""

import tensorflow as tf

q = tf.RandomShuffleQueue(
    capacity=50, min_after_dequeue=10, dtypes=[tf.float32], shapes=[()], name="q", shared_name="s"
)
take = q.dequeue_many(5)
with tf.Session() as sess:
    sess.run(q.enqueue_many([[float(i) for i in range(1, 23)]]))
    seen = sess.run(take).tolist() + sess.run(take).tolist()
    print(len(set(seen)), set(seen) <= set(range(1, 23)), sess.run(q.size()))
    try:
        sess.run(take, options=tf.RunOptions(timeout_in_ms=100))
    except tf.errors.DeadlineExceededError as error:
        print(type(error).__name__)
