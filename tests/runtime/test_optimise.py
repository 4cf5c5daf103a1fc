"""Optimising a step: each optimisation on its own, what they leave alone, and random graphs."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tests.effort import examples
from tests.runtime.conftest import run
from tinytf.runtime.compiler import compile_plan
from tinytf.runtime.optimise import NO_PASSES, Passes, optimise
from tinytf.runtime.preparation import CompileRequest
from tinytf.runtime.pruning import prune
from tinytf.testing.evaluator import evaluate

ALL = Passes()


def optimised(fetches, targets=(), feeds=(), passes=ALL):
    """The optimised graph of a step: names -> operations, and what was done."""
    roots = [t.op for t in fetches] + list(targets)
    graph = optimise(prune(roots, frozenset(feeds)), feeds, fetches, targets, passes)
    return {op.name: op for op in graph.ops}, graph.changes


def types(fetches, **how):
    ops, _ = optimised(fetches, **how)
    return sorted(op.type for op in ops.values())


@pytest.fixture
def x():
    return tf.placeholder(tf.float32, [2, 3], name="x")


# Constant folding ---------------------------------------------------------------------------------


def test_what_depends_on_constants_becomes_a_constant(fresh_graph):
    y = tf.matmul(tf.fill([2, 2], 3.0), tf.ones([2, 2])) * 2.0
    ops, changes = optimised([y])
    assert list(ops) == [y.op.name]
    assert ops[y.op.name].attrs["value"].tolist() == [[12, 12], [12, 12]]
    assert {change.by for change in changes} == {"constant folding"}
    assert y.op.type == "Mul"  # the user's graph is as it was


def test_a_static_shape_needs_no_value(x):
    assert types([tf.shape(tf.tanh(x))]) == ["Const"]
    assert types([tf.size(x) + tf.rank(x)]) == ["Const"]


def test_outputs_of_one_operation_become_constants_of_their_own(x):
    a, b = tf.split(tf.constant([1.0, 2.0]), 2)
    ops, _ = optimised([tf.add(x, a * b, name="sum")])
    assert sorted(op.type for op in ops.values()) == ["AddV2", "Const", "Placeholder"]


def test_large_constants_are_not_kept(fresh_graph):
    assert "Fill" in types([tf.tanh(tf.fill([1000, 1000], 1.0))])
    assert "Fill" not in types([tf.tanh(tf.fill([10, 10], 1.0))])


def test_large_constants_are_not_even_computed(fresh_graph):
    y = tf.tanh(tf.ones([4096, 4096]))  # 64 MiB; in a branch it may never be wanted
    tracemalloc.start()
    try:
        optimised([y])
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


def test_what_is_too_large_is_not_even_computed():
    huge = tf.fill([10**6, 10**6], 1.0)  # four terabytes
    assert types([tf.shape(tf.tanh(huge))]) == ["Const"]
    with tf.Session() as session:
        assert session.run(tf.shape(tf.tanh(huge))).tolist() == [10**6, 10**6]


def test_an_error_stays_one(fresh_graph):
    y = tf.gather([1, 2], tf.constant(5))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(y)
    assert caught.value.op is y.op


def test_random_numbers_are_no_constants(fresh_graph):
    y = tf.random_uniform([])
    with tf.Session() as session:
        assert session.run(y) != session.run(y)


def test_a_constant_in_a_branch_stays_in_it(fresh_graph):
    p = tf.placeholder(tf.bool, [])
    result = tf.cond(p, lambda: tf.constant(1) + 2, lambda: tf.constant(3) * 4)
    for value, expected in ((True, 3), (False, 12)):
        assert run([result], {p: np.bool_(value)}, passes=ALL) == [expected]


@pytest.mark.parametrize(
    ("first", "second", "folded"),
    [
        ([None, 300], [300], ([], [0])),
        ([None, 1], [None, 7], None),
        ([None, 3], [3, 3], None),
        ([2, 1], [2, 5], ([1], [])),
        ([1, 1], [1, 1], ([0, 1], [0, 1])),
    ],
)
def test_axes_of_a_broadcast(fresh_graph, first, second, folded):
    shapes = [tf.shape(tf.placeholder(tf.float32, shape)) for shape in (first, second)]
    op = fresh_graph.create_op("BroadcastGradientArgs", shapes, attrs={})
    y = [tf.identity(t) for t in op.outputs]
    ops, _ = optimised(y)
    values = [ops[t.op.name] for t in y]
    if folded is None:
        assert "BroadcastGradientArgs" in {o.type for o in ops.values()}
    else:
        assert [v.attrs["value"].tolist() for v in values] == list(folded)


# Arithmetic ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x + 0.0,
        lambda x: 0.0 + x,
        lambda x: x - 0.0,
        lambda x: x * 1.0,
        lambda x: x / 1.0,
        lambda x: x**1.0,
        lambda x: tf.negative(-x),
        lambda x: tf.identity(x),
        lambda x: tf.transpose(tf.transpose(x)),
        lambda x: tf.reshape(x, [2, 3]),
        lambda x: tf.stop_gradient(x),
        lambda x: tf.tile(x, [1, 1]),
        lambda x: tf.pad(x, [[0, 0], [0, 0]]),
        lambda x: tf.reduce_sum(x, []),
        lambda x: x + tf.zeros([2, 3]),
        lambda x: tf.transpose(x, [0, 1]),
    ],
)
def test_identities(x, build):
    """tanh(f(x)) is tanh(x), and the value is the same."""
    y = tf.tanh(build(x))
    ops, changes = optimised([y])
    assert ops[y.op.name].inputs[0].op.type == "Placeholder"
    assert changes
    value = np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5
    [expected] = run([y], {x: value})
    np.testing.assert_array_equal(run([y], {x: value}, passes=ALL)[0], expected)


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x + 1.0,
        lambda x: 0.0 - x,
        lambda x: x * 2.0,
        lambda x: 1.0 / x,
        lambda x: x + tf.zeros([4, 2, 3]),
        lambda x: x + tf.placeholder_with_default(tf.zeros([4, 1]), [None, 1]),  # does not fit
        lambda x: tf.transpose(x, [1, 0]),
        lambda x: x**3.0,
        lambda x: tf.reshape(x, [3, 2]),
        lambda x: tf.reduce_sum(x, [0]),
    ],
)
def test_no_identities(x, build):
    y = tf.tanh(build(x))
    ops, _ = optimised([y])
    assert ops[y.op.name].inputs[0].op.type != "Placeholder"


def test_powers_become_cheaper(x):
    assert "Square" in types([tf.tanh(x**2.0)])
    assert "Sqrt" in types([tf.tanh(x**0.5)])
    assert "Pow" in types([tf.tanh(x**2.5)])


def test_what_is_fetched_keeps_its_name(x):
    y = tf.identity(x, name="y")
    ops, _ = optimised([y])
    assert ops["y"].type == "Identity"


def test_reading_a_variable_is_no_identity(fresh_graph):
    v = tf.Variable(1.0, use_resource=False)
    before = tf.identity(v)
    product = before * 1.0  # a value, made before the assignment
    with tf.control_dependencies([product]):
        later = tf.assign(v, 2.0)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run([before, product, later]) == [2.0, 1.0, 2.0]


# Common subexpressions ----------------------------------------------------------------------------


def test_the_same_is_computed_once(x):
    y = (tf.tanh(x) + 1.0) * (tf.tanh(x) + 1.0) - tf.add(1.0, tf.tanh(x))
    assert types([y]) == ["AddV2", "Const", "Mul", "Placeholder", "Sub", "Tanh"]


def test_what_differs_stays_apart(x):
    y = tf.reduce_sum(x, 0, keepdims=True) + tf.reduce_sum(x, 0)
    assert types([y]).count("Sum") == 2
    z = tf.random_uniform([]) - tf.random_uniform([])
    assert types([z]).count("RandomUniform") == 2
    with tf.control_dependencies([tf.no_op()]):
        waits = tf.tanh(x)
    assert (
        types([waits - tf.tanh(x)], passes=Passes(dependency_optimization=False)).count("Tanh") == 2
    )


# Dead code ----------------------------------------------------------------------------------------


def test_what_is_only_waited_for_is_not_computed(x):
    both = tf.tuple([tf.tanh(x), tf.matmul(x, x, transpose_b=True)])
    assert "MatMul" not in types([both[0]])
    assert types([both[0]], passes=NO_PASSES).count("MatMul") == 1


def test_what_does_something_runs(x):
    v = tf.Variable(0.0)
    with tf.control_dependencies([tf.assign_add(v, 1.0), tf.Assert(True, [x])]):
        y = tf.identity(x)
    ops = types([y])
    assert "AssignAddVariableOp" in ops or "AssignAdd" in ops
    assert "Assert" in ops


def test_order_stays_when_a_link_of_the_chain_goes(fresh_graph):
    """b waits for a value computed from a's: without that value b still comes after a."""
    v = tf.Variable(1.0, use_resource=True)
    assign = tf.assign(v, 5.0)
    with tf.control_dependencies([assign * 2.0]):
        read = v.read_value()
    with tf.Session() as session:
        for _ in range(5):
            session.run(v.initializer)
            assert session.run(read) == 5.0


def test_targets_run(x):
    ops, _ = optimised([], targets=[tf.tanh(x, name="wanted").op])
    assert ops["wanted"].type == "Tanh"


# Switches -----------------------------------------------------------------------------------------


def test_each_has_its_switch():
    config = tf.ConfigProto()
    assert Passes.of(config) == Passes(min_graph_nodes=4)
    config.graph_options.rewrite_options.arithmetic_optimization = 2  # OFF
    assert Passes.of(config) == Passes(arithmetic_optimization=False, min_graph_nodes=4)
    config.graph_options.rewrite_options.min_graph_nodes = -1
    assert Passes.of(config) == Passes(arithmetic_optimization=False, min_graph_nodes=-1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    assert Passes.of(config) == NO_PASSES
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    assert Passes.of(config) == NO_PASSES


@pytest.mark.parametrize(
    "name",
    [
        "constant_folding",
        "arithmetic_optimization",
        "common_subgraph_elimination",
        "dependency_optimization",
    ],
)
def test_what_is_switched_off_is_not_done(x, name):
    y = tf.tuple(
        [tf.tanh(tf.identity(x)) + tf.sin(x) * tf.sin(x) + tf.constant(1.0) * 2.0, tf.sin(x)]
    )[0]
    _, changes = optimised([y], passes=Passes(**{name: False}))
    words = {
        "constant_folding": "constant folding",
        "arithmetic_optimization": "arithmetic",
        "common_subgraph_elimination": "common subexpressions",
        "dependency_optimization": "dead code",
    }
    assert {c.by for c in changes} == set(words.values()) - {words[name]}


# Fusion -------------------------------------------------------------------------------------------


def written_over(fetches, feeds=(), passes=ALL):
    """Which operations write over which tensor."""
    plan = compile_plan(CompileRequest(list(feeds), fetches, [], None, passes=passes))
    return {c.op: c.what.removeprefix("writes over ") for c in plan.changes if c.by == "fusion"}


def test_a_layer_needs_one_array():
    x = tf.placeholder(tf.float32, [None, 3])
    product = tf.matmul(x, tf.placeholder(tf.float32, [3, 4]))
    total = tf.nn.bias_add(product, tf.placeholder(tf.float32, [4]))
    y = tf.tanh(tf.nn.relu(total))
    feeds = [
        t
        for op in tf.get_default_graph().get_operations()
        for t in op.outputs
        if op.type == "Placeholder"
    ]
    over = written_over([y], feeds)
    assert over == {"BiasAdd": product.name, "Relu": total.name, "Tanh": "Relu:0"}
    assert written_over([y], feeds) == over
    assert written_over([tf.negative(y)], feeds, Passes(remapping=False)) == {}


@pytest.mark.parametrize(
    "build",
    [
        lambda x, s: tf.negative(x),  # x is a feed
        lambda x, s: tf.negative(s) + tf.reshape(s, [6])[0],  # s has a view
        lambda x, s: tf.negative(s[0]) * tf.tanh(s),  # smaller than its operand
        lambda x, s: tf.cast(tf.less(s, 0.0), tf.float32),  # another type
        lambda x, s: tf.stack([tf.identity(s)]) + tf.negative(s),
    ],
)
def test_what_may_not_be_written_over(build):
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    s = tf.add(x, 1.0, name="s")
    y = tf.identity(build(x, s))
    assert not {"x:0", "s:0"} & set(written_over([y], [x]).values())


def test_sizes_that_only_look_equal():
    """Two unknown sizes may differ: one of them may be 1, and be broadcast."""
    x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 3])
    result = tf.add(tf.tanh(x), y)
    assert written_over([tf.identity(result)], [x, y]) == {}
    one, two = np.ones([1, 3], np.float32), np.ones([2, 3], np.float32)
    assert run([result], {x: one, y: two}, passes=ALL)[0].shape == (2, 3)


# Random graphs ------------------------------------------------------------------------------------


class Builder:
    """Random programs of what optimisations look for; `draw` makes every choice."""

    def __init__(self, draw):
        self._draw = draw

    def pick(self, values):
        return values[self._draw(st.integers(0, len(values) - 1))]

    def block(self, inputs, depth, size):
        values = list(inputs)
        for _ in range(self._draw(st.integers(1, size))):
            kind, a, b = self._draw(st.integers(0, 12)), self.pick(values), self.pick(values)
            if kind == 0 and depth:
                values.append(self.conditional(values, depth - 1))
            elif kind == 1 and depth:
                values.append(self.loop(values, depth - 1))
            elif kind == 2:
                with tf.control_dependencies([b]):
                    values.append(self.pick([tf.identity, tf.negative])(a))
            elif kind == 3:
                values += tf.tuple([a, b + 1])
            elif kind == 4:
                values.append(tf.constant(self._draw(st.integers(-2, 2))))
            elif kind == 5:
                values += tf.unstack(tf.stack([a, b]))
            elif kind == 6:
                values.append(tf.reduce_sum(tf.reshape(tf.fill([2, 2], a), [-1])))
            else:
                operator = self.pick([tf.add, tf.subtract, tf.maximum, tf.multiply])
                values.append(operator(a, self.pick([b, 0, 1])))
        return values

    def conditional(self, values, depth):
        return tf.cond(
            tf.less(self.pick(values), self.pick([0, self.pick(values)])),
            lambda: self.block(values, depth, 3)[-1],
            lambda: self.block(values, depth, 3)[-1],
        )

    def loop(self, values, depth):
        def body(i, a):
            return i + 1, tf.maximum(tf.minimum(self.block([a, *values], depth, 3)[-1], 99), -99)

        turns = self._draw(st.integers(0, 3))
        return tf.while_loop(lambda i, a: i < turns, body, [0, self.pick(values)])[1]


class ArrayBuilder(Builder):
    """Random programs of arrays: element by element, and views of them."""

    def block(self, inputs, depth, size):
        values = list(inputs)
        for _ in range(self._draw(st.integers(1, size))):
            kind, a, b = self._draw(st.integers(0, 8)), self.pick(values), self.pick(values)
            if kind == 0:
                values.append(tf.reshape(tf.reshape(a, [-1]), [-1, 3]))
            elif kind == 1:
                values.append(a[::-1])
            elif kind == 2:
                values.append(tf.concat([a[:1], a[1:]], 0))
            elif kind == 3:
                values.append(tf.matmul(a, tf.constant(np.eye(3)[::-1])))
            elif kind == 4:
                values.append(self.pick([tf.negative, tf.square, tf.nn.relu, tf.identity])(a))
            else:
                operator = self.pick([tf.add, tf.subtract, tf.maximum, tf.multiply])
                values.append(operator(a, self.pick([b, 2.0, b[:1], tf.ones([3], tf.float64)])))
        return values


@examples(100)
@given(data=st.data())
def test_random_graphs_give_what_the_evaluator_gives(data):
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
        values = Builder(data.draw).block([x, y], depth=2, size=8)
        fetches = values[-4:]
        feeds = {x: np.int32(data.draw(st.integers(-5, 5))), y: np.int32(3)}
        expected = [int(v) for v in evaluate(fetches, feeds)]
        passes = Passes(*(data.draw(st.booleans()) for _ in range(5)))
        assert [int(v) for v in run(fetches, feeds, passes=passes)] == expected
        assert [int(v) for v in run(fetches, feeds, passes=ALL)] == expected


@examples(100)
@given(data=st.data())
def test_random_arrays_are_what_they_are_without_optimisations(data):
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float64, [None, 3]), tf.placeholder(tf.float64, [4, 3])
        values = ArrayBuilder(data.draw).block([x, y], depth=0, size=12)
        fetches = [
            values[i]
            for i in data.draw(st.sets(st.integers(-4, -1), min_size=1))
            if -i <= len(values)
        ]
        fetches = fetches or values[-1:]
        fed = np.arange(24, dtype=np.float64).reshape(2, 4, 3) % 5 - 2
        fed.flags.writeable = False
        feeds = {x: fed[0], y: fed[1]}
        expected = run(fetches, feeds)
        for _ in range(2):
            for got, wanted in zip(run(fetches, feeds, passes=ALL), expected):
                np.testing.assert_array_equal(got, wanted)


def test_a_long_chain_of_tensors_of_an_unknown_size(fresh_graph):
    """The sizes of what is written over are derived from those before, however many."""
    y = x = tf.placeholder(tf.float32, [None, 2])
    for _ in range(3000):
        y = y + 1.0
    with tf.Session() as session:
        assert session.run(y, {x: [[0.0, 1.0]]}).tolist() == [[3000.0, 3001.0]]
