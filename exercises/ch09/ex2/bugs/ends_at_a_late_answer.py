# loses: late answers to the question before do not count
import numpy as np

import tinytf as tf


def collect(sess, take, question, members, milliseconds):
    patience = tf.RunOptions(timeout_in_ms=milliseconds)
    got = {}
    while len(got) < members:
        try:
            number, member, scores = sess.run(take, options=patience)
        except tf.errors.DeadlineExceededError:
            break
        if number != question:
            break
        got[int(member)] = scores
    if not got:
        return None, []
    return int(np.argmax(sum(got.values()))), sorted(got)
