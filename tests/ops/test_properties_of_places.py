"""Elements picked, placed, moved and sorted: on random arrays what numpy gives, and back again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tinytf as tf
from tests.effort import examples
from tests.ops.agreeing import agree, arrays, floats, shapes

pytestmark = pytest.mark.slow

few = examples(60)


# Gathering ------------------------------------------------------------------------------------


@st.composite
def indices_below(draw, limit, shape=None, dtype=np.int32):
    """Integers from 0 to `limit` - 1; none if there are none."""
    sizes = draw(shapes(max_dims=2, max_side=3)) if shape is None else shape
    if not limit:
        sizes = (0,) * max(len(sizes), 1)
    return draw(hnp.arrays(dtype, sizes, elements=st.integers(0, max(limit - 1, 0))))


@given(st.data())
def test_gather(data):
    x = data.draw(arrays(shapes(min_dims=1)))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    indices = data.draw(indices_below(x.shape[axis]))
    agree(data, lambda t, i: tf.gather(t, i, axis=axis), [x, indices], np.take(x, indices, axis))


@given(st.data())
def test_gather_in_batches(data):
    x = data.draw(arrays(shapes(min_dims=2, min_side=1, max_side=3)))
    batch = data.draw(st.integers(1, x.ndim - 1))
    axis = data.draw(st.integers(batch, x.ndim - 1))
    rest = data.draw(shapes(max_dims=2, max_side=2))
    indices = data.draw(indices_below(x.shape[axis], x.shape[:batch] + rest))
    expected = np.empty(x.shape[:axis] + rest + x.shape[axis + 1 :], x.dtype)
    for place in np.ndindex(*x.shape[:batch]):
        expected[place] = np.take(x[place], indices[place], axis - batch)
    agree(data, lambda t, i: tf.gather(t, i, axis=axis, batch_dims=batch), [x, indices], expected)


@st.composite
def coordinates(draw, shape, min_dims=0):
    """Lists of coordinates of an array, or of its slices: [..., depth]."""
    depth = draw(st.integers(1, len(shape)))
    outer = draw(shapes(min_dims=min_dims, max_dims=2, max_side=4))
    if 0 in shape:
        outer = (0,)
    columns = [draw(indices_below(size, outer)).reshape(outer) for size in shape[:depth]]
    return np.stack(columns, axis=-1)


@given(st.data())
def test_gather_nd(data):
    x = data.draw(arrays(shapes(min_dims=1)))
    where = data.draw(coordinates(x.shape))
    agree(data, tf.gather_nd, [x, where], x[tuple(np.moveaxis(where, -1, 0))])


# Scattering -----------------------------------------------------------------------------------

SCATTERS = {
    tf.tensor_scatter_nd_add: np.add,
    tf.tensor_scatter_nd_sub: np.subtract,
    tf.tensor_scatter_nd_min: np.minimum,
    tf.tensor_scatter_nd_max: np.maximum,
}


@given(st.data())
def test_scatter(data):
    shape = data.draw(shapes(min_dims=1, min_side=1, max_dims=3))
    where = data.draw(coordinates(shape, 1).filter(lambda array: array.size))
    values = data.draw(arrays(where.shape[:-1] + shape[where.shape[-1] :]))
    index, sizes = tuple(np.moveaxis(where, -1, 0)), np.array(shape, np.int32)
    expected = np.zeros(shape, values.dtype)
    np.add.at(expected, index, values)
    agree(data, tf.scatter_nd, [where, values, sizes], expected)
    x = data.draw(arrays(shape))
    for function, ufunc in SCATTERS.items():
        expected = x.copy()
        ufunc.at(expected, index, values)
        agree(data, function, [x, where, values], expected)
    expected = x.copy()
    for place in np.ndindex(*where.shape[:-1]):  # one after another: the last one stays
        expected[tuple(where[place])] = values[place]
    agree(data, tf.tensor_scatter_nd_update, [x, where, values], expected)


@few
@given(st.data())
def test_gradients_of_gather_and_scatter_are_each_other(data):
    x = data.draw(floats(shapes(min_dims=1, max_dims=3, min_side=1)))
    where = data.draw(coordinates(x.shape, 1).filter(lambda array: array.size))
    index = tuple(np.moveaxis(where, -1, 0))
    expected = np.zeros_like(x)
    np.add.at(expected, index, 1.0)

    def picked(t, i):
        return tf.convert_to_tensor(tf.gradients(tf.gather_nd(t, i), t)[0])

    agree(data, picked, [x, where], expected)
    values = data.draw(floats(where.shape[:-1] + x.shape[where.shape[-1] :]))
    shape = np.array(x.shape, np.int32)

    def placed(v, i):
        return tf.gradients(tf.scatter_nd(i, v, shape), v)[0]

    agree(data, placed, [values, where], np.ones_like(values))


# Segments -------------------------------------------------------------------------------------

NEUTRAL = {"sum": 0, "prod": 1, "min": np.iinfo(np.int64).max, "max": np.iinfo(np.int64).min}
UFUNCS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}


@given(st.data(), st.sampled_from(sorted(UFUNCS)))
def test_segments(data, what):
    x = data.draw(arrays(shapes(min_dims=1, max_dims=3)))
    count = data.draw(st.integers(1, 5))
    ids = data.draw(hnp.arrays(np.int32, len(x), elements=st.integers(-1, count - 1)))
    expected = np.full((count, *x.shape[1:]), NEUTRAL[what])
    UFUNCS[what].at(expected, ids[ids >= 0], x[ids >= 0])
    unsorted = getattr(tf, f"unsorted_segment_{what}")
    agree(data, lambda t, i: unsorted(t, i, count), [x, ids], expected)
    in_order = np.sort(np.abs(ids))
    last = in_order[-1] + 1 if len(x) else 0
    start = NEUTRAL[what] if what in ("sum", "prod") else 0
    expected = np.full((last, *x.shape[1:]), start)
    for segment in np.unique(in_order):
        expected[segment] = UFUNCS[what].reduce(x[in_order == segment], axis=0)
    agree(data, getattr(tf, f"segment_{what}"), [x, in_order], expected)


@few
@given(st.data())
def test_parts_are_dealt_out_and_put_together(data):
    x = data.draw(arrays(shapes(min_dims=1, max_dims=3)))
    parts = data.draw(hnp.arrays(np.int32, len(x), elements=st.integers(0, 2)))
    dealt = [x[parts == number] for number in range(3)]
    agree(data, lambda t, p: tf.dynamic_partition(t, p, 3), [x, parts], dealt)

    def together(t, p):
        places = tf.dynamic_partition(tf.range(tf.size(p)), p, 3)
        return tf.dynamic_stitch(places, tf.dynamic_partition(t, p, 3))

    agree(data, together, [x, parts], x)


# Order ----------------------------------------------------------------------------------------


@given(st.data(), st.booleans())
def test_sorting(data, descending):
    x = data.draw(arrays(shapes(min_dims=1), low=-3, high=3))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    key = -x if descending else x
    order = np.argsort(key, axis=axis, kind="stable")
    direction = "DESCENDING" if descending else "ASCENDING"
    expected = [np.take_along_axis(x, order, axis), order]

    def both(t):
        return [tf.sort(t, axis, direction), tf.argsort(t, axis, direction)]

    agree(data, both, [x], expected)


@few
@given(st.data())
def test_largest(data):
    x = data.draw(arrays(shapes(min_dims=1), low=-3, high=3))
    k = data.draw(st.integers(0, x.shape[-1]))
    order = np.argsort(-x, axis=-1, kind="stable")[..., :k]
    expected = [np.take_along_axis(x, order, -1), order]
    agree(data, lambda t: tf.nn.top_k(t, k), [x], expected)


@few
@given(st.data(), st.sampled_from(["left", "right"]))
def test_places_in_what_is_sorted(data, side):
    rows = data.draw(arrays(shapes(min_dims=2, max_dims=2), low=-3, high=3))
    rows = np.sort(rows, axis=-1)
    width = data.draw(st.integers(0, 3))
    values = data.draw(arrays((len(rows), width), low=-4, high=4))
    expected = np.zeros(values.shape, np.int64)
    for row in range(len(rows)):
        expected[row] = np.searchsorted(rows[row], values[row], side)
    if rows.size and values.size:  # rows without elements are lost in reshape, as in TensorFlow
        agree(data, lambda t, v: tf.searchsorted(t, v, side), [rows, values], expected)


@few
@given(st.data())
def test_unique(data):
    x = data.draw(arrays(shapes(min_dims=1, max_dims=1, max_side=9), low=-2, high=2))
    found = list(dict.fromkeys(x.tolist()))
    places = [found.index(value) for value in x.tolist()]
    counts = [places.count(number) for number in range(len(found))]
    agree(data, tf.unique_with_counts, [x], [np.array(v, int) for v in (found, places, counts)])


# Moves ----------------------------------------------------------------------------------------


@given(st.data())
def test_moves(data):
    x = data.draw(arrays(shapes(min_dims=1)))
    axes = data.draw(st.lists(st.integers(0, x.ndim - 1), unique=True, max_size=x.ndim))
    agree(data, lambda t: tf.reverse(t, np.int32(axes)), [x], np.flip(x, axes))
    shifts = [data.draw(st.integers(-9, 9)) for _ in axes]
    rolled = np.roll(x, shifts, axes) if axes else x
    agree(data, lambda t: tf.roll(t, np.int32(shifts), np.int32(axes)), [x], rolled)
    times = data.draw(arrays((x.ndim,), np.int32, 0, 2))
    agree(data, tf.tile, [x, times], np.tile(x, times))
    order = data.draw(st.permutations(range(x.ndim)))
    agree(data, tf.transpose, [x, np.array(order, np.int32)], np.transpose(x, order))


@few
@given(st.data())
def test_repeated_elements(data):
    x = data.draw(arrays(shapes(min_dims=1, max_dims=3)))
    axis = data.draw(st.integers(0, x.ndim - 1))
    times = data.draw(arrays((x.shape[axis],), np.int32, 0, 3))
    agree(data, lambda t, n: tf.repeat(t, n, axis), [x, times], np.repeat(x, times, axis))
    agree(data, lambda t: tf.repeat(t, 2, axis), [x], np.repeat(x, 2, axis))


@few
@given(st.data())
def test_blocks_go_into_the_batch_and_back(data):
    block = np.array(data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=2)), np.int32)
    sizes = [data.draw(st.integers(0, 2)), *(int(b) * data.draw(st.integers(0, 3)) for b in block)]
    x = data.draw(arrays((*sizes, *data.draw(shapes(max_dims=1)))))
    none = np.zeros((len(block), 2), np.int32)

    def there_and_back(t):
        return tf.batch_to_space_nd(tf.space_to_batch_nd(t, block, none), block, none)

    agree(data, there_and_back, [x], x)


@few
@given(st.data())
def test_bands_of_matrices(data):
    x = data.draw(arrays(shapes(min_dims=2, max_dims=3, min_side=1)))
    rows, columns = x.shape[-2:]
    lower = data.draw(st.integers(1 - rows, columns - 1))
    upper = data.draw(st.integers(lower, columns - 1))
    offset = np.arange(columns) - np.arange(rows)[:, None]
    inside = (offset >= lower) & (offset <= upper)
    align = data.draw(st.sampled_from(["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]))

    def band(t):
        part = tf.matrix_diag_part(t, k=[lower, upper], align=align)
        return tf.matrix_set_diag(tf.zeros_like(t), part, k=[lower, upper], align=align)

    agree(data, band, [x], np.where(inside, x, 0))
    if lower <= 0 <= upper:
        cut = [np.int32(-lower), np.int32(upper)]
        agree(data, lambda t: tf.matrix_band_part(t, *cut), [x], np.where(inside, x, 0))


@few
@given(st.data())
def test_masks_and_grids(data):
    x = data.draw(arrays(shapes(min_dims=1, max_dims=3)))
    mask = data.draw(hnp.arrays(bool, x.shape[: data.draw(st.integers(1, x.ndim))]))
    with_known_rank = lambda t: tf.boolean_mask(t, tf.constant(mask))  # noqa: E731
    agree(data, with_known_rank, [x], x[mask])
    agree(data, tf.where, [mask], np.argwhere(mask))
    lengths = data.draw(arrays(shapes(max_dims=2), np.int32, 0, 4))
    expected = np.arange(5) < lengths[..., None]
    agree(data, lambda n: tf.sequence_mask(n, 5), [lengths], expected)
    vectors = [data.draw(arrays((data.draw(st.integers(0, 3)),))) for _ in range(3)]
    agree(data, tf.meshgrid, vectors, list(np.meshgrid(*vectors)))
