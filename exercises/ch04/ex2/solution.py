import re

import tinytf as tf


def run_patiently(open_session, work, start_task):
    for tries_left in reversed(range(5)):
        sess = None
        try:
            sess = open_session()
            return work(sess)
        except (tf.errors.DeadlineExceededError, tf.errors.UnavailableError) as error:
            if not tries_left:
                raise
            job, index = re.search(r"/job:(\w+)/replica:0/task:(\d+)", error.message).groups()
            start_task(f"{job}:{index}")
        except tf.errors.AbortedError:
            if not tries_left:
                raise
        finally:
            if sess is not None:
                sess.close()
