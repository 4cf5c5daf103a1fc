"""Python's brackets against numpy, on random shapes and indices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tinytf.ops.array.strided_slice import Masks, resolve
from tinytf.testing.evaluator import evaluate


@st.composite
def arrays_and_indices(draw):
    """An array, and indices for it that numpy and TensorFlow both take."""
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    indices, ellipsis = [], False
    dims = list(shape[: draw(st.integers(0, len(shape)))])
    for size in dims:
        while draw(st.integers(0, 3)) == 0:
            indices.append(None)
        if size and draw(st.booleans()):
            indices.append(draw(st.integers(-size, size - 1)))
        else:
            end = st.none() | st.integers(-6, 6)
            step = draw(st.none() | st.integers(-3, 3).filter(bool))
            indices.append(slice(draw(end), draw(end), step))
    if draw(st.booleans()):
        ellipsis = draw(st.integers(0, len(indices)))
        # What follows "..." counts from the end: only whole dimensions can.
        indices = [*indices[:ellipsis], Ellipsis]
    return np.arange(np.prod(shape, dtype=int)).reshape(shape), tuple(indices)


@given(arrays_and_indices(), st.lists(st.booleans(), min_size=4, max_size=4))
def test_brackets_are_numpys(case, hide):
    x, indices = case
    wanted = x[indices]
    with tf.Graph().as_default():
        known = tf.constant(x)[indices]
        static = [None if flag else size for size, flag in zip(x.shape, hide)]
        fed = tf.placeholder(tf.int64, static)
        part = fed[indices]
        values = evaluate([known, part], {fed: x})
    assert known.shape.as_list() == list(wanted.shape)
    for value in values:
        np.testing.assert_array_equal(value, wanted)


@given(arrays_and_indices())
def test_the_gradient_of_brackets_puts_ones_where_they_picked(case):
    x, indices = case
    wanted = np.zeros(x.shape)
    wanted[indices] = 1
    with tf.Graph().as_default():
        fed = tf.placeholder(tf.float64)
        (gradient,) = tf.gradients(fed[indices], fed)
        value = evaluate([gradient], {fed: x})[0]
    np.testing.assert_array_equal(value, wanted)


@given(st.data(), st.lists(st.integers(0, 4), min_size=1, max_size=3))
def test_slice_is_numpys(data, shape):
    x = np.arange(np.prod(shape)).reshape(shape)
    begin = [data.draw(st.integers(0, size)) for size in shape]
    size = [data.draw(st.integers(-1, n - b)) for n, b in zip(shape, begin)]
    index = tuple(slice(b, None if s == -1 else b + s) for b, s in zip(begin, size))
    with tf.Graph().as_default():
        fed = tf.placeholder(tf.int32, [None])
        results = [tf.slice(x, begin, size), tf.slice(x, fed, size), tf.slice(x, begin, fed)]
        values = evaluate(results[:2], {fed: begin}) + evaluate(results[2:], {fed: size})
    for value in values:
        np.testing.assert_array_equal(value, x[index])


@given(st.data(), st.lists(st.integers(0, 3), max_size=3))
def test_pad_is_numpys(data, shape):
    pairs = [[data.draw(st.integers(0, 2)) for _ in range(2)] for _ in shape]
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    paddings = np.array(pairs, np.int32).reshape(-1, 2)
    with tf.Graph().as_default():
        values = evaluate([tf.pad(x, paddings), tf.pad(x, paddings, constant_values=7)])
    for value, filler in zip(values, (0, 7)):
        np.testing.assert_array_equal(
            value, np.pad(x, pairs, constant_values=filler) if pairs else x
        )


def test_unknown_bounds_leave_only_what_they_cover_unknown():
    masks = Masks(begin=2, end=2, ellipsis=0, new_axis=4, shrink_axis=8)
    found = resolve([5, 6, 7], None, None, [1, 1, 1, 1], masks)
    assert found.sizes == (None, 6, 1)


def test_an_index_that_is_a_tensor_of_another_graph_is_refused():
    with tf.Graph().as_default():
        index = tf.constant(0)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="same graph"):
        tf.zeros([3])[index]


def test_a_mask_picks_the_elements_where_it_is_true():
    with tf.Graph().as_default():
        x = tf.constant([1, 2, 3])
        assert evaluate([x[x > 1]])[0].tolist() == [2, 3]
