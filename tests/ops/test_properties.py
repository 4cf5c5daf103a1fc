"""Slices, broadcasting, reductions: on random arrays what numpy gives, however it is run."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tinytf as tf
from tests.effort import examples
from tests.ops.agreeing import agree, arrays, floats, shapes

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # numpy's means of nothing
few = examples(60)


# Slices ---------------------------------------------------------------------------------------


@st.composite
def brackets(draw, shape):
    """What may stand between brackets: numbers, ranges, new axes, an ellipsis at most."""
    spec = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        if size and draw(st.booleans()):
            spec.append(draw(st.integers(-size, size - 1)))
        else:
            bound = st.none() | st.integers(-size - 2, size + 2)
            step = st.none() | st.integers(-3, 3).filter(bool)
            spec.append(slice(draw(bound), draw(bound), draw(step)))
    for _ in range(draw(st.integers(0, 2))):
        spec.insert(draw(st.integers(0, len(spec))), None)
    if draw(st.booleans()):
        if len([entry for entry in spec if entry is not None]) < len(shape) or draw(st.booleans()):
            # numpy's rest is at the end; with an ellipsis what follows it counts from there.
            spec.append(Ellipsis)
        else:
            spec.insert(draw(st.integers(0, len(spec))), Ellipsis)
    return tuple(spec)


@given(st.data())
def test_slices(data):
    x = data.draw(arrays(shapes(max_dims=4)))
    spec = data.draw(brackets(x.shape))
    agree(data, lambda t: t[spec], [x], x[spec])


@few
@given(st.data())
def test_gradients_of_slices(data):
    """Ones where an element was chosen: the opposite of the slice."""
    x = data.draw(floats(shapes(max_dims=3)))
    spec = data.draw(brackets(x.shape))
    expected = np.zeros_like(x)
    expected[spec] = 1
    agree(data, lambda t: tf.gradients(t[spec], t)[0], [x], expected)


@few
@given(st.data(), st.booleans())
def test_slices_of_variables_are_assigned(data, use_resource):
    x = data.draw(arrays(shapes(max_dims=3)))
    spec = data.draw(brackets(x.shape))
    part = x[spec]
    ones = data.draw(st.lists(st.booleans(), min_size=part.ndim, max_size=part.ndim))
    value = data.draw(arrays(tuple(1 if one else n for one, n in zip(ones, part.shape))))
    expected = x.copy()
    expected[spec] = value
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(x, use_resource=use_resource)
        session.run(v.initializer)
        session.run(v[spec].assign(value))
        np.testing.assert_array_equal(session.run(v), expected)


@given(st.data())
def test_blocks(data):
    x = data.draw(arrays(shapes(min_dims=1)))
    begin = np.array([data.draw(st.integers(0, size)) for size in x.shape], np.int32)
    size = [data.draw(st.integers(-1, n - b)) for n, b in zip(x.shape, begin)]
    index = tuple(slice(b, None if n == -1 else b + n) for b, n in zip(begin, size))
    y = np.array(size, np.int32)
    agree(data, tf.slice, [x, begin, y], x[index])


@given(st.data())
def test_padding(data):
    x = data.draw(arrays(shapes(min_dims=1, max_dims=3, min_side=2)))
    pads = data.draw(arrays((x.ndim, 2), np.int32, 0, 1))
    agree(data, tf.pad, [x, pads], np.pad(x, pads))
    for mode in ("REFLECT", "SYMMETRIC"):
        agree(data, lambda t, p, m=mode: tf.pad(t, p, m), [x, pads], np.pad(x, pads, mode.lower()))


# Broadcasting ---------------------------------------------------------------------------------

PAIRS = {
    tf.add: np.add,
    tf.subtract: np.subtract,
    tf.multiply: np.multiply,
    tf.maximum: np.maximum,
    tf.minimum: np.minimum,
    tf.less: np.less,
    tf.equal: np.equal,
    tf.squared_difference: lambda x, y: (x - y) ** 2,
}


@given(st.data(), st.sampled_from(sorted(PAIRS, key=lambda f: f.__name__)))
def test_broadcasting(data, function):
    first, second = data.draw(
        hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, min_side=0, max_side=4)
    ).input_shapes
    x, y = data.draw(arrays(first)), data.draw(arrays(second))
    agree(data, function, [x, y], PAIRS[function](x, y))


@few
@given(st.data())
def test_choosing_with_broadcasting(data):
    sizes = data.draw(
        hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, min_side=0, max_side=3)
    ).input_shapes
    condition = data.draw(hnp.arrays(bool, sizes[0]))
    x, y = data.draw(arrays(sizes[1])), data.draw(arrays(sizes[2]))
    agree(data, tf.where_v2, [condition, x, y], np.where(condition, x, y))


@given(st.data())
def test_shapes_that_are_broadcast(data):
    both = data.draw(
        hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, min_side=0, max_side=4)
    )
    first, second = both.input_shapes
    result = np.array(both.result_shape, np.int32)
    vectors = [np.array(first, np.int32), np.array(second, np.int32)]
    agree(data, tf.broadcast_dynamic_shape, vectors, result)
    static = tf.broadcast_static_shape(tf.TensorShape(first), tf.TensorShape(second))
    assert static.as_list() == list(both.result_shape)
    x = data.draw(arrays(first))
    agree(data, tf.broadcast_to, [x, result], np.broadcast_to(x, both.result_shape))


@few
@given(st.data())
def test_shapes_that_cannot_be_broadcast(data):
    first, second = data.draw(shapes(1)), data.draw(shapes(1))
    try:
        np.broadcast_shapes(first, second)
    except ValueError:
        pass
    else:
        assume(False)
    x, y = np.zeros(first), np.zeros(second)
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(ValueError, match="Dimensions must be equal"):
            tf.add(x, y)
        a, b = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
            session.run(tf.add(a, b), {a: x, b: y})


@few
@given(st.data())
def test_gradients_of_broadcasting(data):
    """An input's gradient has its shape, and as many ones as the input was repeated."""
    both = data.draw(
        hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=1, max_side=3)
    )
    x, y = (data.draw(floats(shape)) for shape in both.input_shapes)
    times = np.prod(both.result_shape, dtype=int)
    expected = [np.full(v.shape, times / v.size) for v in (x, y)]
    agree(data, lambda a, b: tf.gradients(a + b, [a, b]), [x, y], expected)


# Reductions -----------------------------------------------------------------------------------


@st.composite
def some_axes(draw, rank):
    """None, or different axes, some of them counted from the end."""
    if draw(st.booleans()):
        return None
    axes = draw(st.lists(st.integers(0, max(rank - 1, 0)), unique=True, max_size=rank))
    return [axis - rank if draw(st.booleans()) else axis for axis in axes]


def numpy_axes(axes):
    return None if axes is None else tuple(axes)


REDUCTIONS = {
    tf.reduce_sum: np.sum,
    tf.reduce_prod: np.prod,
    tf.reduce_max: lambda x, axis, keepdims: np.max(
        x, axis=axis, keepdims=keepdims, initial=np.iinfo(np.int64).min
    ),
    tf.reduce_min: lambda x, axis, keepdims: np.min(
        x, axis=axis, keepdims=keepdims, initial=np.iinfo(np.int64).max
    ),
}


@given(st.data(), st.sampled_from(sorted(REDUCTIONS, key=lambda f: f.__name__)), st.booleans())
def test_reductions(data, function, keepdims):
    x = data.draw(arrays())
    axes = data.draw(some_axes(x.ndim))
    expected = REDUCTIONS[function](x, axis=numpy_axes(axes), keepdims=keepdims)
    agree(data, lambda t: function(t, axes, keepdims), [x], expected)


@given(st.data(), st.sampled_from([tf.reduce_all, tf.reduce_any]), st.booleans())
def test_reductions_of_truth(data, function, keepdims):
    x = data.draw(hnp.arrays(bool, shapes()))
    axes = data.draw(some_axes(x.ndim))
    reduce = np.all if function is tf.reduce_all else np.any
    expected = reduce(x, axis=numpy_axes(axes), keepdims=keepdims)
    agree(data, lambda t: function(t, axes, keepdims), [x], expected)


FRACTIONS = {
    tf.reduce_mean: np.mean,
    tf.math.reduce_variance: np.var,
    tf.math.reduce_std: np.std,
    tf.math.reduce_euclidean_norm: lambda x, axis, keepdims: np.sqrt(
        np.sum(x * x, axis=axis, keepdims=keepdims)
    ),
    tf.reduce_logsumexp: lambda x, axis, keepdims: np.log(
        np.sum(np.exp(x), axis=axis, keepdims=keepdims)
    ),
}


@given(st.data(), st.sampled_from(sorted(FRACTIONS, key=lambda f: f.__name__)), st.booleans())
def test_reductions_that_round(data, function, keepdims):
    x = data.draw(floats())
    axes = data.draw(some_axes(x.ndim))
    expected = FRACTIONS[function](x, axis=numpy_axes(axes), keepdims=keepdims)
    agree(data, lambda t: function(t, axes, keepdims), [x], expected, exact=False)


@given(st.data(), st.sampled_from([tf.argmax, tf.argmin]))
def test_extreme_places(data, function):
    x = data.draw(arrays(shapes(min_dims=1, min_side=1)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    find = np.argmax if function is tf.argmax else np.argmin
    agree(data, lambda t: function(t, axis), [x], find(x, axis))


@given(st.data(), st.sampled_from([tf.cumsum, tf.cumprod]), st.booleans(), st.booleans())
def test_running_totals(data, function, exclusive, reverse):
    x = data.draw(arrays(shapes(min_dims=1)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    total, neutral = (np.cumsum, 0) if function is tf.cumsum else (np.cumprod, 1)
    rows = np.moveaxis(x[...], axis, 0)
    rows = rows[::-1] if reverse else rows
    if exclusive:
        rows = np.concatenate([np.full((1, *rows.shape[1:]), neutral, x.dtype), rows])[: len(rows)]
    expected = total(rows, 0)
    expected = np.moveaxis(expected[::-1] if reverse else expected, 0, axis)
    agree(data, lambda t: function(t, axis, exclusive, reverse), [x], expected)


@few
@given(st.data())
def test_gradients_of_sums_and_extremes(data):
    x = data.draw(floats(shapes(min_side=1, max_dims=3)))
    axes = data.draw(some_axes(x.ndim))
    agree(data, lambda t: tf.gradients(tf.reduce_sum(t, axes), t)[0], [x], np.ones_like(x))
    largest = np.max(x, axis=numpy_axes(axes), keepdims=True)
    chosen = x == largest
    shares = chosen / np.sum(chosen, axis=numpy_axes(axes), keepdims=True)
    agree(data, lambda t: tf.gradients(tf.reduce_max(t, axes), t)[0], [x], shares, exact=False)
