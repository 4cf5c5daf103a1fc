"""What is expensive is learned from measured costs; the form of a plan, from measured times."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework import shape_inference
from tinytf.runtime import learning
from tinytf.runtime.learning import SEQUENTIAL, Cost, Learner, Parallelism, makespan, proposals

MS = 1e-3


class Pool:
    threads = 2

    def run(self, count, work):
        for index in range(count):
            work(index)


def two_branches():
    x = tf.placeholder(tf.float32, [None], name="x")
    a, b = tf.sin(x, name="a"), tf.cos(x, name="b")
    return tf.add(a, b, name="sum").graph.get_operations()


def costs(**seconds):
    return {name: Cost(1, value) for name, value in seconds.items()}


def test_two_expensive_branches_are_worth_two_threads():
    (found,) = proposals(two_branches(), costs(a=5 * MS, b=5 * MS, sum=1e-6), 2, None)
    assert found.apart == {"a", "b"}
    assert found.side_by_side
    assert found.costs["a"] == 5 * MS


@pytest.mark.parametrize(
    ("measured", "threads"),
    [
        (costs(a=5 * MS, b=5 * MS, sum=1e-6), 1),  # nobody to share with
        (costs(a=5 * MS, b=1e-6, sum=1e-6), 2),  # nothing to share
        (costs(a=50e-6, b=50e-6, sum=1e-6), 2),  # not worth it
        ({}, 2),
    ],
)
def test_nothing_is_proposed_where_nothing_is_gained(measured, threads):
    assert proposals(two_branches(), measured, threads, None) == []


def test_one_after_the_other_is_not_proposed_to_run_side_by_side():
    a = tf.sin(tf.placeholder(tf.float32, [None]), name="a")
    ops = tf.cos(a, name="b").graph.get_operations()
    assert proposals(ops, costs(a=5 * MS, b=5 * MS), 2, None) == []


def test_makespan_counts_threads():
    ops = two_branches()
    seconds = {"a": 5 * MS, "b": 4 * MS, "sum": 1 * MS}
    assert makespan(ops, seconds, ["a", "b"], 1) == pytest.approx(10 * MS, rel=0.01)
    assert makespan(ops, seconds, ["a", "b"], 2) == pytest.approx(6 * MS, rel=0.01)


def test_chains_built_one_after_the_other_run_side_by_side():
    x = tf.placeholder(tf.float32, [None], name="x")
    ends = []
    for side in ("left", "right"):
        value = x
        for number in range(5):
            value = tf.sin(value, name=f"{side}{number}")
        ends.append(value)
    tf.add_n(ends, name="sum")
    ops = tf.get_default_graph().get_operations()
    names = [op.name for op in ops if op.type == "Sin"]
    seconds = dict.fromkeys(names, 1 * MS)
    assert makespan(ops, seconds, names, 1) == pytest.approx(10 * MS, rel=0.02)
    assert makespan(ops, seconds, names, 2) == pytest.approx(5 * MS, rel=0.02)
    (found,) = proposals(ops, costs(**seconds), 2, None)
    assert found.apart == set(names)


def loop(body):
    """The operations of a loop, and which of them are inside of it."""
    tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, body(i, v)), [0, 1.0])
    ops = tf.get_default_graph().get_operations()
    return ops, frozenset(op for op in ops if op.name.startswith("while/"))


def test_iterations_overlap_where_one_does_not_need_the_other():
    ops, inside = loop(lambda i, v: v + tf.sin(tf.cast(i, tf.float32), name="slow"))
    (found,) = proposals(ops, {"while/slow": Cost(3, 9 * MS)}, 2, None, inside)
    assert found.apart_in_loops == {"while/slow"}


def test_iterations_that_need_each_other_stay_one_piece_of_code():
    ops, inside = loop(lambda i, v: tf.cos(tf.sin(v, name="slow"), name="slower"))
    measured = {"while/slow": Cost(3, 9 * MS), "while/slower": Cost(3, 9 * MS)}
    assert proposals(ops, measured, 2, None, inside) == []


def learn(seconds, trials):
    """A learner after everything was tried."""
    learner = Learner()
    run = learner.next_look
    while not learner.wants_costs:
        learner.took(run, seconds(learner.parallelism))
        run = learner.next_look
    learner.learned(run, trials)
    for _ in range((len(trials) + 1) * learning._TRIAL):
        run = learner.next_look
        learner.took(run, seconds(learner.parallelism))
    return learner


SHARDED, APART = Parallelism(sharded=frozenset("a")), Parallelism(apart=frozenset("ab"))


@pytest.mark.parametrize("fastest", [SEQUENTIAL, SHARDED, APART])
def test_the_fastest_form_stays(fastest):
    learner = learn(lambda how: 1 * MS if how is fastest else 2 * MS, [SHARDED, APART])
    assert learner.parallelism is fastest


def look_until(learner, done, seconds):
    """Further looks, until something has come to be so; how many runs that took."""
    first = learner.next_look
    for _ in range(100):
        if done():
            return learner.next_look - first
        learner.took(learner.next_look, seconds(learner.parallelism))
    raise AssertionError("it never came to be so")


def test_a_form_that_was_tried_at_a_bad_moment_is_tried_again():
    learner = learn(lambda how: 2 * MS, [APART])  # two threads shared a core
    assert learner.parallelism is SEQUENTIAL
    quick = lambda how: 1.2 * MS if how is APART else 2 * MS  # noqa: E731
    runs = look_until(
        learner, lambda: learner._fastest is APART and learner.parallelism is APART, quick
    )
    assert runs < 100
    worse = lambda how: 1.7 * MS if how is APART else 1.5 * MS  # noqa: E731
    runs = look_until(learner, lambda: learner._fastest is SEQUENTIAL, worse)
    assert runs < 200  # and back, if something else keeps the other core


def test_all_is_tried_again_less_and_less_often():
    learner = learn(lambda how: 2 * MS, [APART])
    looks = 0
    while learner.next_look < 5000:
        learner.took(learner.next_look, 2 * MS)
        looks += 1
    assert looks < 120


def test_a_step_that_changed_is_learned_anew_though_all_was_tried_again():
    learner = learn(lambda how: 2 * MS, [APART])
    look_until(learner, lambda: learner.wants_costs, lambda how: 50 * MS)


def test_a_cheap_step_is_never_measured_node_by_node():
    learner = Learner()
    looks = []
    while learner.next_look < 5000:
        looks.append(learner.next_look)
        assert not learner.took(learner.next_look, 4e-6)
    assert not learner.wants_costs
    assert len(looks) < 30


def test_a_long_step_is_learned_at_once():
    """Two branches that take a second each run side by side from the third run on."""
    learner, forms = Learner(), []
    for run in range(1, 6):
        forms.append(learner.parallelism)
        seconds = 1.0 if learner.parallelism is APART else 2.0
        if learner.wants_costs:
            learner.learned(run, [APART])
        elif run >= learner.next_look:
            learner.took(run, seconds)
    assert forms == [SEQUENTIAL, SEQUENTIAL, APART, APART, APART]


def test_a_long_step_is_learned_at_its_first_look_whatever_run_that_is():
    """Runs with options, traced ones for example, are counted, but not looked at."""
    learner = Learner()
    learner.took(4, 1.0)
    assert learner.wants_costs


def test_one_slow_run_is_no_reason_to_learn_anew():
    learner = learn(lambda how: 2 * MS, [])
    learner.took(learner.next_look, 50 * MS)
    learner.took(learner.next_look, 2 * MS)
    assert not learner.wants_costs
    learner.took(learner.next_look, 50 * MS)
    learner.took(learner.next_look, 50 * MS)
    assert learner.wants_costs


def test_a_session_learns(define, monkeypatch):
    """From the first run to the parallel one: the same values, and two threads at the end."""
    monkeypatch.setattr(learning, "WORTH_LEARNING", 0.0)
    monkeypatch.setattr(learning, "EXPENSIVE", 0.0)
    monkeypatch.setattr(learning, "makespan", lambda *arguments: 0.0)
    slow = define("TestSlow", "x: float -> y: float", stateful=True)
    slow.shape(shape_inference.unchanged)
    slow.kernel(lambda x: np.float32(np.sin(x)))
    x = tf.placeholder(tf.float32, [])
    y = slow(x) + slow(x + 1.0)
    expected = np.float32(np.sin(np.float32(2.0))) + np.float32(np.sin(np.float32(3.0)))
    config = tf.ConfigProto(inter_op_parallelism_threads=2, intra_op_parallelism_threads=1)
    used = []
    monkeypatch.setattr(
        learning.Learner,
        "_use",
        lambda self, how, use=Learner._use: (used.append(how), use(self, how))[1],
    )
    with tf.Session(config=config) as sess:
        assert [sess.run(y, {x: 2.0}) for _ in range(30)] == [expected] * 30
    assert any(how.side_by_side for how in used)


def test_a_traced_run_teaches_as_well(monkeypatch):
    """Whoever traces every step sees two threads from the second one on."""
    monkeypatch.setattr(learning, "EXPENSIVE", 0.0)
    monkeypatch.setattr(learning, "makespan", lambda *arguments: 0.0)
    x = tf.placeholder(tf.float32, [None])
    y = tf.sin(x) + tf.cos(x)
    used = []
    monkeypatch.setattr(
        Learner, "_use", lambda self, how, use=Learner._use: (used.append(how), use(self, how))[1]
    )
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    config = tf.ConfigProto(inter_op_parallelism_threads=2, intra_op_parallelism_threads=1)
    with tf.Session(config=config) as sess:
        sess.run(y, {x: [1.0]}, options=options, run_metadata=tf.RunMetadata())
        assert used[-1].side_by_side
        assert len(used) == 1
        found = sess.run(y, {x: [1.0]}, options=options, run_metadata=tf.RunMetadata())
    assert found == np.sin(np.float32(1.0)) + np.cos(np.float32(1.0))
