# loses hidden: the list of batches stays as it is
import tinytf as tf


def work(sess, ops, batches):
    given = 0
    while True:
        try:
            step = sess.run(ops.token)
        except tf.errors.OutOfRangeError:
            return given
        sess.run(ops.give, {ops.batch: batches[0], ops.step: step})
        batches.append(batches.pop(0))
        given += 1
