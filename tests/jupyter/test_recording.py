"""Recordings: the real step, with counters that go down to zero and values that are right."""

import numpy as np
import pytest

import tinytf as tf
from tests.framework.temporary_ops import temporary_op
from tinytf.framework.pending import Pending
from tinytf.jupyter import recording as recording_module
from tinytf.jupyter.recording import describe_value, record
from tinytf.jupyter.words import corners_of


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def session(graph):
    with tf.Session(graph=graph) as session:
        yield session


def small():
    x = tf.placeholder(tf.float32, (), name="x")
    a = tf.constant(3.0, name="a")
    b = tf.multiply(a, x, name="b")
    return x, tf.add(b, a, name="total")


def loop(count):
    return tf.while_loop(
        lambda i, p: tf.less(i, count),
        lambda i, p: (tf.add(i, 1), tf.multiply(p, 2.0)),
        [tf.constant(0), tf.constant(1.0)],
    )


def conditional(condition):
    x = tf.constant(5.0, name="x")
    return tf.cond(condition, lambda: tf.add(x, 1.0), lambda: tf.multiply(x, 2.0))


def check(recorded):
    """What holds for every complete recording."""
    last = len(recorded.events) - 1
    assert recorded.is_complete
    assert recorded.queue_after(last) == []
    assert set(recorded.counts_after(last).values()) == {0}
    assert not {"waiting", "ready"} & set(recorded.states_after(last).values())
    queue = []
    blocked = {(e.node, e.iteration) for e in recorded.events if e.kind == "block"}
    resumed = {  # left the queue when it blocked
        n
        for n, e in enumerate(recorded.events)
        if e.kind == "run" and (e.node, e.iteration) in blocked
    }
    for number, event in enumerate(recorded.events):
        if event.node >= 0 and number not in resumed:
            # What runs was in the queue, at its head: the executor takes the oldest.
            assert queue[0] == (recorded.names[event.node], event.iteration)
        queue = recorded.queue_after(number)
        states = recorded.states_after(number)
        counts = recorded.counts_after(number)
        for name, state in states.items():
            assert (state == "ready") == (name in {n for n, _ in queue})
            if state == "waiting" and name in counts:
                assert counts[name] > 0
        for name, _ in queue:
            assert states[name] == "ready"


def test_counters_go_down_to_zero_in_the_order_of_the_executor(session):
    x, total = small()
    recorded = record(total, {x: 2.0}, session)
    assert recorded.values == session.run(total, {x: 2.0}) == 9.0
    check(recorded)
    assert recorded.names == ["a", "b", "total"]
    assert recorded.counters == [0, 1, 2]  # the fed value is there; b waits for a only
    assert [recorded.counts_after(n)["total"] for n in range(5)] == [2, 1, 0, 0, 0]
    assert [event.kind for event in recorded.events] == ["start", "run", "run", "run", "end"]
    assert recorded.queue_after(1) == [("b", "")]
    assert recorded.events[2].values == ("b:0 = float32 6.0",)
    assert "total is ready now" in recorded.events[2].text
    assert recorded.fed == {"feed of x:0": "x:0 = float32 2.0"}


def test_an_input_used_twice_counts_once(session):
    x = tf.constant(3.0, name="x")
    square = tf.multiply(x, x, name="square")
    recorded = record(square, session=session)
    assert recorded.counters == [0, 1]
    assert len(recorded.picture.edges) == 2
    check(recorded)


def test_nothing_is_optimised_away(session):
    sums = tf.constant(1.0)
    for _ in range(5):
        sums = tf.add(sums, 1.0)
    recorded = record(sums, session=session)
    assert len(recorded.names) == 11
    assert recorded.values == 6.0


def test_a_loop_is_recorded_iteration_by_iteration(session):
    result = loop(3)
    recorded = record(result, session=session)
    assert recorded.values == session.run(result) == (3, 8.0)
    check(recorded)
    body = [e for e in recorded.events if e.node >= 0 and recorded.names[e.node] == "while/Mul"]
    assert [(e.kind, e.iteration) for e in body] == [
        ("run", "0"),
        ("run", "1"),
        ("run", "2"),
        ("skip", "3"),
    ]
    assert [e.values for e in body][:2] == [
        ("while/Mul:0 = float32 2.0",),
        ("while/Mul:0 = float32 4.0",),
    ]
    merge = recorded.names.index("while/Merge")
    assert recorded.counters[merge] == 1  # one live input is enough, of two
    backs = [e for e in recorded.picture.edges if e.closes_loop]
    assert len(backs) == 2


def test_nested_loops_number_their_iterations_from_outside_in(session):
    outer = tf.while_loop(
        lambda i, p: tf.less(i, 2),
        lambda i, p: (tf.add(i, 1), tf.multiply(p, loop(2)[1])),
        [tf.constant(0), tf.constant(1.0)],
    )
    recorded = record(outer, session=session)
    assert recorded.values == session.run(outer)
    check(recorded)
    assert {"", "0", "1", "2", "0.0", "0.1", "0.2", "1.2"} <= {
        event.iteration for event in recorded.events
    }


@pytest.mark.parametrize("condition", [True, False])
def test_the_path_not_taken_is_skipped(session, condition):
    result = conditional(tf.constant(condition))
    recorded = record(result, session=session)
    assert recorded.values == session.run(result)
    check(recorded)
    skipped = {recorded.names[e.node] for e in recorded.events if e.kind == "skip"}
    assert ("cond/Mul" in skipped, "cond/Add" in skipped) == (condition, not condition)
    assert any("will be skipped" in event.text for event in recorded.events)


def test_the_step_really_happens_once_in_the_session_given(session):
    v = tf.Variable(1.0, name="v")
    session.run(v.initializer)
    recorded = record(tf.assign_add(v, 10.0), session=session)
    assert recorded.values == 11.0
    assert session.run(v) == 11.0
    texts = [event.text for event in recorded.events]
    assert any("variable v (float32" in text for text in texts)


def test_the_structure_of_the_fetches_comes_back(session):
    x, total = small()
    recorded = record({"t": total, "both": [x, total.op]}, {x: 1.0}, session)
    assert recorded.values == {"t": 6.0, "both": [1.0, None]}


def test_without_a_session_it_makes_one_for_the_step(graph):
    x, total = small()
    assert record(total, {x: 1.0}).values == 6.0
    assert tf.get_default_session() is None


def test_a_session_of_another_graph_is_refused(graph):
    x, total = small()
    with tf.Session(graph=tf.Graph()), pytest.raises(ValueError, match="different from"):
        record(total, {x: 1.0})


def test_the_default_session_is_used(graph):
    x, total = small()
    with tf.Session():
        assert record(total, {x: 0.0}).values == 3.0


def test_wrong_fetches_and_feeds_are_refused_as_by_run(session):
    x, total = small()
    with pytest.raises(TypeError, match="Fetch argument 3"):
        record(3, session=session)
    with pytest.raises(ValueError, match="Cannot feed value of shape"):
        record(total, {x: [1.0, 2.0]}, session)


def test_an_error_is_recorded_where_it_happens(session):
    v = tf.Variable(1.0, name="v")  # never initialised
    recorded = record(tf.add(v, 1.0, name="sum"), session=session)
    assert isinstance(recorded.error, tf.errors.FailedPreconditionError)
    last = recorded.events[-1]
    assert (last.kind, recorded.names[last.node]) == ("fail", "v/read")
    assert "uninitialized value v" in last.text
    assert recorded.states_after(len(recorded.events) - 1)["v/read"] == "failed"
    assert recorded.states_after(len(recorded.events) - 1)["sum"] == "waiting"


def test_a_kernel_that_waits_is_seen_to_wait(session):
    waiting = []

    def wait(step, x):
        waiting.append((Pending("the test"), x))
        return waiting[0][0]

    def release(x):
        waiting[0][0].set_result(waiting[0][1])
        return x

    with temporary_op("TestWaits", "x: float -> y: float") as waits:
        waits.shape(lambda c: c.input(0))
        waits.kernel(blocking=True)(wait)
        with temporary_op("TestReleases", "x: float -> y: float") as releases:
            releases.shape(lambda c: c.input(0))
            releases.kernel(release)
            x = tf.constant(1.0, name="x")
            both = [waits(x, name="waits"), releases(tf.negative(x), name="releases")]
            recorded = record(both, session=session)
    assert recorded.values == [1.0, -1.0]
    check(recorded)
    story = [(e.kind, recorded.names[e.node]) for e in recorded.events[1:-1]]
    assert story == [
        ("run", "x"),
        ("block", "waits"),
        ("run", "Neg"),
        ("run", "releases"),
        ("run", "waits"),
    ]
    assert recorded.states_after(3)["waits"] == "blocked"


def test_a_long_step_is_cut_and_says_so(session, monkeypatch):
    monkeypatch.setattr(recording_module, "MOST_EVENTS", 30)
    result = loop(20)
    recorded = record(result, session=session)
    assert recorded.values == (20, 2.0**20)
    assert len(recorded.events) == 31
    assert not recorded.is_complete
    assert recorded.cut > 100
    assert f"went on for {recorded.cut:,} more" in recorded.events[-1].text


def test_sessions_that_run_elsewhere_are_refused(session, monkeypatch):
    _, total = small()
    monkeypatch.setattr(session, "_backend", object())
    with pytest.raises(tf.errors.UnimplementedError, match="only where it runs"):
        record(total, session=session)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(3), "float32 3.0"),
        (np.array([1, 2], np.int64), "int64 (2,) [1 2]"),
        (np.zeros((100, 100)), "float64 (100, 100) [[0. 0. ... 0. 0.]"),
        (np.array([b"a"], object), "string (1,) [b'a']"),
        (np.array(True), "bool True"),
    ],
)
def test_values_in_words(value, text):
    described = describe_value(value)
    assert described.startswith(text)
    assert len(described) < 110


@pytest.mark.parametrize(
    "shape", [(), (3,), (2000,), (1, 3000), (3000, 1), (40, 50), (7, 8, 9, 10), (0, 4), (3,) * 6]
)
def test_the_corners_of_an_array_are_described_as_the_whole(shape):
    rng = np.random.default_rng(0)
    for array in (rng.normal(size=shape), rng.integers(-99, 10**6, shape)):
        array = np.asarray(array)
        assert describe_value(corners_of(array), array.shape) == describe_value(array)
        assert not np.shares_memory(corners_of(array), array)
