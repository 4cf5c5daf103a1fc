"""Monitored sessions: the order of calls, stopping, errors, recovery."""

from tests.behaviour.asking import question, says
from tests.behaviour.questions._monitored import (
    Creating,
    aborted,
    caught,
    failing_function,
    keeping,
    noting,
    plain,
    report,
    stopping,
    unavailable,
)

DIFFERENCES = {
    ("closing", "run after it"): ("['RuntimeError']", "TensorFlow's is an AttributeError of None"),
}

CALLS = ("begin", "after_create_session", "before_run", "after_run", "end")


@question
def the_order_of_calls(tf):
    answers = {}
    for name, make in (
        ("monitored", lambda hooks: tf.train.MonitoredSession(hooks=hooks)),
        ("singular", lambda hooks: tf.train.SingularMonitoredSession(hooks=hooks)),
        ("training", lambda hooks: tf.train.MonitoredTrainingSession(hooks=hooks)),
    ):
        with tf.Graph().as_default() as graph:
            log, one, two = [], tf.constant(1), tf.constant(2)
            hooks = [noting(tf, log, "a.", {"x": two}), noting(tf, log, "b.")]
            with make(hooks) as sess:
                log.append("final" if graph.finalized else "open")
                for _ in range(2):
                    log.append(str(plain(sess.run([one, two]))))
                log.append(f"stop {sess.should_stop()} graph {sess.graph is graph}")
            log.append("final" if graph.finalized else "open")
            log.append(f"stop {sess.should_stop()} graph {sess.graph}")
        answers[name] = log
    answers["closed, not left"] = log = []
    with tf.Graph().as_default():
        tf.constant(1)
        tf.train.MonitoredSession(hooks=[noting(tf, log)]).close()
    return answers


@question
def what_a_hook_may_ask_for(tf):
    x, y = tf.placeholder_with_default(1, []), tf.placeholder_with_default(2, [])
    total = x + y
    log = []

    def session(*hooks):
        return tf.train.MonitoredSession(hooks=list(hooks))

    with session(
        noting(tf, log, "x.", x, feeds={x: 10}), noting(tf, log, "y.", [y, total])
    ) as sess:
        by_hook = int(sess.run(total))
        with_own = int(sess.run(total, {y: 100}))
        two = says("Same tensor is fed by a SessionRunHook and user.", sess.run, total, {x: 5})
        names = sess.run({"a": total, "b": [x, (y,)]})
    with session(noting(tf, [], feeds={x: 1}), noting(tf, [], feeds={x: 1})) as sess:
        hooks = says("Same tensor is fed by two hooks.", sess.run, total)
    with session(noting(tf, [], "only feeds.", feeds={x: 7})) as sess:
        only_feeds = int(sess.run(total))
    return {
        "fed by a hook": by_hook,
        "and by the caller": with_own,
        "the same": two,
        "the same by two hooks": hooks,
        "feeds without fetches": only_feeds,
        "the caller's structure": str(plain(names)),
        "what hooks got": log,
    }


@question
def options_are_merged(tf):
    seen = []

    class Looking(tf.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            options = run_values.options
            seen.append(
                (
                    options.trace_level,
                    options.timeout_in_ms,
                    options.output_partition_graphs,
                    options.report_tensor_allocations_upon_oom,
                    type(run_values.run_metadata).__name__,
                    len(run_values.run_metadata.step_stats.dev_stats) > 0,
                )
            )

    one = tf.constant(1) + 2
    traced = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    late = tf.RunOptions(timeout_in_ms=50_000, report_tensor_allocations_upon_oom=True)
    hooks = [noting(tf, [], options=traced), noting(tf, [], options=late), Looking()]
    metadata = tf.RunMetadata()
    with tf.train.MonitoredSession(hooks=[Looking()]) as sess:
        sess.run(one)
    with tf.train.MonitoredSession(hooks=hooks) as sess:
        sess.run(one)
        sess.run(one, options=tf.RunOptions(timeout_in_ms=90_000), run_metadata=metadata)
    return {
        "nothing asked for": seen[0],
        "by hooks": seen[1],
        "and the caller": seen[2],
        "the caller's metadata": len(metadata.step_stats.dev_stats) > 0,
    }


@question
def what_a_hook_sees_of_a_run(tf):
    x = tf.placeholder_with_default(1, [], name="x")
    seen = []

    class Looking(tf.train.SessionRunHook):
        def before_run(self, run_context):
            args = run_context.original_args
            seen.append((args.fetches.name, args.feed_dict, args.options))
            seen.append((type(run_context.session).__name__, run_context.stop_requested))
            seen.append(int(run_context.session.run(x)))

    with tf.train.MonitoredSession(hooks=[Looking()]) as sess:
        sess.run(x)
        sess.run(x, options=tf.RunOptions(timeout_in_ms=50_000))
    args = tf.train.SessionRunArgs("a")
    values = tf.train.SessionRunValues(results=1, options=None, run_metadata=None)
    hook = tf.train.SessionRunHook()
    return {
        "seen": seen,
        "arguments": (args.fetches, args.feed_dict, args.options),
        "their fields": type(args)._fields,
        "values": tuple(values),
        "their fields too": type(values)._fields,
        "a hook that does nothing": [
            hook.begin(),
            hook.after_create_session(None, None),
            hook.before_run(None),
            hook.after_run(None, None),
            hook.end(None),
        ],
    }


@question
def stopping_by_a_hook(tf):
    one = tf.constant(1)
    answers = {}
    for call in ("before_run", "after_run"):
        log = []
        with tf.train.MonitoredSession(hooks=[noting(tf, log), stopping(tf, call)]) as sess:
            while not sess.should_stop():
                log.append(int(sess.run(one)))
            log.append(says("Run called even after should_stop requested.", sess.run, one))
        answers[call] = log
    return answers


@question
def errors_in_the_body(tf):
    answers = {}
    for name, error in (
        ("ValueError", ValueError("mine")),
        ("OutOfRangeError", tf.errors.OutOfRangeError(None, None, "the end")),
        ("StopIteration", StopIteration()),
        ("KeyboardInterrupt", KeyboardInterrupt()),
        ("AbortedError", tf.errors.AbortedError(None, None, "lost")),
        ("CancelledError", tf.errors.CancelledError(None, None, "no more")),
    ):
        log = []
        for make in (tf.train.MonitoredSession, tf.train.SingularMonitoredSession):
            with tf.Graph().as_default() as graph:
                tf.constant(1)
                with caught(log):
                    with make(hooks=[noting(tf, log)]) as sess:
                        raise error
                log.append((graph.finalized, sess.should_stop(), sess.graph))
        answers[name] = log
    return answers


@question
def errors_in_hooks(tf):
    answers = {}
    for call in CALLS:
        for name, error in (
            ("ValueError", lambda: ValueError("mine")),
            ("OutOfRangeError", lambda: tf.errors.OutOfRangeError(None, None, "the end")),
        ):
            log = []
            with tf.Graph().as_default():
                one = tf.constant(1)
                hooks = [noting(tf, log, "a.", fails_in=[call], error=error), noting(tf, log, "b.")]
                with caught(log):
                    with tf.train.MonitoredSession(hooks=hooks) as sess:
                        log.append(int(sess.run(one)))
            answers[f"{name} in {call}"] = log
    return answers


@question
def errors_of_lost_tasks_in_hooks(tf):
    answers = {}
    for call in CALLS:
        for name, error in (("Aborted", aborted(tf)), ("Unavailable", unavailable(tf))):
            for kind in ("MonitoredSession", "SingularMonitoredSession"):
                log = []
                with tf.Graph().as_default():
                    one = tf.constant(1)
                    hooks = [
                        noting(tf, log, "a.", fails_in=[call], error=error),
                        noting(tf, log, "b."),
                    ]
                    with caught(log):
                        with getattr(tf.train, kind)(hooks=hooks) as sess:
                            log.append(int(sess.run(one)))
                            log.append(sess.should_stop())
                answers[f"{name} in {call}, {kind}"] = log
    return answers


@question
def recovery_of_steps(tf):
    answers = {}
    for name, error in (("Aborted", aborted(tf)), ("Unavailable", unavailable(tf))):
        for times in (1, 2):
            log = []
            with tf.Graph().as_default():
                value = failing_function(tf, 0, error)
                count = tf.Variable(0, name="count", use_resource=False)
                add = tf.assign_add(count, 1)
                with tf.train.MonitoredSession(
                    Creating(tf, log=log),
                    hooks=[
                        noting(tf, log, fails_in=["after_run"] * times, error=error, fetches=value)
                    ],
                ) as sess:
                    log.append(int(sess.run(add)))  # a session of its own: from the beginning
                    log.append(int(sess.run(add)))
            answers[f"{name}, {times} times"] = log
    log = []
    with tf.Graph().as_default():
        fails = [aborted(tf), unavailable(tf), aborted(tf)]
        one = tf.constant(1)
        with tf.train.MonitoredSession(Creating(tf, fails, log), [noting(tf, log)]) as sess:
            log.append(int(sess.run(one)))
    answers["when sessions are made"] = log
    log = []
    with tf.Graph().as_default(), caught(log):
        tf.constant(1)
        tf.train.MonitoredSession(Creating(tf, [lambda: ValueError("no")], log), [noting(tf, log)])
    answers["another error then"] = log
    log = []
    with tf.Graph().as_default(), caught(log):
        one = tf.constant(1)
        creator = Creating(tf, [], log)
        with tf.train.MonitoredSession(
            creator, [noting(tf, log, fails_in=["before_run"], error=aborted(tf))]
        ) as sess:
            creator._fails = [unavailable(tf), lambda: ValueError("no")]
            sess.run(one)
    answers["another error while it recovers"] = log
    return answers


@question
def lost_tasks_of_other_threads(tf):
    """What a thread reports to the coordinator counts as the cause."""
    coords = []

    one = tf.constant(1)
    bad = tf.py_func(lambda: 1 // 0, [], tf.int64)
    answers = {}
    with tf.train.MonitoredSession(hooks=[keeping(tf, coords)]) as sess:
        report(coords[-1], aborted(tf)())
        answers["should_stop"] = sess.should_stop()
        answers["sessions"] = len(coords)
        report(coords[-1], aborted(tf)())
        answers["a run that works"] = int(sess.run(one))
        answers["sessions then"] = len(coords)
        answers["after it"] = sess.should_stop()
        answers["and then"] = len(coords)
    log = []
    with caught(log):
        with tf.train.MonitoredSession(hooks=[keeping(tf, coords)]) as sess:
            report(coords[-1], ValueError("of a thread"))
            answers["another error: should_stop"] = sess.should_stop()
            answers["a run"] = int(sess.run(one))
    answers["at the end"] = log
    for name, error in (("aborted", aborted(tf)()), ("other", ValueError("of a thread"))):
        with caught(log := []):
            with tf.train.SingularMonitoredSession(hooks=[keeping(tf, coords)]) as sess:
                report(coords[-1], error)
                answers[f"singular, {name}: should_stop"] = says("", sess.should_stop)
                answers[f"singular, {name}: a run"] = int(sess.run(one))
                answers[f"singular, {name}: a bad run"] = says("", sess.run, bad)
        answers[f"singular, {name}: at the end"] = log
    with tf.train.MonitoredSession(hooks=[keeping(tf, coords)]) as sess:
        coords[-1].request_stop()
        answers["stopped without an error"] = (sess.should_stop(), int(sess.run(one)))
    return answers


@question
def closing(tf):
    log = []
    one = tf.constant(1)
    sess = tf.train.MonitoredSession(hooks=[noting(tf, log)])
    sess.close()
    with caught(log):
        sess.close()
    answers = {
        "twice": [each for each in log if not each.startswith("end NoneType")],
        "what twice says": says("Session is already closed.", sess.close),
        "graph": sess.graph,
        "should_stop": sess.should_stop(),
    }
    with caught(log := []):
        with tf.train.MonitoredSession() as sess:
            sess.run(one)
            sess.close()
            log.append("closed")
    answers["within"] = log
    with caught(log := []):
        with tf.train.MonitoredSession() as sess:
            pass
        sess.run(one)
    answers["run after it"] = log
    sess = tf.train.SingularMonitoredSession()
    answers["raw session"] = type(sess.raw_session()).__name__
    sess.close()
    answers["raw session, closed"] = sess.raw_session()
    return answers


@question
def the_graph_is_final(tf):
    final = "Graph is finalized and cannot be modified."
    one = tf.constant(1)
    answers = {}
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, use_resource=False)
        with tf.train.MonitoredSession() as sess:
            answers["an operation"] = says(final, tf.constant, 1)
            answers["an initialiser"] = says(final, tf.global_variables_initializer)
            answers["a sum"] = says(final, lambda: v + 1.0)
            answers["a collection"] = says(final, tf.add_to_collection, "mine", 1)
        answers["afterwards"] = tf.constant(2).op.type
        with tf.train.MonitoredSession() as outer:
            with tf.train.MonitoredSession() as inner:
                answers["one in the other"] = [float(inner.run(v)), float(outer.run(v))]
            answers["the inner one has ended"] = graph.finalized
            answers["the outer one goes on"] = float(outer.run(v))
        answers["both have ended"] = graph.finalized
        graph.finalize()
        with tf.train.MonitoredSession() as sess:
            answers["was final before, with all pieces"] = float(sess.run(v))
        answers["and is after"] = graph.finalized
    with tf.Graph().as_default() as graph:
        tf.constant(1)
        graph.finalize()
        answers["was final before, without them"] = says(final, tf.train.MonitoredSession)
    with tf.Session() as sess:
        answers["a session of another graph"] = int(sess.run(one))
    return answers


@question
def step_functions(tf):
    x = tf.placeholder_with_default(1, [])
    y = x + 1
    log = []
    answers = {}
    wrong = "`step_fn` may either have one `step_context` argument"

    def both(step_context):
        raw = step_context.session.run(y)
        hooked = step_context.run_with_hooks(y, feed_dict={x: 10})
        return [type(step_context.session).__name__, int(raw), int(hooked)]

    class Stepping:
        def step(self, step_context):
            return int(step_context.run_with_hooks(fetches=y))

        def two(self, step_context, other):
            return 0

    def stops(step_context):
        step_context.request_stop()

    def fails(step_context):
        raise ValueError("mine")

    for kind in ("MonitoredSession", "SingularMonitoredSession"):
        with getattr(tf.train, kind)(hooks=[noting(tf, log)]) as sess:
            answers[f"{kind}: a function"] = sess.run_step_fn(both)
            answers[f"{kind}: a method"] = sess.run_step_fn(Stepping().step)
            answers[f"{kind}: a lambda"] = sess.run_step_fn(lambda step_context: 3)
            answers[f"{kind}: another name"] = says(wrong, sess.run_step_fn, lambda context: 3)
            answers[f"{kind}: no argument"] = says(wrong, sess.run_step_fn, lambda: 3)
            answers[f"{kind}: two"] = says(wrong, sess.run_step_fn, Stepping().two)
            answers[f"{kind}: fails"] = says("mine", sess.run_step_fn, fails)
            answers[f"{kind}: stops"] = says(
                "step_fn has requested the iterations to stop.", sess.run_step_fn, stops
            )
            answers[f"{kind}: and then"] = sess.should_stop()
            sess.run_step_fn(stops)
            log.append("not reached")
        answers[f"{kind}: calls"] = list(log)
        log.clear()
    runs = []

    def loses(step_context):
        runs.append(1)
        if len(runs) < 3:
            raise tf.errors.AbortedError(None, None, "lost")
        return int(step_context.run_with_hooks(y))

    with tf.train.MonitoredSession(hooks=[noting(tf, log)]) as sess:
        answers["a step that is lost"] = [sess.run_step_fn(loses), len(runs)]
    answers["its calls"] = log
    return answers
