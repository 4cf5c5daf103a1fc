"""Loops that span tasks: see tinytf/distributed/master/loop_parts.py."""

import numpy as np
import pytest

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster
from tests.distributed.master.partition_programs import MASTER, OTHER, PS
from tinytf.framework.errors import InvalidArgumentError


@pytest.fixture
def cluster():
    with FakeCluster(ps=1, worker=2) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(cluster, fetches, feeds=None):
    """Initialise, and run one step on worker:0.

    Soft placement: a stack is asked for where the gradient is, and has to be where its values are.
    """
    config = tf.ConfigProto(operation_timeout_in_ms=30_000, allow_soft_placement=True)
    with tf.Session(cluster.target("worker"), config=config) as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def on_one_task(fetches, feeds=None):
    """The same in this process, without regard to devices."""
    graph = tf.get_default_graph()
    definition = graph.as_graph_def()
    for node in definition.node:
        node.device = ""
    with tf.Graph().as_default():
        names = [tensor.name for tensor in fetches]
        values = tf.import_graph_def(definition, return_elements=names, name="")
        with tf.Session() as session:
            return session.run(values, {t.name: value for t, value in (feeds or {}).items()})


def scattered_loop(turns, parallel_iterations=10):
    """[the number of turns, x after them], of x -> 2 x + i, from 1, each on a task of its own."""

    def body(i, x):
        with tf.device(PS):
            x = x * 2
        with tf.device(OTHER):
            x = x + i
        with tf.device(MASTER):
            return i + 1, x

    with tf.device(MASTER):
        return list(
            tf.while_loop(
                lambda i, x: i < turns,
                body,
                [tf.constant(0), tf.constant(1)],
                parallel_iterations=parallel_iterations,
            )
        )


@pytest.mark.parametrize("parallel_iterations", [1, 3, 10])
@pytest.mark.parametrize("turns", [0, 1, 20])
def test_a_loop(cluster, turns, parallel_iterations):
    expected = 1
    for i in range(turns):
        expected = 2 * expected + i
    assert run(cluster, scattered_loop(turns, parallel_iterations)) == [turns, expected]


def test_a_loop_on_a_path_not_taken(cluster):
    p = tf.placeholder(tf.bool, [])
    result = tf.cond(p, lambda: scattered_loop(3)[1], lambda: tf.constant(-1))
    assert run(cluster, result, {p: True}) == 12
    assert run(cluster, result, {p: False}) == -1


def test_a_loop_whose_condition_is_elsewhere(cluster):
    def condition(i, x):
        with tf.device(OTHER):
            return tf.logical_and(i < 10, x < 100)

    with tf.device(PS):
        i, x = tf.while_loop(condition, lambda i, x: (i + 1, x * 3), [tf.constant(0), 1])
    with tf.device(MASTER):
        assert run(cluster, [i + 0, x + 0]) == [5, 243]


def test_loops_in_loops_that_are_not_always_entered(cluster):
    def inner(j, x):
        with tf.device(OTHER):
            return j + 1, x + j

    def outer(i, x):
        with tf.device(PS):
            x = x + 1

        def more():
            return tf.while_loop(lambda j, x: j < i, inner, [tf.constant(0), x])[1]

        with tf.device(MASTER):
            return i + 1, tf.cond(i % 2 > 0, more, lambda: x * 2)

    with tf.device(MASTER):
        fetches = list(tf.while_loop(lambda i, x: i < 6, outer, [tf.constant(0), tf.constant(1)]))
    assert run(cluster, fetches) == on_one_task(fetches)


def test_what_is_the_same_in_all_iterations_crosses_once(cluster):
    with tf.device(PS):
        w = tf.constant(np.arange(32, dtype=np.float32))

    def body(i, x):
        with tf.device(OTHER):
            x = x + w
        with tf.device(MASTER):
            return i + 1, x + w

    with tf.device(MASTER):
        _, x = tf.while_loop(lambda i, x: i < 7, body, [tf.constant(0), tf.zeros([32])])
    assert run(cluster, x).tolist() == [14.0 * i for i in range(32)]
    assert cluster.methods("worker:1", "ps:0").count("RecvTensor") == 1
    assert cluster.methods("worker:0", "ps:0").count("RecvTensor") == 1


def test_gradients_of_loops(cluster):
    """What the loop pushes on stacks stays there, and comes back for the gradient."""
    with tf.device(PS):
        w = tf.get_variable("w", initializer=[0.5, 0.25], use_resource=True)
        b = tf.get_variable("b", initializer=[0.1, 0.2], use_resource=False)

    def body(i, x):
        with tf.device(PS):
            x = x * w
        with tf.device(OTHER):
            return i + 1, tf.sin(x) + b

    with tf.device(MASTER):
        _, x = tf.while_loop(lambda i, x: i < 4, body, [tf.constant(0), tf.ones([2])])
        fetches = [x, *tf.gradients(x, [w, b._ref()])]
    found = run(cluster, fetches)
    w, b, x, slope_w, slope_b = np.array([0.5, 0.25]), np.array([0.1, 0.2]), 1.0, 0.0, 0.0
    for _ in range(4):
        inside = np.cos(x * w)
        slope_w, slope_b = inside * (x + w * slope_w), inside * w * slope_b + 1
        x = np.sin(x * w) + b
    for value, expected in zip(found, (x, slope_w, slope_b), strict=True):
        assert value == pytest.approx(expected, rel=1e-5)


def test_tensor_arrays_and_maps(cluster):
    def function(x):
        with tf.device(OTHER):
            return tf.square(x) + 1.0

    with tf.device(PS):
        elements = tf.constant(np.arange(6, dtype=np.float32)) * 2.0
    with tf.device(MASTER):
        mapped = tf.map_fn(function, elements)
        fetches = [mapped, *tf.gradients(mapped, elements)]
    for value, expected in zip(run(cluster, fetches), on_one_task(fetches), strict=True):
        assert value.tolist() == expected.tolist()


def test_variables_change_in_loops(cluster):
    with tf.device(PS):
        v = tf.get_variable("v", initializer=1.0, use_resource=True)

    def body(i):
        with tf.device(MASTER):
            change = v.assign_add(tf.cast(i, tf.float32), read_value=False)
        with tf.control_dependencies([change]), tf.device(OTHER):
            return i + 1

    with tf.device(MASTER):
        turns = tf.while_loop(lambda i: i < 5, body, [tf.constant(0)])
    with tf.control_dependencies([turns]):
        value = v.read_value()
    assert run(cluster, value) == 11


def test_errors_in_loops_end_the_step_everywhere(cluster):
    def body(i):
        with tf.device(PS):
            divided = tf.floordiv(12, 3 - i, name="divided")
        with tf.device(OTHER):
            return i + 1 + 0 * divided

    with tf.device(MASTER):
        turns = tf.while_loop(lambda i: i < 5, body, [tf.constant(0)])
    with pytest.raises(InvalidArgumentError, match="division by zero") as caught:
        run(cluster, turns)
    assert caught.value.op.name == "while/divided"
    assert run(cluster, scattered_loop(3)) == [3, 12]


def test_a_loop_without_a_mark_of_its_condition_stays_on_its_task(cluster):
    """Of a graph that was written by hand."""
    turns = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [tf.constant(0)])
    definition = tf.get_default_graph().as_graph_def()
    for node in definition.node:
        if node.op == "LoopCond":
            node.op = "Identity"
            node.attr["T"].type = tf.bool.as_datatype_enum
        if node.op == "AddV2":
            node.device = PS
    with tf.Graph().as_default():
        [turns] = tf.import_graph_def(definition, return_elements=[turns.name], name="")
        with pytest.raises(InvalidArgumentError, match="must have a pivot predicate"):
            run(cluster, turns)
