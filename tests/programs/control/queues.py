"""Queues of four kinds: order, batches, padding, priorities, closing, and what is then said."""

import tensorflow as tf

fifo = tf.FIFOQueue(capacity=10, dtypes=[tf.int32, tf.float32], shapes=[[], [2]])
a, b = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None, 2])
enqueue = fifo.enqueue_many([a, b])
dequeue = fifo.dequeue()
rest = fifo.dequeue_up_to(5)
padding = tf.PaddingFIFOQueue(capacity=5, dtypes=[tf.float32], shapes=[[None]])
priority = tf.PriorityQueue(5, [tf.string], [[]])
shuffled = tf.RandomShuffleQueue(20, 0, tf.int32, shapes=[()], seed=3)
with tf.Session() as sess:
    sess.run(enqueue, {a: [1, 2, 3], b: [[1, 1], [2, 2], [3, 3]]})
    print(sess.run(dequeue[0]), sess.run(fifo.size()))
    sess.run(fifo.close())
    print([x.tolist() for x in sess.run(rest)])
    for op, feed in ((dequeue, {}), (enqueue, {a: [1], b: [[0, 0]]})):
        try:
            sess.run(op, feed)
        except (tf.errors.OutOfRangeError, tf.errors.CancelledError) as error:
            print(type(error).__name__, "is closed" in str(error))
    for values in ([1.0], [1.0, 2.0, 3.0]):
        sess.run(padding.enqueue([values]))
    print(sess.run(padding.dequeue_many(2)).tolist())
    for rank, word in ((3, "c"), (1, "a"), (2, "b")):
        sess.run(priority.enqueue((tf.constant(rank, tf.int64), word)))
    print([sess.run(priority.dequeue())[1] for _ in range(3)])
    sess.run(shuffled.enqueue_many([list(range(6))]))
    print(sorted(sess.run(shuffled.dequeue_many(6))))
