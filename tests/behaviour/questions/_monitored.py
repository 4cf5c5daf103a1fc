"""What the questions about monitored sessions share: hooks that note their calls, and failures."""

import contextlib


def plain(values):
    """Values without the marks of numpy, which differ between its versions."""
    if isinstance(values, dict):
        return {key: plain(value) for key, value in values.items()}
    if isinstance(values, list | tuple):
        return type(values)(map(plain, values))
    return values.tolist() if hasattr(values, "tolist") else values


def noting(tf, log, name="", fetches=None, fails_in=(), error=None, feeds=None, options=None):
    """A hook that notes its calls in `log`, and raises `error()` in the calls of `fails_in`.

    `fails_in` names each call as often as it shall fail: then it works.
    """
    left = list(fails_in)

    def note(call, *more):
        log.append(" ".join([name + call, *map(str, more)]))
        if call in left:
            left.remove(call)
            raise error()

    class Noting(tf.train.SessionRunHook):
        def begin(self):
            note("begin", "final" if tf.get_default_graph().finalized else "open")

        def after_create_session(self, session, coord):
            note("after_create_session", type(session).__name__, type(coord).__name__)

        def before_run(self, run_context):
            note("before_run")
            if fetches is None and feeds is None and options is None:
                return None
            return tf.train.SessionRunArgs(fetches, feeds, options)

        def after_run(self, run_context, run_values):
            note("after_run", plain(run_values.results))

        def end(self, session):
            note("end", type(session).__name__)

    return Noting()


def stopping(tf, call="after_run"):
    """A hook that asks for the end in its first call of this kind."""

    class Stopping(tf.train.SessionRunHook):
        def before_run(self, run_context):
            if call == "before_run":
                run_context.request_stop()

        def after_run(self, run_context, run_values):
            if call == "after_run":
                run_context.request_stop()

    return Stopping()


def losing(tf, run, error):
    """A hook that raises `error()` after one run, counted from 1."""

    class Losing(tf.train.SessionRunHook):
        runs = 0

        def after_run(self, run_context, run_values):
            self.runs += 1
            if self.runs == run:
                raise error()

    return Losing()


def keeping(tf, coords):
    """A hook that keeps the coordinators of its sessions."""

    class Keeping(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            coords.append(coord)

    return Keeping()


@contextlib.contextmanager
def caught(log):
    """Notes in `log` the class of what the block raises."""
    try:
        yield
    except BaseException as error:
        log.append(type(error).__name__)
    else:
        log.append("no error")


def report(coord, error):
    """Tell a coordinator of an error, as the thread does that has failed with it."""
    try:
        raise error
    except Exception as raised:
        coord.request_stop(raised)


def aborted(tf):
    return lambda: tf.errors.AbortedError(None, None, "lost")


def unavailable(tf):
    return lambda: tf.errors.UnavailableError(None, None, "gone")


def failing_function(tf, times, error):
    """A tensor whose step fails so many times, then gives how often it was computed."""
    runs = []

    def function():
        runs.append(1)
        if len(runs) <= times:
            raise error()
        return len(runs)

    result = tf.py_func(function, [], tf.int64, stateful=True)
    result.set_shape([])
    return result


class Creating:
    """A session creator that fails at first, and counts."""

    def __init__(self, tf, fails=(), log=None):
        self._creator = tf.train.ChiefSessionCreator()
        self._fails = list(fails)
        self._log = [] if log is None else log

    def create_session(self):
        self._log.append("create_session")
        if self._fails:
            raise self._fails.pop(0)()
        return self._creator.create_session()
