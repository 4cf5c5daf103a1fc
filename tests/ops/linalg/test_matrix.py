"""Products of matrices against numpy; their gradients."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tests.effort import examples
from tinytf.framework import errors
from tinytf.testing.evaluator import evaluate
from tinytf.testing.gradient_checker import check_gradients


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def matrix(*shape, dtype=np.float64):
    values = np.random.default_rng(0).integers(-4, 5, shape).astype(dtype)
    return values * (1 + 0.5j) if np.issubdtype(dtype, np.complexfloating) else values


sizes = st.integers(0, 4)


@given(rows=sizes, inner=sizes, columns=sizes, turn_a=st.booleans(), turn_b=st.booleans())
@examples(50)
def test_products_are_numpys(rows, inner, columns, turn_a, turn_b):
    a = matrix(*((inner, rows) if turn_a else (rows, inner)))
    b = matrix(*((columns, inner) if turn_b else (inner, columns)))
    with tf.Graph().as_default():
        c = tf.matmul(a, b, turn_a, turn_b)
        assert c.shape.as_list() == [rows, columns]
        (value,) = evaluate([c])
    np.testing.assert_array_equal(value, (a.T if turn_a else a) @ (b.T if turn_b else b))


@given(
    batches=st.sampled_from([((), ()), ((2,), (2,)), ((2,), ()), ((3, 1), (2,)), ((1,), (4,))]),
    known=st.booleans(),
)
@examples(20)
def test_batches_broadcast_like_numpy(batches, known):
    first, second = (*batches[0], 2, 3), (*batches[1], 3, 2)
    a, b = matrix(*first), matrix(*second)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, first if known else None)
        y = tf.placeholder(tf.float64, second if known else None)
        (value,) = evaluate([tf.matmul(x, y)], {x: a, y: b})
        np.testing.assert_array_equal(value, a @ b)
        check_gradients(tf.matmul(x, y), [x, y], [a, b])


@pytest.mark.parametrize("turn_b", [False, True])
@pytest.mark.parametrize("turn_a", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_gradients(dtype, turn_a, turn_b):
    a = matrix(*((3, 2) if turn_a else (2, 3)), dtype=dtype)
    b = matrix(*((4, 3) if turn_b else (3, 4)), dtype=dtype)
    x, y = tf.placeholder(dtype, a.shape), tf.placeholder(dtype, b.shape)
    check_gradients(tf.matmul(x, y, turn_a, turn_b), [x, y], [a, b])
    adjoint = tf.matmul(x, y, adjoint_a=turn_a, adjoint_b=turn_b)
    check_gradients(adjoint, [x, y], [a, b])


def test_ranks_choose_the_op():
    flat, batch = tf.ones([2, 2]), tf.ones([3, 2, 2])
    assert tf.matmul(flat, flat).op.type == "MatMul"
    assert tf.matmul(batch, flat).op.type == "BatchMatMulV2"
    assert tf.matmul(tf.placeholder(tf.float32), flat).op.type == "BatchMatMulV2"


def test_short_floats_are_summed_in_long_ones():
    row = tf.fill([1, 4096], tf.constant(1.0, tf.bfloat16))
    (value,) = evaluate([tf.matmul(row, row, transpose_b=True)])
    assert float(value[0, 0]) == 4096.0  # in bfloat16 itself, adding 1 stops at 256


def test_an_error_in_a_run_gives_both_shapes():
    x = tf.placeholder(tf.float32)
    y = tf.placeholder(tf.float32)
    product = tf.matmul(x, y, transpose_a=True)
    with pytest.raises(
        errors.InvalidArgumentError, match=r"In\[0\]: \[2,3\], In\[1\]: \[3,2\] 1 0"
    ):
        evaluate([product], {x: np.ones([2, 3]), y: np.ones([3, 2])})
