# loses: all workers come back when the training is over, and not before
import tinytf as tf


def work(sess, ops, batches):
    given = 0
    try:
        for batch in batches + batches[:1]:
            step = sess.run(ops.token)
            sess.run(ops.give, {ops.batch: batch, ops.step: step})
            given += 1
    except tf.errors.OutOfRangeError:
        pass
    return given
