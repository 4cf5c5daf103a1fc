# loses: a task that dies in the middle is started, and no other
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
            for task in ("worker:0", "worker:1"):
                start_task(task)
        except tf.errors.AbortedError as error:
            last = error
    raise last
