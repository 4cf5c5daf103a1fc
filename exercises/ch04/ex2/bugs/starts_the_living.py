# loses: a task that somebody restarted needs a new session only
import re

import tinytf as tf

NAME = r"/job:(\w+)/replica:0/task:(\d+)"
MISSING = (tf.errors.DeadlineExceededError, tf.errors.UnavailableError)


def run_patiently(open_session, work, start_task):
    for _ in range(5):
        try:
            with open_session() as sess:
                return work(sess)
        except (*MISSING, tf.errors.AbortedError) as error:
            last = error
            found = re.search(NAME, error.message)
            if found:
                start_task(":".join(found.groups()))
    raise last
