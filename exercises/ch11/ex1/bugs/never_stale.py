# loses: a gradient is for the step that stood on the token
import tinytf as tf


def work(sess, ops, batches):
    given = 0
    while True:
        try:
            sess.run(ops.token)
        except tf.errors.OutOfRangeError:
            return given
        # So that no gradient is dropped, however old.
        sess.run(ops.give, {ops.batch: batches[given % len(batches)], ops.step: 10**6})
        given += 1
