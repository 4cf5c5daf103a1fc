"""The checker must believe right gradients and catch wrong ones, and say where they are."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework import registry, shape_inference
from tinytf.framework.op_card import OpCard
from tinytf.framework.op_def import make_op_def
from tinytf.ops.math.arithmetic import multiply
from tinytf.testing.gradient_checker import check_gradients, gradient_mismatches


@pytest.fixture
def cube():
    """An op that does not stay registered: x * x * x, whose gradient each test chooses."""
    name = "CubeForTheChecker"
    op_def = make_op_def(name, "x: T -> y: T", "T: {float, double}")
    registry.op_defs.register(name, op_def)
    card = OpCard(op_def)
    card.shape(shape_inference.unchanged)
    card.kernel(lambda x: x * x * x)
    yield card
    for table in (registry.op_defs, registry.shape_functions, registry.gradients):
        table._entries.pop(name, None)
    registry._kernels.pop(name)


def scaled_gradient(factor):
    def gradient(op, dy):
        x = op.inputs[0]
        return multiply(dy, multiply(multiply(x, x), tf.constant(3.0 * factor, x.dtype)))

    return gradient


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


POINT = [np.array([[0.3, -1.2, 2.0], [0.7, -0.4, 1.1]])]


def test_believes_a_right_gradient(cube):
    cube.gradient(scaled_gradient(1.0))
    x = tf.placeholder(tf.float64, [2, 3])
    check_gradients(cube(x), [x], POINT)


@pytest.mark.parametrize("error", [1e-3, -1e-3, 1.0, -1.0])
def test_catches_a_gradient_that_is_wrong_by_a_thousandth(cube, error):
    cube.gradient(scaled_gradient(1.0 + error))
    x = tf.placeholder(tf.float64, [2, 3], name="x")
    found = gradient_mismatches(cube(x, name="cube"), [x], POINT)
    assert [m.index for m in found] == [(i, j) for i in range(2) for j in range(3)]


def test_says_which_op_input_and_element(cube):
    def wrong_in_one_place(op, dy):
        mask = tf.constant([[1.0, 1.0, 1.0], [1.0, 1.001, 1.0]], tf.float64)
        return multiply(scaled_gradient(1.0)(op, dy), mask)

    cube.gradient(wrong_in_one_place)
    x = tf.placeholder(tf.float64, [2, 3], name="x")
    with pytest.raises(AssertionError) as caught:
        check_gradients(cube(x, name="cube"), x, POINT)
    text = str(caught.value)
    assert "d cube (CubeForTheChecker) / d x:0[1, 1]: got" in text
    assert text.count(" / d ") == 1
    [mismatch] = gradient_mismatches(cube(x), x, POINT)
    assert mismatch.got == pytest.approx(1.001 * mismatch.wanted, rel=1e-6)


def test_catches_a_gradient_that_is_missing(cube):
    cube.gradient(lambda op, dy: None)
    x = tf.placeholder(tf.float64, [2, 3])
    found = gradient_mismatches(cube(x), [x], POINT)
    assert len(found) == 6
    assert {m.got for m in found} == {0.0}


def test_catches_a_gradient_of_another_shape(cube):
    cube.gradient(lambda op, dy: tf.constant([1.0], tf.float64))
    x = tf.placeholder(tf.float64)
    [mismatch] = gradient_mismatches(cube(x), [x], POINT)
    assert (mismatch.got, mismatch.wanted) == ("shape (1,)", "shape (2, 3)")


def test_catches_exchanged_gradients():
    @tf.RegisterGradient("ExchangedForTheChecker")
    def exchanged(op, dy):
        x, y = op.inputs
        return multiply(dy, x), multiply(dy, y)

    try:
        x, y = (tf.placeholder(tf.float64, [2], name=n) for n in "xy")
        with tf.get_default_graph().gradient_override_map({"Mul": "ExchangedForTheChecker"}):
            product = multiply(x, y)
        found = gradient_mismatches(product, [x, y], [[1.0, 2.0], [3.0, 5.0]])
        assert [(m.input, m.index) for m in found] == [
            ("x:0", (0,)),
            ("x:0", (1,)),
            ("y:0", (0,)),
            ("y:0", (1,)),
        ]
        check_gradients(multiply(x, y), [x, y], [[1.0, 2.0], [3.0, 5.0]])
    finally:
        registry.gradients._entries.pop("ExchangedForTheChecker")


def test_several_outputs_and_sparse_gradients():
    x = tf.placeholder(tf.float64, [3, 2])
    point = [np.arange(6.0).reshape(3, 2)]
    check_gradients([multiply(x, x), tf.gather(x, [0, 2, 0])], x, point)
    check_gradients(tf.gather(x, [0, 2, 0]), x, point)


def test_runs_in_a_session():
    x = tf.placeholder(tf.float64, [2, 3])
    y = multiply(x, x)
    with tf.Session() as session:
        check_gradients(y, x, POINT, run=lambda fetches, feeds: session.run(fetches, feeds))


def test_refuses_single_precision():
    x = tf.placeholder(tf.float32, [2])
    with pytest.raises(TypeError, match="Identity:0 is float32"):
        check_gradients(tf.identity(x), x, [[1.0, 2.0]])


def test_complex_numbers():
    x = tf.placeholder(tf.complex128, [2])
    check_gradients(multiply(x, x), x, [[1.0 + 2.0j, -0.5 + 0.3j]])
