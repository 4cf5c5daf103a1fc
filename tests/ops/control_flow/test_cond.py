"""tf.cond and the contexts of its branches."""

import collections

import numpy as np
import pytest

import tinytf as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


def test_the_functions_are_called_once_each():
    calls = []

    def branch(value):
        calls.append(value)
        return tf.constant(value)

    pred = tf.placeholder(tf.bool, [])
    result = tf.cond(pred, lambda: branch(1), lambda: branch(2))
    assert calls == [1, 2]
    assert run(result, {pred: True}) == 1
    assert run(result, {pred: False}) == 2
    assert calls == [1, 2]


def test_old_names_of_the_functions():
    pred = tf.placeholder(tf.bool, [])
    result = tf.cond(pred, fn1=lambda: tf.constant(1), fn2=lambda: tf.constant(2))
    assert run(result, {pred: False}) == 2
    with pytest.raises(TypeError, match="'true_fn' and 'fn1' may not be set simultaneously"):
        tf.cond(pred, lambda: 1, lambda: 2, fn1=lambda: 1)
    with pytest.raises(TypeError, match="'false_fn' argument required"):
        tf.cond(pred, lambda: 1)


def test_structures_come_back_as_they_are():
    Point = collections.namedtuple("Point", "x y")
    pred = tf.placeholder(tf.bool, [])
    result = tf.cond(
        pred,
        lambda: Point(tf.constant(1), [tf.constant(2), {"k": tf.constant(3)}]),
        lambda: Point(tf.constant(4), [tf.constant(5), {"k": tf.constant(6)}]),
    )
    assert isinstance(result, Point)
    assert run([result.x, result.y[0], result.y[1]["k"]], {pred: False}) == [4, 5, 6]


def test_indexed_slices_of_both_branches():
    pred = tf.placeholder(tf.bool, [])
    one = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2]))
    two = tf.IndexedSlices(tf.zeros([1, 2]), tf.constant([2]), tf.constant([3, 2]))
    result = tf.cond(pred, lambda: one, lambda: two)
    assert isinstance(result, tf.IndexedSlices)
    assert run([result.indices, result.values], {pred: False})[0].tolist() == [2]


def test_operations_of_a_branch_run_only_when_it_is_taken():
    pred = tf.placeholder(tf.bool, [])
    v = tf.Variable(0, use_resource=False)
    update = tf.cond(pred, lambda: tf.assign_add(v, 1).op, tf.no_op)
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(update, {pred: False})
        assert session.run(v) == 0
        session.run(update, {pred: True})
        assert session.run(v) == 1


def test_what_is_outside_runs_in_any_case():
    pred = tf.placeholder(tf.bool, [])
    v = tf.Variable(0, use_resource=False)
    outside = tf.assign_add(v, 1)
    result = tf.cond(pred, lambda: tf.identity(outside), lambda: tf.constant(-1))
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(result, {pred: False}) == -1
        assert session.run(v) == 1


def test_operations_of_a_branch_are_not_fetchable(graph):
    inside = []

    def branch():
        inside.append(tf.constant(1, name="inside"))
        return inside[0]

    tf.cond(tf.placeholder(tf.bool, []), branch, lambda: tf.constant(2))
    assert not graph.is_fetchable(inside[0])
    with pytest.raises(ValueError, match="has been marked as not fetchable"):
        run(inside[0])


def test_the_collection_knows_the_branches(graph):
    pred = tf.placeholder(tf.bool, [])
    tf.cond(pred, lambda: tf.cond(pred, lambda: 1, lambda: 2), lambda: 3)
    outermost = graph.get_collection(tf.GraphKeys.COND_CONTEXT)
    assert [context.branch for context in outermost] == [1, 0]
    assert [context.name for context in outermost] == ["cond/cond_text", "cond/cond_text_1"]


def test_an_exception_in_a_branch_leaves_the_context(graph):
    def branch():
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        tf.cond(tf.placeholder(tf.bool, []), branch, lambda: tf.constant(1))
    after = tf.constant(1)
    assert after.op.control_inputs == []
    assert graph.is_fetchable(after)


def test_a_value_of_a_branch_used_outside_is_dead_when_the_other_is_taken():
    pred = tf.placeholder(tf.bool, [])
    inside = []

    def branch():
        inside.append(tf.constant(3))
        return inside[0]

    tf.cond(pred, branch, lambda: tf.constant(2))
    outside = tf.negative(inside[0])
    assert run(outside, {pred: True}) == -3
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have value"):
        run(outside, {pred: False})


def test_the_message_of_a_python_bool_says_what_to_do():
    with pytest.raises(TypeError, match="Python's own `if`"):
        tf.cond(True, lambda: tf.constant(1), lambda: tf.constant(2))


def test_numpy_bools_are_predicates():
    assert run(tf.cond(np.bool_(True), lambda: tf.constant(1), lambda: tf.constant(2))) == 1


def test_group_waits_for_all():
    v, w = tf.Variable(0, use_resource=False), tf.Variable(0, use_resource=False)
    both = tf.group(tf.assign(v, 1), [tf.assign(w, 2)], name="both")
    assert both.name == "both"
    assert both.type == "NoOp"
    with tf.Session() as session:
        session.run([v.initializer, w.initializer])
        assert session.run(both) is None
        assert session.run([v, w]) == [1, 2]


def test_tuple_waits_for_all():
    v = tf.Variable(0, use_resource=False)
    a, b, c = tf.tuple([tf.constant(1), None, tf.constant(2)], control_inputs=[tf.assign(v, 5)])
    assert b is None
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run([a, c]) == [1, 2]
        assert session.run(v) == 5
