"""The sequential evaluator: conditionals, loops, deadness, and what it must not do twice."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework import registry, shape_inference
from tinytf.framework.op_card import define_op
from tinytf.resources.manager import ResourceManager
from tinytf.testing.evaluator import check_value, evaluate


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def noted():
    """`note(x)` passes x on and is counted: (card, list of values it saw)."""
    seen = []
    card = define_op("TestSeen", "x: int32 -> y: int32", stateful=True)
    card.shape(shape_inference.unchanged)

    @card.kernel
    def note(x):
        seen.append(int(x))
        return x

    yield card, seen
    registry.unregister("TestSeen")


def test_values_and_operations():
    x = tf.constant([1, 2])
    assert evaluate([x, x.op])[0].tolist() == [1, 2]
    assert evaluate([x.op]) == [None]


def test_feeds_replace_computations(noted):
    note, seen = noted
    x = note(tf.constant(1))
    y = tf.add(x, 1)
    assert evaluate([y], {x: 10}) == [11]
    assert seen == []


def test_each_operation_runs_once(noted):
    note, seen = noted
    x = note(tf.constant(1))
    assert evaluate([tf.add(x, x), x, tf.add(x, 2)]) == [2, 1, 3]
    assert seen == [1]


def test_what_is_not_needed_does_not_run(noted):
    note, seen = noted
    x = tf.constant(1)
    note(x)
    evaluate([tf.add(x, 1)])
    assert seen == []


def test_control_inputs_run_first(noted, graph):
    note, seen = noted
    with graph.control_dependencies([note(tf.constant(5))]):
        y = tf.constant(1)
    evaluate([y])
    assert seen == [5]


@pytest.mark.parametrize("taken", [True, False])
def test_only_the_taken_branch_runs(noted, taken):
    note, seen = noted
    pred = tf.placeholder(tf.bool, [])
    x, y = tf.constant(1), tf.constant(2)
    result = tf.cond(pred, lambda: note(x), lambda: note(y))
    expected = 1 if taken else 2
    assert evaluate([result], {pred: taken}) == [expected]
    assert seen == [expected]


def test_a_dead_operation_without_outputs_is_dead_for_those_who_wait(noted, graph):
    """NoOp has no output that could be dead; what waits for it must not run all the same."""
    note, seen = noted
    pred = tf.placeholder(tf.bool, [])

    def branch():
        with graph.control_dependencies([tf.no_op()]):
            return note(tf.constant(1))

    result = tf.cond(pred, branch, lambda: tf.constant(2))
    assert evaluate([result], {pred: False}) == [2]
    assert seen == []


def test_a_switch_is_alive_though_one_output_is_dead(graph):
    switch = graph.create_op("Switch", [tf.constant(1), tf.constant(False)])
    with graph.control_dependencies([switch]):
        after = tf.constant(7)
    assert evaluate([after]) == [7]


def test_a_dead_fetch_is_an_error(graph):
    switch = graph.create_op("Switch", [tf.constant(1), tf.constant(False)])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Retval\[1\] does not have value"):
        evaluate([switch.outputs[0], switch.outputs[1]])


def test_merge_says_which_input_arrived(graph):
    switch = graph.create_op("Switch", [tf.constant(5), tf.constant(True)])
    merge = graph.create_op("Merge", list(switch.outputs))
    value, index = evaluate(list(merge.outputs))
    assert (value, index) == (5, 1)
    assert index.dtype == np.int32


def test_a_control_trigger_runs_though_its_input_is_dead(graph):
    switch = graph.create_op("Switch", [tf.constant(5), tf.constant(True)])
    with graph.control_dependencies([tf.identity(switch.outputs[0])]):
        trigger = graph.create_op("ControlTrigger", [])
    with graph.control_dependencies([trigger]):
        after = tf.constant(3)
    assert evaluate([after]) == [3]


def test_a_loop_runs_its_body_once_per_iteration(noted):
    note, seen = noted
    result = tf.while_loop(lambda i: tf.less(i, 4), lambda i: tf.add(note(i), 1), [tf.constant(0)])
    assert evaluate([result, tf.negative(result)]) == [4, -4]
    assert seen == [0, 1, 2, 3]


def test_a_loop_that_never_begins(noted):
    note, seen = noted
    result = tf.while_loop(lambda i: tf.less(i, 0), lambda i: tf.add(note(i), 1), [tf.constant(5)])
    assert evaluate([result]) == [5]
    assert seen == []


def test_a_loop_on_a_dead_path():
    pred = tf.placeholder(tf.bool, [])
    result = tf.cond(
        pred,
        lambda: tf.while_loop(lambda i: tf.less(i, 4), lambda i: tf.add(i, 1), [tf.constant(0)]),
        lambda: tf.constant(-1),
    )
    assert evaluate([result], {pred: False}) == [-1]
    assert evaluate([result], {pred: True}) == [4]


def test_loops_in_loops_start_afresh(noted):
    note, seen = noted

    def body(i, total):
        inner = tf.while_loop(
            lambda j: tf.less(j, i), lambda j: tf.add(note(j), 1), [tf.constant(0)]
        )
        return tf.add(i, 1), tf.add(total, inner)

    result = tf.while_loop(lambda i, t: tf.less(i, 4), body, [tf.constant(0), tf.constant(0)])
    assert evaluate(list(result)) == [4, 0 + 1 + 2 + 3]
    assert seen == [0, 0, 1, 0, 1, 2]


def test_a_cond_in_the_condition_of_a_loop():
    """Its Merge is alive in the last iteration too, and is no loop variable."""
    flag = tf.placeholder(tf.bool, [])

    def goes_on(i):
        return tf.cond(flag, lambda: tf.less(i, 3), lambda: tf.less(i, 5))

    result = tf.while_loop(goes_on, lambda i: tf.add(i, 1), [tf.constant(0)])
    assert evaluate([result], {flag: True}) == [3]
    assert evaluate([result], {flag: False}) == [5]


def test_thousands_of_iterations_need_no_deep_recursion():
    result = tf.while_loop(lambda i: tf.less(i, 3_000), lambda i: tf.add(i, 1), [tf.constant(0)])
    assert evaluate([result]) == [3_000]


def test_a_long_chain_needs_no_deep_recursion():
    x = tf.constant(0)
    for _ in range(3_000):
        x = tf.add(x, 1)
    assert evaluate([x]) == [3_000]


def test_a_fetch_inside_a_loop_is_an_error():
    inside = []

    def body(i):
        inside.append(tf.add(i, 1))
        return inside[0]

    tf.while_loop(lambda i: tf.less(i, 3), body, [tf.constant(0)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="inside a loop"):
        evaluate([inside[0]])


def test_a_cycle_is_an_error(graph):
    x = tf.add(tf.constant(1), 2)
    y = tf.add(x, 1)
    x.op._update_input(0, y)
    with pytest.raises(tf.errors.InvalidArgumentError, match="depends on itself"):
        evaluate([y])


def test_variables_live_in_the_resources():
    v = tf.Variable(1, use_resource=False)
    resources = ResourceManager()
    evaluate([v.initializer], resources=resources)
    evaluate([tf.assign_add(v, 5)], resources=resources)
    assert evaluate([v.value()], resources=resources) == [6]
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized"):
        evaluate([v.value()])


def test_an_error_names_the_operation():
    check = tf.Assert(False, ["no"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed") as error:
        evaluate([check])
    assert error.value.op is check


@pytest.mark.parametrize("wrong", [np.float64(1), np.zeros([3], np.float32)])
def test_results_are_held_to_dtype_and_shape(wrong):
    with pytest.raises(AssertionError, match="kernel gave"):
        check_value(tf.zeros([2]), wrong)
