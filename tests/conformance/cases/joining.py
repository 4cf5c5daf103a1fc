"""Tensors put together and taken apart."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import KINDS, fed, numbers


@case("ConcatV2", each=KINDS)
def concat(tf, dtype):
    x, y = numbers(tf, 2, 3, dtype=dtype), numbers(tf, 1, 3, dtype=dtype)
    return [tf.concat([x, y], 0), tf.concat([x, x], -1), tf.concat([x, y, x], -2)]


CONCATS = [
    ([None, 3], [2, None], 0),
    ([None, 3], None, -1),
    ([None, 3], None, 0),
    (None, None, 0),
    ([2, None], [2, None], 1),
    ([None, None], [None, 3], 0),
]


@case("ConcatV2", each=CONCATS)
def static_shapes_of_concat(tf, first, second, axis):
    x, y = tf.placeholder(tf.float32, first), tf.placeholder(tf.float32, second)
    return Program(tf.concat([x, y], axis), feed={x: np.zeros([2, 3]), y: np.zeros([2, 3])})


@case("ConcatV2")
def concat_along_a_fed_axis(tf):
    axis = tf.placeholder(tf.int32, [])
    x = numbers(tf, 2, 2)
    return Program(tf.concat([x, x], axis), feed=[{axis: 0}, {axis: -1}])


@case("Identity")
def concat_of_one(tf):
    return tf.concat([numbers(tf, 2)], 0)


@case("ConcatV2")
def concat_of_python_lists(tf):
    x, feed = fed(tf, 3, "int32", [])
    return Program(tf.concat([[1, 2], [x]], 0), feed=feed)


@case(
    "ConcatV2",
    error="Dimension 0 in both shapes must be equal, but are 3 and 4. Shapes are [3] and [4].",
)
def concat_of_shapes_that_differ(tf):
    return tf.concat([numbers(tf, 2, 3), numbers(tf, 2, 4)], 0)


@case("ConcatV2", error="Shape must be at least rank 3 but is rank 2")
def concat_along_an_axis_that_is_not_there(tf):
    return tf.concat([numbers(tf, 2, 3)] * 2, 2)


@case("ConcatV2", error="Can't concatenate scalars (use tf.stack instead)")
def concat_of_scalars(tf):
    return tf.concat([numbers(tf), numbers(tf)], 0)


@case("ConcatV2", error="that don't all match")
def concat_of_two_types(tf):
    return tf.concat([numbers(tf, 2), numbers(tf, 2, dtype="int32")], 0)


@case("ConcatV2", error="shorter than minimum length 2")
def concat_of_nothing(tf):
    return tf.concat([], 0)


@case(
    "ConcatV2",
    error="ConcatOp : ",
    each=[((2, 3), (2, 4), 0), ((2, 3), (2, 3), 2), ((2, 3), (2,), 0), ((), (), 0)],
)
def concat_that_fails_in_the_run(tf, first, second, axis):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    return Program(tf.concat([x, y], axis), feed={x: np.zeros(first), y: np.zeros(second)})


@case("Concat")
def concat_of_old_graphs(tf):
    x = numbers(tf, 2, 3)
    return node(tf, "Concat", [tf.constant(1), x, x], T=tf.float32, N=2)


@case("ConcatOffset", each=[0, 1, -1])
def concat_offset(tf, axis):
    sizes = [tf.constant([2, 3, 4])] * 3
    return node(tf, "ConcatOffset", [tf.constant(axis), *sizes], N=3, shape_type=tf.int32)


@case("ConcatOffset", error="", each=[(0, (2, 3), (4, 4)), (2, (2, 3), (4, 3)), (0, (2, 3), (4,))])
def concat_offset_of_wrong_shapes(tf, axis, first, second):
    inputs = [tf.constant(value) for value in (axis, list(first), list(second))]
    return node(tf, "ConcatOffset", inputs, N=2, shape_type=tf.int32)


@case("ConcatV2", "ConcatOffset", "Slice", graph="types")  # gradient names are tested elsewhere
def gradient_of_concat(tf):
    x, y = tf.placeholder(tf.float32, [None, 2]), numbers(tf, 3, 2)
    weights = tf.constant(np.arange(10.0).reshape(5, 2), tf.float32)
    loss = tf.reduce_sum(tf.concat([x, y], 0) * weights)
    return Program(tf.gradients(loss, [x, y]), feed={x: np.zeros([2, 2])})


@case("Pack", each=KINDS)
def stack(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    return [tf.stack([x, x], axis) for axis in (0, 1, 2, -1, -3)] + [
        tf.stack([numbers(tf, dtype=dtype)] * 3, name="scalars")
    ]


@case("Pack", "Const")
def stack_of_python_values(tf):
    x, feed = fed(tf, 5, "int32", [])
    return Program(
        [tf.stack([1, 2]), tf.stack([1, x]), tf.stack([[1, x], [2, 3]]), tf.stack([1.5, 2])],
        feed=feed,
    )


@case("Pack", each=[([2], None, -1), ([None], [2], 0), (None, None, 0)])
def static_shapes_of_stack(tf, first, second, axis):
    x, y = tf.placeholder(tf.float32, first), tf.placeholder(tf.float32, second)
    return Program(tf.stack([x, y], axis), feed={x: [1, 2], y: [3, 4]})


@case("Pack", error="From merging shape 0 with other shapes.")
def stack_of_shapes_that_differ(tf):
    return tf.stack([numbers(tf, 2), numbers(tf, 3)])


@case("Pack", error="Shapes must be equal rank, but are 1 and 2")
def stack_of_ranks_that_differ(tf):
    return tf.stack([numbers(tf, 2), numbers(tf, 2, 3)])


@case("Pack", error="Argument `axis` = 2 not in range [-2, 2)")
def stack_along_an_axis_that_is_not_there(tf):
    return tf.stack([numbers(tf, 2)] * 2, axis=2)


@case("Pack", error="that don't all match")
def stack_of_two_types(tf):
    return tf.stack([numbers(tf, 2), numbers(tf, 2, dtype="int32")])


@case(
    "Pack", error="Shapes of all inputs must match: values[0].shape = [2] != values[1].shape = [3]"
)
def stack_that_fails_in_the_run(tf):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    return Program(tf.stack([x, y]), feed={x: [1, 2], y: [1, 2, 3]})


@case("Unpack", each=KINDS)
def unstack(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    vector = numbers(tf, 2, dtype=dtype)
    return [tf.unstack(x), tf.unstack(x, axis=-1), tf.unstack(vector, name="scalars")]


@case("Unpack")
def unstack_of_unknown_shape(tf):
    x, feed = fed(tf, np.arange(6).reshape(3, 2))
    return Program(tf.unstack(x, num=3), feed=feed)


@case("Unpack", error="Cannot infer argument `num` from shape (?, 2)")
def unstack_of_an_unknown_number(tf):
    return tf.unstack(tf.placeholder(tf.float32, [None, 2]))


@case("Unpack", error="Dimension must be 2 but is 3")
def unstack_into_another_number(tf):
    return tf.unstack(numbers(tf, 3, 2), num=2)


@case("Unpack", error="Argument `axis` = 2 not in range [-2, 2)")
def unstack_along_an_axis_that_is_not_there(tf):
    return tf.unstack(numbers(tf, 3, 2), axis=2)


@case("Unpack", error="Input shape axis 0 must equal 2, got shape [3,2]")
def unstack_into_another_number_in_the_run(tf):
    x, feed = fed(tf, np.zeros([3, 2]))
    return Program(tf.unstack(x, num=2), feed=feed)


@case("Unpack", error="axis = 2 not in [-2, 2)")
def unstack_along_an_axis_that_is_not_there_in_the_run(tf):
    x, feed = fed(tf, np.zeros([3, 2]))
    return Program(tf.unstack(x, num=2, axis=2), feed=feed)


@case("Pack", "Unpack", graph="types")
def gradients_of_stack_and_unstack(tf):
    x, y = numbers(tf, 3), numbers(tf, 3)
    first, _ = tf.unstack(tf.stack([x, y], axis=1), axis=1)
    return tf.gradients(tf.reduce_sum(first * x), [x, y])


@case("Split", each=KINDS)
def split(tf, dtype):
    x = numbers(tf, 4, 2, dtype=dtype)
    return [tf.split(x, 2), tf.split(x, 2, axis=-1), tf.split(x, 1, name="whole")]


@case("Split", "SplitV", each=[(None, 0), ([None, 2], 0), ([4, None], 0), ([None, 2], 1)])
def static_shapes_of_split(tf, shape, axis):
    x, feed = fed(tf, np.arange(8).reshape(4, 2), shape=shape)
    return Program([tf.split(x, 2, axis), tf.split(x, [1, -1], axis)], feed=feed)


@case("SplitV", each=KINDS)
def split_by_size(tf, dtype):
    x = numbers(tf, 4, 2, dtype=dtype)
    return [tf.split(x, [1, 3]), tf.split(x, [1, -1, 0]), tf.split(x, np.int64([2]), 1)]


@case("SplitV")
def split_by_fed_sizes(tf):
    sizes = tf.placeholder(tf.int64, [2])
    x = numbers(tf, 4, 2)
    return Program(tf.split(x, sizes), feed=[{sizes: [1, 3]}, {sizes: [4, -1]}])


@case("Split", error="Number of ways to split should evenly divide the split dimension")
def split_unevenly(tf):
    return tf.split(numbers(tf, 5, 2), 2)


@case("Split", error="Dimension size, given by scalar input 2 must be in range [-2, 2)")
def split_along_an_axis_that_is_not_there(tf):
    return tf.split(numbers(tf, 4, 2), 2, axis=2)


@case("Split", error="Rank-0 tensors are not supported")
def split_by_a_scalar_tensor(tf):
    return tf.split(numbers(tf, 4), tf.constant(2))


@case("SplitV", error="can't split axis of size 4 into pieces of size [1,2]")
def split_into_too_little(tf):
    return tf.split(numbers(tf, 4, 2), [1, 2])


@case("SplitV", error="size_splits can only have one -1")
def split_with_two_rests(tf):
    return tf.split(numbers(tf, 4, 2), [-1, -1])


@case("Split", error="", each=[((5, 2), 0), ((4, 2), 2), ((4, 2), -3)])
def split_that_fails_in_the_run(tf, given, axis):
    x, feed = fed(tf, np.zeros(given))
    return Program(tf.split(x, 2, axis), feed=feed)


@case("SplitV", error="", each=[((1, 2),), ((-1, -1),), ((-2, 6),), ((-1, 6),)])
def split_by_size_that_fails_in_the_run(tf, sizes):
    x, feed = fed(tf, np.zeros([4, 2]))
    return Program(tf.split(x, list(sizes)), feed=feed)


@case("Split", "SplitV", "ConcatV2", graph="types")
def gradients_of_split(tf):
    x = numbers(tf, 4, 2)
    halves, parts = tf.split(x, 2), tf.split(x, [1, 3])
    loss = tf.reduce_sum(halves[0] * halves[1]) + tf.reduce_sum(parts[1])
    return tf.gradients(loss, x)
