# loses: another error is not taken for the end
import tinytf as tf


def work(sess, ops, batches):
    given = 0
    try:
        while True:
            step = sess.run(ops.token)
            sess.run(ops.give, {ops.batch: batches[given % len(batches)], ops.step: step})
            given += 1
    except tf.errors.OpError:
        return given
