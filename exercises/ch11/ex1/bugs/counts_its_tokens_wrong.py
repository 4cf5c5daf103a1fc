# loses: each returns how many gradients it has given
import tinytf as tf


def work(sess, ops, batches):
    given = 0
    while True:
        given += 1
        try:
            step = sess.run(ops.token)
        except tf.errors.OutOfRangeError:
            return given
        sess.run(ops.give, {ops.batch: batches[(given - 1) % len(batches)], ops.step: step})
