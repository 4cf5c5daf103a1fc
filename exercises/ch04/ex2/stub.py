import tinytf as tf


def run_patiently(open_session, work, start_task):
    """Return work(sess), with as many sessions as it takes.

    open_session: a function; returns a new session
    work: takes a session, and may be called again
    start_task: takes a task's name, such as "worker:1"
    """
    raise NotImplementedError("write this function")
