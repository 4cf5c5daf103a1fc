"""Comparisons, logic and choosing, against numpy; what the recordings cannot show."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tinytf as tf
from tests.effort import examples
from tinytf.testing.evaluator import evaluate
from tinytf.testing.gradient_checker import check_gradients


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@given(
    data=st.data(), shapes=hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3)
)
@examples(40)
def test_where_v2_broadcasts_like_numpy(data, shapes):
    condition, x, y = shapes.input_shapes
    values = [
        data.draw(hnp.arrays(bool, condition)),
        data.draw(hnp.arrays(np.int32, x)),
        data.draw(hnp.arrays(np.int32, y)),
    ]
    with tf.Graph().as_default():
        inputs = [tf.placeholder(v.dtype, v.shape) for v in values]
        chosen = tf.where_v2(*inputs)
        (value,) = evaluate([chosen], dict(zip(inputs, values, strict=True)))
    assert chosen.shape.as_list() == list(shapes.result_shape)
    np.testing.assert_array_equal(value, np.where(*values), strict=True)


@given(data=st.data(), shape=hnp.array_shapes(min_dims=1, max_dims=3, max_side=4))
@examples(40)
def test_where_finds_what_is_not_zero(data, shape):
    x = data.draw(hnp.arrays(np.int32, shape, elements=st.integers(0, 1)))
    with tf.Graph().as_default():
        (places,) = evaluate([tf.where(tf.constant(x))])
    assert places.dtype == np.int64
    assert places.shape == (np.count_nonzero(x), x.ndim)
    assert all(x[tuple(place)] for place in places)


def test_gradients_of_where():
    mask = tf.constant([[True, False], [False, True]])
    x, y = tf.placeholder(tf.float64, [2, 2]), tf.placeholder(tf.float64, [2, 2])
    point = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]
    check_gradients(tf.where(mask, x * y, y), [x, y], point)
    z = tf.placeholder(tf.float64, [2])
    check_gradients(tf.where_v2(mask, x, z), [x, z], [point[0], [9.0, 10.0]])


def test_python_asks_for_the_same_tensor():
    x = tf.constant(1.0)
    assert x == x
    assert x != tf.constant(1.0)
    assert len({x, x}) == 1


def test_a_choice_by_a_scalar_gives_the_whole_tensor():
    condition = tf.placeholder(tf.bool)
    x, y = tf.constant([1, 2]), tf.constant([3, 4])
    chosen = tf.where(condition, x, y)
    assert evaluate([chosen], {condition: False})[0].tolist() == [3, 4]
    assert evaluate([chosen], {condition: [True, False]})[0].tolist() == [1, 4]
