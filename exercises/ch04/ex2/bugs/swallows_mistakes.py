# loses: a mistake in work comes out at once
import re

import tinytf as tf

NAME = r"/job:(\w+)/replica:0/task:(\d+)"
MISSING = (tf.errors.DeadlineExceededError, tf.errors.UnavailableError)


def run_patiently(open_session, work, start_task):
    for _ in range(5):
        try:
            with open_session() as sess:
                return work(sess)
        except MISSING as error:
            last = error
            start_task(":".join(re.search(NAME, error.message).groups()))
        except tf.errors.OpError as error:
            last = error
    raise last
