"""The same elements at other places, and elements picked by index."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import KINDS, fed, numbers

# Rearranging ----------------------------------------------------------------------------------


@case("Transpose", each=KINDS)
def transpose(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    return [tf.transpose(x), tf.transpose(x, [0, 1]), tf.transpose(numbers(tf, dtype=dtype))]


@case("Transpose", "Range", "Rank")
def transpose_of_unknown_rank(tf):
    x, _ = fed(tf, None)
    feeds = [{x: np.arange(6).reshape(2, 3)}, {x: np.arange(24).reshape(2, 3, 4)}]
    return Program(tf.transpose(x), feed=feeds)


@case(
    "Transpose", each=[(None, None), ([2, None], None), ([2, 3], [2]), (None, [2]), ([2, 3], None)]
)
def static_shapes_of_transpose(tf, shape, perm_shape):
    x, perm = tf.placeholder(tf.float32, shape), tf.placeholder(tf.int32, perm_shape)
    return Program(tf.transpose(x, perm), feed={x: np.arange(6).reshape(2, 3), perm: [1, 0]})


@case("Transpose", error="Dimension must be 2 but is 3")
def transpose_with_too_many_numbers(tf):
    return tf.transpose(numbers(tf, 2, 3), [0, 1, 2])


@case("Transpose", error="perm dim 2 is out of range of input rank 2")
def transpose_with_a_number_out_of_range(tf):
    return tf.transpose(numbers(tf, 2, 3), [0, 2])


@case("Transpose", error="", each=[((0, 1, 2),), ((0, 0),), ((0, 2),), (((1, 0),),)])
def transpose_that_fails_in_the_run(tf, numbers_fed):
    x, perm = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(tf.transpose(x, perm), feed={x: np.zeros([2, 3]), perm: numbers_fed})


@case("Transpose", "InvertPermutation", graph="types")
def gradient_of_transpose(tf):
    x = numbers(tf, 2, 3, 4)
    weights = numbers(tf, 4, 2, 3)
    return tf.gradients(tf.reduce_sum(tf.transpose(x, [2, 0, 1]) * weights), x)


@case("InvertPermutation", each=["int32", "int64"])
def invert_permutation(tf, dtype):
    return tf.invert_permutation(tf.constant([2, 0, 3, 1], dtype))


@case("InvertPermutation", error="", each=[((0, 0),), ((0, 2),), (((0,),),)])
def invert_what_is_no_permutation(tf, values):
    x, feed = fed(tf, values, "int32")
    return Program(tf.invert_permutation(x), feed=feed)


@case("Tile", each=KINDS)
def tile(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    return [tf.tile(x, [2, 1]), tf.tile(x, [0, 2]), tf.tile(x, np.int64([1, 3]))]


@case("Tile", each=[(None, [2, 2]), ([None, 2], [2, 2]), ([None, 2], [0, 1])])
def static_shapes_of_tile(tf, shape, multiples):
    x, feed = fed(tf, np.zeros([3, 2]), shape=shape)
    return Program(tf.tile(x, multiples), feed=feed)


@case("Tile", error="Shape must be rank 2 but is rank 1")
def tile_with_too_few_numbers(tf):
    return tf.tile(numbers(tf, 2, 3), [2])


@case("Tile", error="", each=[((2,),), ((2, -1),), (((2, 2),),)])
def tile_that_fails_in_the_run(tf, multiples):
    x, number = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(tf.tile(x, number), feed={x: np.zeros([2, 3]), number: multiples})


@case("Tile", "Transpose", "Sum", graph="types")
def gradient_of_tile(tf):
    x = numbers(tf, 2, 3)
    return tf.gradients(tf.reduce_sum(tf.tile(x, [2, 2]) * numbers(tf, 4, 6)), x)


@case("BroadcastTo", each=KINDS)
def broadcast_to(tf, dtype):
    x = numbers(tf, 2, 1, dtype=dtype)
    scalar = numbers(tf, dtype=dtype)
    return [tf.broadcast_to(x, [2, 3]), tf.broadcast_to(x, [4, 2, 3]), tf.broadcast_to(scalar, [2])]


@case("BroadcastTo", each=[([3, None], [2, 3, 4]), ([None], [-1]), ([1], [-1]), ([3], [-1])])
def static_shapes_of_broadcast_to(tf, shape, target):
    x = tf.placeholder(tf.float32, shape)
    fed_target = tf.placeholder(tf.int32, [len(target)])
    results = [tf.broadcast_to(x, fed_target)]
    value = np.zeros([1 if size is None else size for size in shape])
    to = [3 if size < 0 else size for size in target]
    return Program(results, feed={x: value, fed_target: to})


@case("BroadcastTo", error="Dimensions must be equal, but are 3 and 4")
def broadcast_to_another_size(tf):
    return tf.broadcast_to(numbers(tf, 3), [2, 4])


@case("BroadcastTo", error="Shape must be at most rank 1 but is rank 2")
def broadcast_to_a_smaller_rank(tf):
    return tf.broadcast_to(numbers(tf, 3, 1), [3])


@case("BroadcastTo", error="", each=[((3,), (2, 4)), ((3, 1), (3,)), ((3,), (-1,)), ((3,), (0,))])
def broadcast_to_that_fails_in_the_run(tf, given, target):
    x, shape = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(tf.broadcast_to(x, shape), feed={x: np.zeros(given), shape: target})


@case("BroadcastTo", "BroadcastGradientArgs", graph="types")
def gradient_of_broadcast_to(tf):
    x = numbers(tf, 2, 1)
    return tf.gradients(tf.reduce_sum(tf.broadcast_to(x, [4, 2, 3]) * numbers(tf, 4, 2, 3)), x)


@case("Reshape", "ExpandDims", "Squeeze", "Fill", graph="types")
def gradients_through_shapes(tf):
    x = numbers(tf, 2, 3)
    y = tf.squeeze(tf.expand_dims(tf.reshape(x, [3, 2]), 0), [0])
    scalar = tf.constant(2.0)
    filled = tf.fill([3, 2], scalar)
    return tf.gradients(tf.reduce_sum(y * filled), [x, scalar])


# Gathering ------------------------------------------------------------------------------------


@case("GatherV2", each=KINDS)
def gather(tf, dtype):
    x = numbers(tf, 3, 4, dtype=dtype)
    return [
        tf.gather(x, [2, 0]),
        tf.gather(x, 1),
        tf.gather(x, [[0, 1], [2, 2]], axis=1),
        tf.gather(x, np.int64([0]), axis=-1),
        tf.gather(x, np.int32([])),
    ]


@case("GatherV2")
def gather_in_batches(tf):
    x = numbers(tf, 2, 3, 4)
    return [
        tf.gather(x, [[0, 1], [2, 2]], batch_dims=1),
        tf.gather(x, [[0, 3], [2, 2]], axis=2, batch_dims=1),
        tf.gather(x, [[0, 3, 1], [2, 2, 0]], batch_dims=2),
        tf.gather(x, [[1], [2]], axis=1, batch_dims=-1),
    ]


@case(
    "GatherV2", each=[([3], [None], 0), (None, [2], 0), ([2, 3], None, 1), ([None, 3], [1, 2], -1)]
)
def static_shapes_of_gather(tf, params, indices, axis):
    x, i = tf.placeholder(tf.float32, params), tf.placeholder(tf.int32, indices)
    value = np.zeros([3] if params in ([3], None) else [2, 3])
    at = np.zeros([1, 2] if indices == [1, 2] else [2])
    return Program(tf.gather(x, i, axis=axis), feed={x: value, i: at})


@case("GatherV2", error="indices[1] = 3 is not in [0, 3)")
def gather_out_of_range(tf):
    return tf.gather(numbers(tf, 3), [0, 3])


@case("GatherV2", error="indices[1,0] = -1 is not in [0, 3)")
def gather_at_a_negative_index(tf):
    i, feed = fed(tf, [[0], [-1]], "int32")
    return Program(tf.gather(numbers(tf, 3), i), feed=feed)


@case("GatherV2", error="Shape must be at least rank 1 but is rank 0")
def gather_from_a_scalar(tf):
    return tf.gather(numbers(tf), [0])


@case("GatherV2", error="Shape must be at least rank 2 but is rank 1")
def gather_along_an_axis_that_is_not_there(tf):
    return tf.gather(numbers(tf, 3), [0], axis=1)


@case("Gather")
def gather_of_old_graphs(tf):
    inputs = [numbers(tf, 3, 2), tf.constant([2, 0])]
    return node(tf, "Gather", inputs, Tparams=tf.float32, Tindices=tf.int32)


@case("GatherV2", graph="types")
def gradient_of_gather_rows(tf):
    x = numbers(tf, 4, 2)
    weights = numbers(tf, 3, 2)
    return tf.gradients(tf.reduce_sum(tf.gather(x, [3, 0, 3]) * weights), x)


@case("GatherV2", "UnsortedSegmentSum", graph="types", each=[(1, 0), (2, 0), (2, 1), (1, 1)])
def gradient_of_gather_along_an_axis(tf, axis, batch_dims):
    x = numbers(tf, 2, 3, 4)
    indices = tf.constant([[0, 2, 2], [1, 0, 2]])
    y = tf.gather(x, indices, axis=axis, batch_dims=batch_dims)
    return tf.gradients(tf.reduce_sum(y * y), x)


@case("OneHot", each=["float32", "int32", "bool", "string", "bfloat16"])
def one_hot(tf, dtype):
    on, off = ("yes", "no") if dtype == "string" else (True, False)
    on, off = tf.cast(on, dtype) if dtype != "string" else on, off
    on = tf.constant(on) if dtype == "string" else on
    off = tf.constant(off) if dtype == "string" else tf.cast(off, dtype)
    return [
        tf.one_hot([0, 2, -1, 7], 3, on, off),
        tf.one_hot([[0, 1]], 2, on, off, axis=0),
        tf.one_hot(1, 3, on, off),
        tf.one_hot([0, 1], 2, on, off, axis=1, name="named"),
    ]


@case("OneHot")
def one_hot_with_defaults(tf):
    x, feed = fed(tf, [0, 2], "uint8")
    return Program(
        [tf.one_hot(x, 3), tf.one_hot([1], 2, dtype=tf.int64), tf.one_hot([1], 2, on_value=5)],
        feed=feed,
    )


@case("OneHot", each=[([None], 0), ([2, None], -1), (None, -1), ([None, 2], 1)])
def static_shapes_of_one_hot(tf, shape, axis):
    indices, depth = tf.placeholder(tf.int32, shape), tf.placeholder(tf.int32, [])
    value = np.zeros([2] * len(shape or [1]))
    results = [tf.one_hot(indices, 3, axis=axis), tf.one_hot(indices, depth, axis=axis)]
    return Program(results, feed={indices: value, depth: 2})


@case("OneHot", error="must be non-negative but is -1")
def one_hot_of_a_negative_depth(tf):
    return tf.one_hot([0], -1)


@case("OneHot", error="depth must be non-negative, got: -1")
def one_hot_of_a_negative_depth_in_the_run(tf):
    depth, feed = fed(tf, -1, "int32")
    return Program(tf.one_hot([0], depth), feed=feed)


@case("OneHot", error="does not match dtype parameter")
def one_hot_of_a_value_of_another_type(tf):
    return tf.one_hot([0], 3, on_value=1.0, dtype=tf.int32)


@case("OneHot", error="of on_value does not match dtype")
def one_hot_of_two_types(tf):
    return tf.one_hot([0], 3, on_value=1.0, off_value=0)


@case("OneHot", error="Expected axis to be -1 or between [0, 2).  But received: 2")
def one_hot_along_an_axis_that_is_not_there(tf):
    i, feed = fed(tf, [0], "int32")
    return Program(tf.one_hot(i, 3, axis=2), feed=feed)
