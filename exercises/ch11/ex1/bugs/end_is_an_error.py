# loses: all workers come back when the training is over, and not before
import tinytf as tf


def work(sess, ops, batches):
    given = 0
    while True:
        step = sess.run(ops.token)
        sess.run(ops.give, {ops.batch: batches[given % len(batches)], ops.step: step})
        given += 1
