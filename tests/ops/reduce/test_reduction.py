"""Reductions against numpy on many shapes and axes; their gradients."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tinytf as tf
from tests.effort import examples
from tinytf.framework import errors
from tinytf.testing.evaluator import evaluate
from tinytf.testing.gradient_checker import check_gradients

REDUCTIONS = {
    "reduce_sum": np.sum,
    "reduce_mean": np.mean,
    "reduce_prod": np.prod,
    "reduce_max": np.max,
    "reduce_min": np.min,
}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def axes_of(rank):
    """None, one axis, or several, counted from either end."""
    if rank == 0:
        return st.sampled_from([None, []])
    one = st.integers(-rank, rank - 1)
    several = st.sets(st.integers(0, rank - 1)).flatmap(
        lambda chosen: st.tuples(
            *[st.sampled_from([axis, axis - rank]) for axis in sorted(chosen)]
        ).map(list)
    )
    return st.one_of(st.none(), one, several)


@given(data=st.data(), shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=3))
@examples(80)
def test_reductions_are_numpys(data, shape):
    name = data.draw(st.sampled_from(sorted(REDUCTIONS)))
    x = data.draw(hnp.arrays(np.float64, shape, elements=st.integers(-5, 5)))
    axis, keep = data.draw(axes_of(len(shape))), data.draw(st.booleans())
    numpys_axis = tuple(axis) if isinstance(axis, list) else axis
    wanted = REDUCTIONS[name](x, axis=numpys_axis, keepdims=keep)
    with tf.Graph().as_default():
        known, fed = tf.constant(x), tf.placeholder(tf.float64)
        results = [getattr(tf, name)(t, axis, keepdims=keep) for t in (known, fed)]
        values = evaluate(results, {fed: x})
    assert results[0].shape.as_list() == list(wanted.shape)
    for value in values:
        np.testing.assert_allclose(value, wanted)
        assert np.shape(value) == wanted.shape


@given(data=st.data(), shape=hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3))
@examples(25)
def test_gradients_are_right_for_any_axes(data, shape):
    name = data.draw(st.sampled_from(sorted(REDUCTIONS)))
    count = int(np.prod(shape))
    # All different, so that the extremes have no ties; in any order, one of them zero.
    x = np.array(data.draw(st.permutations(range(count))), float).reshape(shape)
    axis, keep = data.draw(axes_of(len(shape))), data.draw(st.booleans())
    static = data.draw(st.sampled_from([shape, [None] * len(shape), None]))
    with tf.Graph().as_default():
        t = tf.placeholder(tf.float64, static)
        y = getattr(tf, name)(t, axis, keepdims=keep)
        check_gradients(y, t, [x], atol=1e-4)


@given(
    data=st.data(),
    shape=hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3),
    exclusive=st.booleans(),
    reverse=st.booleans(),
)
@examples(40)
def test_running_sums_add_up(data, shape, exclusive, reverse):
    x = data.draw(hnp.arrays(np.int64, shape, elements=st.integers(-5, 5)))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    with tf.Graph().as_default():
        (value,) = evaluate([tf.cumsum(x, axis, exclusive=exclusive, reverse=reverse)])
    wanted = np.flip(x, axis) if reverse else x
    wanted = np.cumsum(wanted, axis) - (wanted if exclusive else 0)
    np.testing.assert_array_equal(value, np.flip(wanted, axis) if reverse else wanted)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize(("exclusive", "reverse"), [(False, False), (True, False), (True, True)])
def test_gradients_of_scans(name, exclusive, reverse):
    x = tf.placeholder(tf.float64, [2, 3])
    y = getattr(tf, name)(x, 1, exclusive, reverse)
    check_gradients(y, x, [[[1.0, 2.0, 3.0], [4.0, 0.5, 2.0]]])


def test_gradients_of_products_with_zeros():
    x = tf.placeholder(tf.float64, [3, 3])
    point = [[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [1.0, 2.0, 3.0]]
    check_gradients(tf.reduce_prod(x, 1), x, [point])


def test_gradients_of_logsumexp_and_segments():
    x = tf.placeholder(tf.float64, [3, 2])
    point = [[[1.0, 2.0], [3.0, -1.0], [0.0, 0.5]]]
    check_gradients(tf.reduce_logsumexp(x, 1), x, point)
    check_gradients(tf.unsorted_segment_sum(x, [0, 2, 0], 3), x, point)
    check_gradients(tf.unsorted_segment_sum(x, [0, -1, 1], 2), x, point)


def test_ties_share_the_gradient():
    x = tf.constant([2.0, 1.0, 2.0])
    (gradient,) = evaluate(tf.gradients(tf.reduce_max(x), x))
    np.testing.assert_array_equal(gradient, [0.5, 0.0, 0.5])


def test_a_fed_axis_out_of_range_is_named():
    axis = tf.placeholder(tf.int32)
    total = tf.reduce_sum(tf.ones([2, 2]), axis)
    with pytest.raises(
        errors.InvalidArgumentError,
        match=r"Invalid reduction dimension \(5 for input with 2 dimension\(s\)",
    ):
        evaluate([total], {axis: [0, 5]})


def test_nodes_that_work_out_repeats_are_made_once_a_graph(graph):
    x = tf.constant(np.ones([2, 3]))
    for _ in range(2):
        tf.gradients(tf.reduce_sum(x, 1), x)
    made = [op for op in graph.get_operations() if op.type == "FloorDiv"]
    assert len(made) == 1


def test_a_range_is_known_while_the_graph_is_built():
    limit = tf.size(tf.zeros([4]))
    assert tf.range(limit).shape.as_list() == [4]
    assert tf.zeros(tf.range(3)).shape.as_list() == [0, 1, 2]


def test_a_range_of_other_types_says_what_it_takes():
    with pytest.raises(TypeError, match=r"int32, int64, float32, float64, got uint8"):
        tf.range(tf.constant(3, tf.uint8))


def test_segments_of_other_sizes_are_refused():
    ids = tf.placeholder(tf.int32)
    total = tf.unsorted_segment_sum(tf.ones([3]), ids, 2)
    with pytest.raises(errors.InvalidArgumentError, match="does not start with"):
        evaluate([total], {ids: [0, 1]})


def test_stitching_says_which_piece_does_not_fit():
    index = tf.placeholder(tf.int32)
    merged = tf.dynamic_stitch([[0], index], [[1.0], tf.constant([2.0])])
    with pytest.raises(errors.InvalidArgumentError, match=r"data\[1\]\.shape = \[1\]"):
        evaluate([merged], {index: [1, 2]})
