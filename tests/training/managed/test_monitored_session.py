"""Monitored sessions: what their errors teach, and that nothing is left behind."""

import functools
import threading

import pytest

import tinytf as tf
from tinytf.framework import waiting
from tinytf.testing import leaks


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


class Hook(tf.train.SessionRunHook):
    """Does what it is given, by keyword."""

    def __init__(self, **calls):
        self._calls = calls

    def _call(self, name, *arguments):
        return self._calls[name](*arguments) if name in self._calls else None

    def begin(self):
        self._call("begin")

    def after_create_session(self, session, coord):
        self._call("after_create_session", session, coord)

    def before_run(self, run_context):
        return self._call("before_run", run_context)

    def after_run(self, run_context, run_values):
        self._call("after_run", run_context, run_values)

    def end(self, session):
        self._call("end", session)


class Feeding(Hook):
    """Feeds something."""

    def __init__(self, feeds):
        super().__init__(before_run=lambda context: tf.train.SessionRunArgs(None, feeds))


class AlsoFeeding(Feeding):
    """Likewise."""


def fail(*arguments):
    raise ValueError("mine")


def endless_queue():
    queue = tf.FIFOQueue(2, tf.float32, shapes=[[]], name="q")
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2))
    return queue.dequeue()


# What errors teach ------------------------------------------------------------------------------


def test_what_would_be_new_in_the_graph_is_named_and_what_to_do_instead():
    v = tf.Variable(1.0, name="v")
    with tf.train.MonitoredSession() as sess:
        with pytest.raises(RuntimeError) as caught:
            sess.run(v + 1.0)
    text = str(caught.value)
    assert text.startswith("Graph is finalized and cannot be modified.")
    assert "add/y (Const) would be new" in text
    assert "Build everything before the session" in text
    assert "tf.placeholder" in text


def test_an_initialiser_is_not_needed():
    tf.Variable(1.0)
    with tf.train.MonitoredSession():
        with pytest.raises(RuntimeError, match=r"init_\d \(NoOp\) would be new\. Leave it out"):
            tf.global_variables_initializer()


def test_a_graph_that_the_user_finalised_says_nothing_of_sessions(graph):
    tf.constant(1)
    graph.finalize()
    with pytest.raises(RuntimeError) as caught:
        tf.constant(2)
    assert str(caught.value) == "Graph is finalized and cannot be modified."


def test_running_an_initialiser_is_warned_of_once(caplog):
    caplog.set_level("WARNING", "tinytf")
    v = tf.Variable(1.0)
    init, add = tf.global_variables_initializer(), v.assign_add(1.0)
    with tf.train.MonitoredSession() as sess:
        sess.run([add, tf.get_default_graph().get_operations()[0]])
        sess.run(add.op)
        assert not caplog.records
        sess.run(init)
        sess.run(init)
        assert sess.run(v) == 1.0
    (record,) = caplog.records
    assert "sess.run(init) gives the variables their initial values again" in record.getMessage()


def test_hooks_that_feed_the_same_are_both_named():
    x = tf.placeholder_with_default(1.0, [], name="x")
    with tf.train.MonitoredSession(hooks=[Feeding({x: 1}), AlsoFeeding({x: 2})]) as sess:
        with pytest.raises(RuntimeError, match="Both Feeding and AlsoFeeding feed x:0"):
            sess.run(x)
    with tf.train.MonitoredSession(hooks=[Feeding({x: 1})]) as sess:
        with pytest.raises(RuntimeError, match=r"Both Feeding and this sess\.run\(\) feed x:0"):
            sess.run(x, {x: 3})


@pytest.mark.parametrize("wanted", ["loss", ["loss"], {"loss": "loss"}])
def test_a_hook_that_returns_its_fetches_bare(wanted):
    tf.constant(1.0, name="loss")
    with tf.train.MonitoredSession(hooks=[Hook(before_run=lambda context: wanted)]) as sess:
        with pytest.raises(TypeError, match=r"Hook\.before_run must return a tf\.train\.SessionR"):
            sess.run("loss:0")


def test_a_hook_that_asks_for_what_is_not_there_is_named():
    loss = tf.constant(1.0, name="loss")
    asks = {"nothing:0": ValueError, 3: TypeError}
    for wanted, kind in asks.items():
        hook = Hook(before_run=lambda context, wanted=wanted: tf.train.SessionRunArgs(wanted))
        with tf.train.MonitoredSession(hooks=[Hook(), hook]) as sess:
            with pytest.raises(kind, match="The hook Hook has asked for it"):
                sess.run(loss)
    with tf.train.MonitoredSession(hooks=[Feeding({loss: 2.0})]) as sess:
        with pytest.raises(ValueError, match="nothing:0") as caught:
            sess.run("nothing:0")
    assert "hook" not in str(caught.value).lower()


@pytest.mark.parametrize(
    ("hooks", "text"),
    [
        (tf.train.SessionRunHook(), r"must be a list of hooks: hooks=\[SessionRunHook\("),
        ([tf.train.SessionRunHook], "SessionRunHook is a class"),
        (["x"], "'x' is no hook: it has no begin, after_create_session"),
    ],
)
def test_what_is_no_list_of_hooks(hooks, text):
    tf.constant(1)
    for make in (
        tf.train.MonitoredSession,
        tf.train.SingularMonitoredSession,
        tf.train.MonitoredTrainingSession,
    ):
        with pytest.raises(TypeError, match=text):
            make(hooks=hooks)
    with pytest.raises(TypeError, match="chief_only_hooks must be a list"):
        tf.train.MonitoredTrainingSession(chief_only_hooks=tf.train.SessionRunHook())


def test_any_object_with_the_methods_is_a_hook():
    class Duck:
        seen = 0
        begin = after_create_session = before_run = end = lambda self, *arguments: None

        def after_run(self, run_context, run_values):
            self.seen += 1

    duck, one = Duck(), tf.constant(1)
    with tf.train.MonitoredSession(hooks=[duck]) as sess:
        sess.run(one)
    assert duck.seen == 1


@pytest.mark.parametrize("given", ["grpc://localhost:1", tf.Graph(), tf.train.Scaffold()])
def test_what_is_no_creator_of_sessions(given):
    with pytest.raises(TypeError, match=r"must be a tf\.train\.SessionCreator.*MonitoredTraining"):
        tf.train.MonitoredSession(given)


def test_what_is_no_scaffold_or_a_part_of_one():
    with pytest.raises(TypeError, match=r"scaffold must be a tf\.train\.Scaffold, got 'x'"):
        tf.train.MonitoredTrainingSession(scaffold="x")
    with pytest.raises(TypeError, match=r"saver must be a tf\.train\.Saver, got 'x'"):
        tf.train.Scaffold(saver="x")
    with pytest.raises(TypeError, match=r"init_fn\(scaffold, session\); <lambda>\(sess\) does not"):
        tf.train.Scaffold(init_fn=lambda sess: None)


def test_it_is_no_session_and_says_where_one_is(tmp_path):
    v = tf.Variable(1.0)
    saver = tf.train.Saver()
    path = str(tmp_path / "model")
    with tf.train.MonitoredSession() as sess:
        with pytest.raises(TypeError, match=r"'sess' must be a Session; .*run_step_fn"):
            saver.save(sess, path)
        assert sess.run_step_fn(lambda step_context: saver.save(step_context.session, path)) == path
        saver.restore(sess, path)
        with pytest.raises(AttributeError, match=r"'as_default'\. It is no tf\.Session"):
            sess.as_default()
        with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
            _ = sess.nonsense
        with pytest.raises(ValueError, match="MonitoredTrainingSession, is never the default one"):
            v.eval()
        assert v.eval(session=sess) == 1.0
    with pytest.raises(ValueError, match="No default session is registered") as caught:
        v.eval()
    assert "MonitoredSession" not in str(caught.value)


@pytest.mark.parametrize("kind", ["MonitoredSession", "SingularMonitoredSession"])
def test_after_its_end_it_says_so(kind):
    one = tf.constant(1)
    ends = []
    with getattr(tf.train, kind)(hooks=[Hook(end=ends.append)]) as sess:
        pass
    closed = f"Attempted to use a closed {kind}"
    with pytest.raises(RuntimeError, match=closed):
        sess.run(one)
    with pytest.raises(RuntimeError, match=closed):
        sess.run_step_fn(lambda step_context: None)
    with pytest.raises(RuntimeError, match=closed), sess:
        pass
    with pytest.raises(RuntimeError, match=r"already closed\. A `with` closes it at the end"):
        sess.close()
    assert len(ends) == 1  # TensorFlow calls it again, without a session


def test_who_has_asked_for_the_end_is_named():
    one = tf.constant(1)
    step = tf.train.get_or_create_global_step()
    stop = tf.train.StopAtStepHook(num_steps=1)
    add = step.assign_add(1)
    with tf.train.MonitoredSession(hooks=[Hook(), stop]) as sess:
        sess.run(add)
        with pytest.raises(RuntimeError, match=r"StopAtStepHook has asked for the end: `while not"):
            sess.run(one)


def test_step_functions_may_be_partial():
    one = tf.constant(1)

    def step(fetch, step_context, times=1):
        return times * step_context.run_with_hooks(fetch)

    with tf.train.MonitoredSession() as sess:
        assert sess.run_step_fn(functools.partial(step, one, times=3)) == 3
        with pytest.raises(ValueError, match=r"Got \('step_context', 'times'\)"):
            sess.run_step_fn(functools.partial(step, one))


# Nothing is left behind -------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["begin", "after_create_session"])
@pytest.mark.parametrize("kind", ["MonitoredSession", "SingularMonitoredSession"])
def test_a_session_that_is_not_made_leaves_nothing(call, kind, graph):
    endless_queue()
    sessions = []
    hooks = [
        Hook(after_create_session=lambda session, coord: sessions.append((session, coord))),
        Hook(**{call: fail}),
    ]
    with leaks.none_left():
        with pytest.raises(ValueError, match="mine"):
            getattr(tf.train, kind)(hooks=hooks)
    assert not graph.finalized  # it can be mended in the next cell
    assert all(session.is_closed and coord.joined for session, coord in sessions)
    assert len(sessions) == (call == "after_create_session")


def test_a_model_that_is_not_ready_can_be_mended(graph):
    v = tf.Variable(1.0, name="v")
    with pytest.raises(RuntimeError, match="Variables not initialized: v"):
        tf.train.SingularMonitoredSession(scaffold=tf.train.Scaffold(init_op=tf.no_op()))
    assert not graph.finalized
    with tf.train.SingularMonitoredSession() as sess:
        assert sess.run(v) == 1.0


def test_the_graph_that_was_its_own_is_opened_again():
    tf.Variable(1.0)
    with tf.Graph().as_default() as mine:
        v = tf.Variable(1.0)
        sess = tf.train.MonitoredSession()
    other = tf.get_default_graph()
    assert sess.run(v) == 1.0
    other.finalize()
    sess.close()
    assert other.finalized
    assert not mine.finalized


@pytest.mark.parametrize("error", [None, StopIteration(), ValueError(), KeyboardInterrupt()])
def test_threads_end_with_it_whatever_ends_it(error):
    item = endless_queue()

    def train():
        with tf.train.MonitoredSession() as sess:
            sess.run(item)
            if error is not None:
                raise error

    with leaks.none_left():
        if error is None or isinstance(error, StopIteration):
            train()
        else:
            with pytest.raises(type(error)):
                train()


def test_an_interrupt_ends_a_run_that_waits(interrupt_when):
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]], name="q")
    item = queue.dequeue()
    ends = []
    main = threading.get_ident()

    def until_it_waits():
        pause = threading.Event()
        while waiting.blocked_in(main) is None:
            pause.wait(0.005)

    def train():
        with tf.train.MonitoredSession(hooks=[Hook(end=ends.append)]) as sess:
            interrupt_when(until_it_waits)
            sess.run(item)

    with leaks.none_left(), pytest.raises(KeyboardInterrupt):
        train()
    assert ends == []


def test_an_interrupt_ends_the_wait_for_a_chief(interrupt_when, graph):
    tf.Variable(1.0, name="v")
    main = threading.get_ident()

    def until_it_waits():
        pause = threading.Event()
        while "the chief" not in waiting.what_for(main):
            pause.wait(0.005)

    interrupt_when(until_it_waits)
    with leaks.none_left(), pytest.raises(KeyboardInterrupt):
        tf.train.MonitoredTrainingSession(is_chief=False)
    assert not graph.finalized


# Runs -------------------------------------------------------------------------------------------


def test_options_are_passed_on_only_if_somebody_has_some():
    seen = []

    class Session:
        graph = None

        def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
            seen.append((options, run_metadata))
            return [None] * len(fetches) if isinstance(fetches, list) else None

        def close(self):
            pass

    class Creator(tf.train.SessionCreator):
        def create_session(self):
            return Session()

    limit = tf.RunOptions(timeout_in_ms=1)
    wants = [None, None, tf.train.SessionRunArgs(1, options=tf.RunOptions(timeout_in_ms=5))]
    hook = Hook(before_run=lambda context: wants.pop(0))
    metadata = tf.RunMetadata()
    with tf.train.MonitoredSession(Creator(), hooks=[hook]) as sess:
        sess.run(1)
        sess.run(1, options=limit, run_metadata=metadata)
        sess.run(1, options=limit)
    assert seen[0] == (None, None)
    assert seen[1] == (limit, metadata)
    assert seen[1][1] is metadata
    assert seen[2][0].timeout_in_ms == 5
    assert limit.timeout_in_ms == 1  # TensorFlow changes the caller's


def test_the_same_hook_twice_and_hooks_that_are_equal():
    class Equal(Hook):
        def __eq__(self, other):
            return True

        __hash__ = None

    one, two, seen = tf.constant(1), tf.constant(2), []

    def hook(fetch):
        return Equal(
            before_run=lambda context: tf.train.SessionRunArgs(fetch),
            after_run=lambda context, values: seen.append(int(values.results)),
        )

    with tf.train.MonitoredSession(hooks=[hook(one), hook(two)]) as sess:
        sess.run(one)
    assert seen == [1, 2]


def test_threads_may_run_it_at_once():
    v = tf.Variable(0.0, use_resource=True)
    add = v.assign_add(1.0)
    runs = []
    hook = Hook(after_run=lambda context, values: runs.append(1))
    with leaks.none_left(), tf.train.MonitoredSession(hooks=[hook]) as sess:
        threads = [
            threading.Thread(target=lambda: [sess.run(add) for _ in range(20)]) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sess.run(v) == 80.0
    assert len(runs) == 81
