# loses: who is through its batches begins again with the first one
import tinytf as tf


def work(sess, ops, batches):
    given = 0
    while True:
        try:
            step = sess.run(ops.token)
        except tf.errors.OutOfRangeError:
            return given
        # Which step it is says nothing of which batch of its own a worker has come to.
        sess.run(ops.give, {ops.batch: batches[(step + 1) % len(batches)], ops.step: step})
        given += 1
