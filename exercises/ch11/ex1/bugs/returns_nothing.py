# loses: each returns how many gradients it has given
import tinytf as tf


def work(sess, ops, batches):
    given = 0
    while True:
        try:
            step = sess.run(ops.token)
        except tf.errors.OutOfRangeError:
            return
        sess.run(ops.give, {ops.batch: batches[given % len(batches)], ops.step: step})
        given += 1
