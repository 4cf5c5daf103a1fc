"""Array ops against numpy, on random shapes; gradients; what a graph shares with its values."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tinytf.framework.constant_value import constant_value_as_shape
from tinytf.testing.evaluator import evaluate
from tinytf.testing.gradient_checker import check_gradients

shapes = st.lists(st.integers(0, 4), max_size=4).map(tuple)
solid_shapes = st.lists(st.integers(1, 4), max_size=4).map(tuple)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def counted(shape):
    return np.arange(math.prod(shape), dtype=np.float32).reshape(shape)


def blurred(shape, hide):
    """The static shape with some sizes hidden, as flags say."""
    return [None if flag else size for size, flag in zip(shape, hide)]


def both(make, x, hide):
    """The value of an op on a constant, and on a fed tensor whose shape is partly unknown.

    The evaluator checks that the values fit the static shapes.
    """
    with tf.Graph().as_default():
        fed = tf.placeholder(tf.float32, blurred(x.shape, hide))
        known = evaluate([make(tf.constant(x))])[0]
        unknown = evaluate([make(fed)], {fed: x})[0]
    np.testing.assert_array_equal(known, unknown)
    return known


flags = st.lists(st.booleans(), min_size=8, max_size=8)


@given(st.data(), solid_shapes, flags)
def test_reshape_is_numpys(data, shape, hide):
    x = counted(shape)
    sizes = data.draw(st.permutations(shape))
    split = data.draw(st.integers(0, len(sizes)))
    wanted = [*sizes[:split], math.prod(sizes[split:])]
    if data.draw(st.booleans()):
        wanted[data.draw(st.integers(0, len(wanted) - 1))] = -1
    value = both(lambda t: tf.reshape(t, wanted), x, hide)
    np.testing.assert_array_equal(value, x.reshape(wanted))


@given(st.data(), st.lists(st.integers(0, 3), min_size=1, max_size=4), flags)
def test_concat_is_numpys(data, shape, hide):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    parts = []
    for _ in range(data.draw(st.integers(1, 4))):
        size = list(shape)
        size[axis] = data.draw(st.integers(0, 3))
        parts.append(counted(size) + 100 * len(parts))
    with tf.Graph().as_default():
        fed = [tf.placeholder(tf.float32, blurred(part.shape, hide)) for part in parts]
        feeds = dict(zip(fed, parts))
        joined, constant = tf.concat(fed, axis), tf.concat([tf.constant(p) for p in parts], axis)
        values = evaluate([joined, constant], feeds)
    for value in values:
        np.testing.assert_array_equal(value, np.concatenate(parts, axis))


@given(st.data(), shapes, st.integers(1, 3), flags)
def test_stack_and_unstack_are_numpys(data, shape, number, hide):
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    x = counted(shape)
    stacked = both(lambda t: tf.stack([t] * number, axis), x, hide)
    np.testing.assert_array_equal(stacked, np.stack([x] * number, axis))
    for part in evaluate(tf.unstack(tf.constant(stacked), axis=axis)):
        np.testing.assert_array_equal(part, x)


@given(st.data(), shapes, flags)
def test_transpose_is_numpys(data, shape, hide):
    perm = data.draw(st.permutations(range(len(shape))))
    x = counted(shape)
    value = both(lambda t: tf.transpose(t, np.array(perm, np.int32)), x, hide)
    np.testing.assert_array_equal(value, x.transpose(perm))


@given(st.data(), shapes, flags)
def test_tile_is_numpys(data, shape, hide):
    counts = data.draw(st.lists(st.integers(0, 3), min_size=len(shape), max_size=len(shape)))
    x = counted(shape)
    value = both(lambda t: tf.tile(t, np.array(counts, np.int32)), x, hide)
    np.testing.assert_array_equal(value, np.tile(x, counts) if counts else x)


@given(st.data(), shapes, flags)
def test_broadcast_to_is_numpys(data, shape, hide):
    source = [1 if data.draw(st.booleans()) else size for size in shape]
    x = counted(source[data.draw(st.integers(0, len(source))) :])
    value = both(lambda t: tf.broadcast_to(t, np.array(shape, np.int32)), x, hide)
    np.testing.assert_array_equal(value, np.broadcast_to(x, shape))


@given(st.data(), st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple), flags)
def test_gather_is_numpys(data, shape, hide):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    index = st.integers(0, shape[axis] - 1)
    indices = np.array(data.draw(st.lists(index, max_size=4)), np.int64)
    x = counted(shape)
    value = both(lambda t: tf.gather(t, indices, axis=axis), x, hide)
    np.testing.assert_array_equal(value, np.take(x, indices, axis))


@given(st.data(), st.integers(0, 2))
def test_gather_in_batches_is_a_gather_for_each(data, batch_dims):
    shape = tuple(data.draw(st.lists(st.integers(1, 3), min_size=batch_dims + 1, max_size=4)))
    axis = data.draw(st.integers(batch_dims, len(shape) - 1))
    rows = np.random.default_rng(0).integers(0, shape[axis], shape[:batch_dims] + (2,))
    x = counted(shape)
    with tf.Graph().as_default():
        value = evaluate([tf.gather(x, rows, axis=axis, batch_dims=batch_dims)])[0]
    for batch in np.ndindex(shape[:batch_dims]):
        wanted = np.take(x[batch], rows[batch], axis - batch_dims)
        np.testing.assert_array_equal(value[batch], wanted)


@given(st.data(), st.lists(st.integers(1, 4), min_size=1, max_size=3), flags)
def test_split_undoes_concat(data, shape, hide):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = counted(shape)
    first = data.draw(st.integers(0, shape[axis]))
    value = both(lambda t: tf.concat(tf.split(t, [first, -1], axis), axis), x, hide)
    np.testing.assert_array_equal(value, x)


@given(st.data())
def test_static_shapes_know_what_the_values_of_shape_tensors_say(data):
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    hide = data.draw(st.lists(st.booleans(), min_size=len(sizes), max_size=len(sizes)))
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, blurred(sizes, hide))
        vector = tf.shape(x)
        parts = [vector[i] for i in range(len(sizes))]
        for rebuilt in (tf.stack(parts), tf.concat([vector[:1], vector[1:]], 0), vector[:]):
            assert constant_value_as_shape(rebuilt) == tf.TensorShape(blurred(sizes, hide))


# Gradients --------------------------------------------------------------------------------------

GRADIENTS = {
    "reshape": lambda x: tf.reshape(x, [3, -1]),
    "expand_dims": lambda x: tf.expand_dims(x, 1),
    "squeeze": lambda x: tf.squeeze(tf.expand_dims(x, 0)),
    "transpose": lambda x: tf.transpose(x, [1, 0]),
    "transpose of any rank": tf.transpose,
    "concat": lambda x: tf.concat([x, x * 2, x[:1]], 0),
    "concat along the end": lambda x: tf.concat([x, x], -1),
    "concat of many": lambda x: tf.concat([x] * 20, 1),
    "concat of one": lambda x: tf.concat([x], 0),
    "stack": lambda x: tf.stack([x, x * 2], axis=1),
    "unstack": lambda x: tf.unstack(x, axis=1, num=3)[1],
    "split": lambda x: tf.split(x, 3, axis=1)[2],
    "split by size": lambda x: tf.split(x, [1, 2], axis=1)[1],
    "tile": lambda x: tf.tile(x, [2, 3]),
    "broadcast_to": lambda x: tf.broadcast_to(x[:, :1], [4, 2, 3]),
    "gather": lambda x: tf.gather(x, [1, 0, 1]),
    "gather along the end": lambda x: tf.gather(x, [[2, 0], [1, 1]], axis=1),
    "gather in batches": lambda x: tf.gather(x, [[2, 0], [1, 1]], batch_dims=1),
    "slice": lambda x: tf.slice(x, [0, 1], [-1, 2]),
    "brackets": lambda x: x[::-1, 1:, tf.newaxis],
    "pad": lambda x: tf.pad(x, [[1, 0], [2, 1]]),
    "pad with a value": lambda x: tf.pad(x, [[1, 0], [2, 1]], constant_values=2),
    "identity": tf.identity,
    "identity_n": lambda x: tf.identity_n([x, x])[1],
    "fill": lambda x: tf.fill([2, 2], x[0, 0]),
}


@pytest.mark.parametrize("shape", [[2, 3], [None, None], None], ids=["known", "rank", "unknown"])
@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_are_right(name, shape):
    needs_rank = {"concat", "brackets", "broadcast_to", "unstack", "fill"}
    if shape is None and name in needs_rank:
        shape = [None, None]
    x = tf.placeholder(tf.float64, shape)
    value = np.linspace(0.5, 2, 6).reshape(2, 3)
    check_gradients(GRADIENTS[name](x), [x], [value])


# Values -----------------------------------------------------------------------------------------


def test_strings_stay_arrays_of_bytes():
    x = tf.constant([b"a", b"b\x00"])
    results = [x[1], tf.unstack(x)[0], tf.squeeze(x[:1]), tf.gather(x, 1), tf.reshape(x[0], [])]
    values = evaluate([*results, tf.stack([x[0], x[1]])])
    assert [value.item() for value in values[:-1]] == [b"b\x00", b"a", b"a", b"b\x00", b"a"]
    assert values[-1].tolist() == [b"a", b"b\x00"]
    assert all(value.dtype == object for value in values)


def test_lists_with_tensors_are_packed_to_the_wanted_type():
    number = tf.placeholder(tf.int64, [])
    wanted = tf.convert_to_tensor([[number, 2], [3, number]], tf.int32)
    assert (wanted.dtype, wanted.shape.as_list()) == (tf.int32, [2, 2])
    assert evaluate([wanted], {number: 7})[0].tolist() == [[7, 2], [3, 7]]


def test_an_op_is_built_in_the_graph_of_its_inputs():
    with tf.Graph().as_default() as other:
        x = tf.placeholder(tf.float32, [None, 2])
    results = [
        tf.shape(x),
        tf.zeros_like(x),
        tf.transpose(x),
        tf.stack([x, x]),
        tf.concat([x], 0),
        x[0],
        tf.nn.softmax(x),
        tf.random_uniform(tf.shape(x)),
        tf.nn.dropout(x, 0.5),
    ]
    assert all(result.graph is other for result in results)
    assert tf.get_default_graph().get_operations() == []


def test_a_node_that_fails_leaves_its_inputs_usable():
    x = tf.zeros([2, 3])
    with pytest.raises(ValueError, match="Cannot reshape a tensor with 6 elements"):
        tf.reshape(x, [5])
    assert x.consumers() == []
    assert tf.reshape(x, [6]).op in x.consumers()


def test_zeros_of_partly_known_shape_says_so():
    with pytest.raises(ValueError, match="Cannot convert a partially known TensorShape"):
        tf.zeros(tf.TensorShape([None, 2]))


def test_static_shapes_see_through_shape_n():
    x = tf.placeholder(tf.float32, [None, 3])
    partly, whole = tf.shape_n([x, tf.ones([2, 2])])
    anything = tf.placeholder(tf.float32)
    assert tf.reshape(anything, partly).shape.as_list() == [None, 3]
    assert tf.reshape(anything, whole).shape.as_list() == [2, 2]
