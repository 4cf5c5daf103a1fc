"""Python's operators: for tensors, and for classes that convert to them."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.ops.base.operators import attach_operators
from tinytf.testing.evaluator import evaluate


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_all_operators():
    x, n = tf.constant([4.0, 9.0]), tf.constant([6, 7])
    cases = [
        (x + 1, [5, 10]),
        (1 + x, [5, 10]),
        (x - 1, [3, 8]),
        (1 - x, [-3, -8]),
        (x * 2, [8, 18]),
        (2 * x, [8, 18]),
        (x / 2, [2, 4.5]),
        (36 / x, [9, 4]),
        (x // 2, [2, 4]),
        (20 // x, [5, 2]),
        (x % 4, [0, 1]),
        (10 % x, [2, 1]),
        (x**2, [16, 81]),
        (2**x, [16, 512]),
        (-x, [-4, -9]),
        (abs(-x), [4, 9]),
        (n & 3, [2, 3]),
        (n | 8, [14, 15]),
        (n ^ 1, [7, 6]),
        (3 & n, [2, 3]),
        (~n, [-7, -8]),
        (x < 5, [True, False]),
        (5 > x, [True, False]),
        (x >= 9, [False, True]),
        (x <= 4, [True, False]),
        (x[1], 9),
        ((n > 6) & (x > 1), [False, True]),
        ([[1.0, 2.0]] @ tf.constant([[3.0], [4.0]]), [[11.0]]),
    ]
    for (_, wanted), value in zip(cases, evaluate([t for t, _ in cases]), strict=True):
        np.testing.assert_allclose(value, wanted)


def test_names_are_those_of_the_operators():
    x, y, b = tf.constant(1.0), tf.constant([[1.0]]), tf.constant(True)
    names = [t.op.name for t in (x + x, x - x, x * x, x / x, x // x, x % x, x**x, y @ y, -x, x < x)]
    assert names == [
        "add",
        "sub",
        "mul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "matmul",
        "Neg",
        "Less",
    ]
    assert [t.op.name for t in (b & b, b | b, ~b, b ^ b)] == ["and", "or", "LogicalNot", "xor"]


def test_an_array_on_the_left_leaves_the_work_to_the_tensor():
    x = tf.constant([3.0, 2.0])
    for result in (np.array([1.0, 2.5]) + x, np.float64(2) * x, np.ones(2) - x):
        assert isinstance(result, tf.Tensor)
        assert result.dtype == tf.float32


class Knows:
    """A class of somebody else's that can add itself to a tensor."""

    def __radd__(self, other):
        return "knows"

    def __rsub__(self, other):
        return NotImplemented


def test_the_other_side_gets_its_turn():
    x = tf.constant(1.0)
    assert x + Knows() == "knows"
    with pytest.raises((TypeError, ValueError), match="Knows"):
        x - Knows()


def test_operators_build_in_the_graph_of_the_tensor(graph):
    x = tf.constant(1.0)
    with tf.Graph().as_default():
        for result in (x + 1.0, 1.0 + x, x < 2.0, -x, x[None]):
            assert result.graph is graph


class Holder:
    """Converts to the tensor it holds, as a variable does."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.dtype = tensor.dtype


def convert_holder(value, dtype=None, name=None, as_ref=False):
    return value.tensor


tf.register_tensor_conversion_function(Holder, convert_holder)
attach_operators(Holder)


def test_operators_of_a_class_that_converts():
    x = Holder(tf.constant([1.0, 2.0]))
    results = [x + 1.0, 1.0 - x, x * x, tf.constant(3.0) + x, -x, x < 2.0, x[1], abs(x), x**2.0]
    assert all(isinstance(result, tf.Tensor) for result in results)
    np.testing.assert_array_equal(evaluate([results[1]])[0], [0.0, -1.0])
    np.testing.assert_array_equal(evaluate([results[3]])[0], [4.0, 5.0])
