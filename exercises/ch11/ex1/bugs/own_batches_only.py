# loses: all workers come back when the training is over, and not before
import tinytf as tf


def work(sess, ops, batches):
    given = 0
    for batch in batches:
        try:
            step = sess.run(ops.token)
        except tf.errors.OutOfRangeError:
            break
        sess.run(ops.give, {ops.batch: batch, ops.step: step})
        given += 1
    return given
