"""tf.gradients: which graph it builds around the gradients of single ops."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework import registry
from tinytf.framework.indexed_slices import IndexedSlicesValue
from tinytf.ops.gradients.aggregation import add_gradients
from tinytf.ops.gradients.registered import gradient_function, is_trainable


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def registered():
    """Registers gradients for one test only."""
    names = []

    def register(name, function):
        names.append(name)
        return tf.RegisterGradient(name)(function)

    yield register
    for name in names:
        registry.gradients._entries.pop(name, None)


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def names_under(graph, scope):
    return [op.name for op in graph.get_operations() if op.name.startswith(scope)]


def test_names_follow_the_ops(graph):
    x = tf.constant([[1.0, 2.0]], name="x")
    w = tf.constant([[1.0], [2.0]], name="w")
    tf.gradients(tf.matmul(x, w, name="product"), [x, w])
    assert names_under(graph, "gradients") == [
        "gradients/Shape",
        "gradients/grad_ys_0/Const",
        "gradients/grad_ys_0",
        "gradients/product_grad/MatMul",
        "gradients/product_grad/MatMul_1",
    ]


def test_values():
    x = tf.constant(3.0)
    assert run(tf.gradients(x * x * x, x)) == [27.0]
    assert run(tf.gradients([x * x, x * 2.0], x)) == [8.0]
    assert run(tf.gradients(x * x, x, grad_ys=10.0)) == [60.0]
    y = tf.constant(5.0)
    assert run(tf.gradients(x * y, [x, y])) == [5.0, 3.0]


def test_what_does_not_depend_is_none():
    x, y = tf.constant(3.0), tf.constant(1.0)
    assert tf.gradients(x * 2.0, y) == [None]
    assert tf.gradients(tf.cast(x, tf.int32), x) == [None]
    assert tf.gradients(tf.shape(tf.fill([2], x)), x) == [None]
    assert tf.gradients([], x) == [None]
    assert run(tf.gradients(x, y, unconnected_gradients="zero")) == [0.0]
    assert run(tf.gradients(x, y, unconnected_gradients=tf.UnconnectedGradients.ZERO)) == [0.0]


def test_only_the_part_between_is_walked(graph, registered):
    def refuse(op, gradient):
        raise AssertionError("this op is not between x and y")

    registered("Refuse", refuse)
    x = tf.constant(2.0)
    with graph.gradient_override_map({"Identity": "Refuse"}):
        before = tf.identity(x)
        y = before * before
        tf.identity(y)
        aside = tf.identity(tf.constant(1.0))
    assert run(tf.gradients(y * aside, before)) == [4.0]


def test_an_op_waits_for_all_its_consumers(graph, registered):
    calls = []

    def noting(op, gradient):
        calls.append(op.name)
        return gradient

    registered("Noting", noting)
    x = tf.constant(2.0)
    with graph.gradient_override_map({"Identity": "Noting"}):
        a = tf.identity(x, name="a")
        b = tf.identity(a, name="b")
        c = tf.identity(b, name="c")
    [gradient] = tf.gradients(a + b + c, x)
    assert calls == ["c", "b", "a"]
    assert run(gradient) == 3.0


def test_stop_gradients():
    x = tf.constant(2.0)
    y = x * x
    z = y * x
    assert run(tf.gradients(z, x)) == [12.0]
    assert run(tf.gradients(z, [x, y], stop_gradients=y)) == [4.0, 2.0]
    assert run(tf.gradients(tf.stop_gradient(y) * x, x)) == [4.0]
    v = tf.Variable(1.0, use_resource=True)
    assert tf.gradients(v * x, v, stop_gradients=[v * 1.0]) is not None


def test_missing_outputs_get_zeros(registered):
    received = []

    def noting(op, *gradients):
        received.extend(gradients)
        return tf.stack(gradients)

    x = tf.constant([1.0, 2.0])
    with tf.get_default_graph().gradient_override_map({"Unpack": "NotingUnpack"}):
        registered("NotingUnpack", noting)
        first, _ = tf.unstack(x)
    [gradient] = tf.gradients(first * 3.0, x)
    assert run(gradient).tolist() == [3.0, 0.0]
    assert received[1].op.type == "ZerosLike"


def test_gradients_of_ops_that_are_not_differentiable_stop():
    x = tf.constant([1.0, 2.0])
    assert tf.gradients(tf.cast(tf.size(x), tf.float32), x) == [None]


def test_an_op_without_a_gradient(graph):
    x = tf.constant(1.0)
    with graph.gradient_override_map({"Identity": "Missing"}):
        y = tf.identity(x, name="y")
    with pytest.raises(LookupError) as caught:
        tf.gradients(y, x)
    text = str(caught.value)
    assert "gradient registry has no entry for: Missing" in text
    assert "No gradient defined for operation 'y' (op type: Identity)" in text
    assert "test_gradients.py" in text


def test_a_registered_gradient_overrides(graph, registered):
    tenfold = registered("Tenfold", lambda op, gradient: gradient * 10.0)
    x = tf.constant(1.0)
    with graph.gradient_override_map({"Identity": "Tenfold"}):
        y = tf.identity(x)
    assert y.op.get_attr("_gradient_op_type") == b"Tenfold"
    assert gradient_function(y.op) is tenfold
    assert run(tf.gradients(y, x)) == [10.0]


def test_registering_twice_or_wrongly():
    with pytest.raises(KeyError, match="Identity"):
        tf.RegisterGradient("Identity")(lambda op, gradient: gradient)
    with pytest.raises(TypeError):
        tf.RegisterGradient(3)
    with pytest.raises(KeyError):
        tf.NotDifferentiable("Identity")
    with pytest.raises(TypeError):
        tf.NoGradient(3)
    try:
        tf.NotDifferentiable("NobodyHasThis")
        assert isinstance(registry.gradients.get("NobodyHasThis"), registry.NotDifferentiable)
    finally:
        registry.gradients._entries.pop("NobodyHasThis")


def test_a_gradient_function_must_fit(graph, registered):
    registered("TooMany", lambda op, gradient: [gradient, gradient])
    registered("WrongShape", lambda op, gradient: tf.zeros([3]))
    x = tf.constant([1.0, 2.0])
    with graph.gradient_override_map({"Identity": "TooMany"}):
        y = tf.identity(x)
    with pytest.raises(ValueError, match="Num gradients 2 generated for op Identity"):
        tf.gradients(y, x)
    with graph.gradient_override_map({"Identity": "WrongShape"}):
        y = tf.identity(x)
    with pytest.raises(ValueError, match="Incompatible shapes between op input and calculated"):
        tf.gradients(y, x)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"grad_ys": [1.0, 2.0]}, "Length mismatch. Passed 2 grad_ys for 1 ys"),
        ({"unconnected_gradients": "some"}, "Unknown value for unconnected_gradients: 'some'"),
        ({"aggregation_method": 9}, "Invalid `aggregation_method` specified 9"),
    ],
)
def test_bad_arguments(arguments, message):
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match=message):
        tf.gradients(x * 2.0, x, **arguments)


def test_given_gradients_of_a_wrong_type():
    x = tf.constant(1.0)
    with pytest.raises(TypeError, match="real or integer"):
        tf.gradients(x * 2.0, x, grad_ys=tf.constant(1.0 + 0j))
    with pytest.raises(TypeError, match="must be numeric"):
        tf.gradients(tf.constant("a"), x, grad_ys=tf.constant("b"))
    with pytest.raises(TypeError, match="must set grad_ys"):
        tf.gradients(tf.constant(1.0j), x)


@pytest.mark.parametrize("method", [0, 1, 2])
def test_ways_to_add(method):
    x = tf.constant(2.0)
    y = x * 1.0 + x * 2.0 + x * 3.0
    [gradient] = tf.gradients(y, x, aggregation_method=method)
    assert run(gradient) == 6.0
    assert (gradient.op.name == "gradients/AddN") is (method == 0)


def test_sums_are_made_where_the_summands_are():
    with tf.device("/gpu:1"):
        x = tf.constant(2.0, name="x")
        y = x * x
    [gradient] = tf.gradients(y, x, colocate_gradients_with_ops=True)
    assert gradient.op.type == "AddN"
    assert gradient.device == "/device:GPU:1"


def test_sparse_gradients_are_joined():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    y = tf.gather(x, [0, 2, 0]) * 2.0
    z = tf.gather(x, tf.constant([1], tf.int64))
    [sparse] = tf.gradients([y, z], x)
    assert isinstance(sparse, tf.IndexedSlices)
    assert sparse.indices.dtype == tf.int64
    assert (sparse.dtype, sparse.shape.as_list()) == (tf.float32, [3, 2])
    value, dense = run([sparse, tf.convert_to_tensor(sparse)])
    assert isinstance(value, IndexedSlicesValue)
    assert sorted(value.indices.tolist()) == [0, 0, 1, 2]
    assert dense.tolist() == [[4.0, 4.0], [1.0, 1.0], [2.0, 2.0]]


def test_a_dense_summand_makes_the_sum_dense():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    [gradient] = tf.gradients([tf.gather(x, [1]), x * 3.0], x)
    assert run(gradient).tolist() == [[3.0, 3.0], [4.0, 4.0]]


def test_slices_without_a_shape_stay_slices():
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))
    assert slices.shape.ndims is None
    with pytest.raises(ValueError, match="without dense_shape"):
        tf.convert_to_tensor(slices)
    with pytest.raises(ValueError, match="Incompatible tensor conversion"):
        tf.convert_to_tensor(slices, tf.int32)
    assert tf.convert_to_tensor_or_indexed_slices(slices) is slices
    assert slices.consumers() == []
    assert run((-slices).values).tolist() == [[-1.0]]


def test_a_gradient_that_is_no_tensor():
    with pytest.raises(TypeError, match="Invalid gradient 3 at somewhere"):
        add_gradients([3], "somewhere", 0)


@pytest.mark.parametrize("use_resource", [False, True])
def test_variables(use_resource):
    v = tf.Variable([1.0, 2.0], use_resource=use_resource)
    w = tf.Variable([1.0, 2.0], use_resource=use_resource)
    [of_v, of_w] = tf.gradients(v * v + 3.0 * v, [v, w])
    assert of_w is None
    assert run(of_v).tolist() == [5.0, 7.0]
    zeros = tf.gradients(v * 1.0, w, unconnected_gradients="zero")
    assert run(zeros)[0].tolist() == [0.0, 0.0]
    assert tf.gradients(v, v)[0].shape.as_list() == [2]


def test_it_builds_in_the_graph_of_its_arguments(graph):
    with tf.Graph().as_default() as other:
        x = tf.constant(2.0)
        y = x * x
    [gradient] = tf.gradients(y, x)
    assert gradient.graph is other
    assert graph.get_operations() == []


def test_a_deep_graph():
    x = tf.constant(1.0)
    y = x
    for _ in range(3000):
        y = tf.identity(y)
    assert run(tf.gradients(y, x)) == [1.0]


def test_gated_gradients():
    x, y = tf.constant(2.0), tf.constant(3.0)
    found = tf.gradients(x * y, [x, y], gate_gradients=True)
    gates = {op for gradient in found for op in gradient.op.control_inputs}
    assert [gate.type for gate in gates] == ["NoOp"]
    assert run(found) == [3.0, 2.0]


def test_inside_a_loop_initial_values_have_no_gradients():
    start = tf.constant(1.0)

    def body(i, total):
        with pytest.raises(ValueError, match="Cannot compute gradient inside while loop"):
            tf.gradients(total * 2.0, start)
        return i + 1, total * 2.0

    tf.while_loop(lambda i, _: i < 3, body, [tf.constant(0), start])


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("float32", True),
        ("complex128", True),
        ("bfloat16", True),
        ("int32", False),
        ("bool", False),
    ],
)
def test_which_types_have_derivatives(dtype, expected):
    assert is_trainable(tf.zeros([1], dtype)) is expected


def test_higher_derivatives():
    x = tf.constant(2.0)
    y = x * x * x * x
    wanted = [32.0, 48.0, 48.0, 24.0]
    for value in wanted:
        [y] = tf.gradients(y, x)
        assert run(y) == value


def test_numpy_values_as_given_gradients():
    x = tf.placeholder(tf.float32, [None])
    [gradient] = tf.gradients(x * 2.0, x, grad_ys=np.array([1.0, 3.0], np.float32))
    with tf.Session() as session:
        assert session.run(gradient, {x: [0.0, 0.0]}).tolist() == [2.0, 6.0]
