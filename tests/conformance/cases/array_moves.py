"""Elements at other places: reverse, roll, mirrors, blocks in the batch and in the channels."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import KINDS, fed, numbers


def fed_pair(tf, function, first, second, kinds=("float32", "int32")):
    """A function of two placeholders of unknown shape."""
    x, y = (tf.placeholder(kind) for kind in kinds)
    return Program(function(x, y), feed={x: first, y: second})


# Reversing ------------------------------------------------------------------------------------


@case("ReverseV2", each=KINDS)
def reverse(tf, dtype):
    x = numbers(tf, 2, 3, 2, dtype=dtype)
    return [
        tf.reverse(x, [0]),
        tf.reverse(x, np.int64([-1, 0])),
        tf.reverse_v2(x, [1, 2]),
        tf.reverse(x, np.int32([])),
        tf.reverse(numbers(tf, dtype=dtype), np.int32([])),
        tf.reverse(numbers(tf, 0, 2, dtype=dtype), [0], name="named"),
        tf.manip.reverse(x, [1]),
    ]


@case("Reverse", each=["float32", "int32"])
def reverse_of_old_graphs(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    y = node(tf, "Reverse", [x, tf.constant([True, False])], T=tf.as_dtype(dtype))
    return y + (tf.gradients(y[0] * y[0], x) if dtype == "float32" else [])


@case("ReverseV2", "ReverseSequence", "Roll", graph="types")
def gradients_of_reverse_and_roll(tf):
    x, weights = numbers(tf, 2, 3), numbers(tf, 2, 3)
    y = tf.reverse(x, [1]) * weights
    z = tf.reverse_sequence(x, [2, 3], seq_axis=1, batch_axis=0) * weights
    w = tf.roll(x, [1, -1], [0, 1]) * weights
    return tf.gradients([y * y, z, w], x)


@case("ReverseV2", error="", each=[(1,), (0, -1), (-2,)])
def reverse_along_wrong_axes(tf, *axes):
    return tf.reverse(numbers(tf, 3), axes)


@case("ReverseV2", error="", each=[((1,),), ((0, -1),), (0,)])
def reverse_along_wrong_axes_in_the_run(tf, axes):
    return fed_pair(tf, tf.reverse, [1, 2, 3], axes)


@case("ReverseV2", error="reverse does not work on tensors with more than 8 dimensions")
def reverse_of_too_many_dimensions(tf):
    return tf.reverse(tf.zeros([1] * 9), [0])


@case("ReverseV2", error="reverse is not implemented for tensors of rank > 8.")
def reverse_of_too_many_dimensions_in_the_run(tf):
    return fed_pair(tf, tf.reverse, np.zeros([1] * 9), [0])


@case("Reverse", error="Shape must be rank 2 but is rank 1")
def reverse_of_old_graphs_with_too_many_axes(tf):
    return node(tf, "Reverse", [numbers(tf, 3), tf.constant([True, False])], T=tf.float32)


@case("Reverse", error="'dims' must have the same number of values as 'input' has dimensions.")
def reverse_of_old_graphs_that_fails_in_the_run(tf):
    x, feed = fed(tf, [True, False], "bool")
    return Program(node(tf, "Reverse", [numbers(tf, 3), x], T=tf.float32), feed=feed)


@case("ReverseSequence", each=KINDS)
def reverse_sequence(tf, dtype):
    x = numbers(tf, 2, 3, 4, dtype=dtype)
    return [
        tf.reverse_sequence(x, [2, 3], seq_axis=1),
        tf.reverse_sequence(x, [1, 4], 2, 0),
        tf.reverse_sequence(x, np.int64([0, 1, 2, 2]), seq_dim=0, batch_dim=2, name="named"),
        tf.reverse_sequence(x, [2, 0, 4], seq_axis=2, batch_axis=1),
        tf.reverse_sequence(x[:0], np.int32([]), seq_axis=1),
    ]


@case("ReverseSequence")
def static_shapes_of_reverse_sequence(tf):
    x, n = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [3])
    u = tf.placeholder(tf.float32)
    feed = {x: np.ones([3, 4]), n: [1, 2, 3], u: np.ones([3, 4])}
    return Program([tf.reverse_sequence(x, n, 1, 0), tf.reverse_sequence(u, n, 1, 0)], feed=feed)


SEQUENCES = [
    ((2, 4), 1, 0),
    ((2, -4), 1, 0),
    ((2, 1, 1), 1, 0),
    (((2, 1),), 1, 0),
    ((2, 1), 0, 0),
    ((2, 1), 2, 0),
    ((2, 1), 1, 2),
    ((2, 1), -1, 0),
]


@case("ReverseSequence", error="", each=SEQUENCES)
def reverse_sequence_that_does_not_fit(tf, lengths, seq, batch):
    return tf.reverse_sequence(numbers(tf, 2, 3), lengths, seq, batch)


@case("ReverseSequence", error="", each=SEQUENCES)
def reverse_sequence_that_does_not_fit_in_the_run(tf, lengths, seq, batch):
    return fed_pair(
        tf, lambda x, n: tf.reverse_sequence(x, n, seq, batch), np.ones([2, 3]), lengths
    )


@case("ReverseSequence", error="Expected int for argument 'seq_dim' not None.")
def reverse_sequence_without_an_axis(tf):
    return tf.reverse_sequence(numbers(tf, 2, 3), [1, 2])


@case("ReverseSequence", error="Cannot specify both 'seq_dim' and 'seq_axis'.")
def reverse_sequence_with_two_axes(tf):
    return tf.reverse_sequence(numbers(tf, 2, 3), [1, 2], seq_axis=1, seq_dim=1)


@case("Roll", each=KINDS)
def roll(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    return [
        tf.roll(x, 1, 0),
        tf.roll(x, -4, -1),
        tf.roll(x, [1, -1], [0, 1]),
        tf.roll(x, [1, 1], [1, 1]),
        tf.roll(x, np.int64(2), np.int64(1), name="named"),
        tf.manip.roll(x[:0], 1, 0),
    ]


@case("Roll", error="is out of range", each=[1, -2])
def roll_along_an_axis_that_is_not_there(tf, axis):
    return tf.roll(numbers(tf, 3), 1, axis)


ROLLS = [((1, 2), (0,)), (((1,),), (0,)), (1, ((0,),))]


@case("Roll", error="", each=ROLLS)
def roll_that_does_not_fit(tf, shift, axis):
    return tf.roll(numbers(tf, 3), shift, axis)


@case("Roll", error="", each=ROLLS)
def roll_that_does_not_fit_in_the_run(tf, shift, axis):
    return fed_pair(tf, lambda s, a: tf.roll(numbers(tf, 3), s, a), shift, axis, ("int32", "int32"))


@case("Roll", error="Shape must be at least rank 1 but is rank 0")
def roll_of_a_scalar(tf):
    return tf.roll(1.0, 1, 0)


# Mirrors --------------------------------------------------------------------------------------


@case("MirrorPad", each=[k for k in KINDS if k != "string"])
def mirror_pad(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    return [
        tf.pad(x, [[1, 1], [2, 1]], "REFLECT"),
        tf.pad(x, [[2, 1], [3, 3]], "SYMMETRIC"),
        tf.pad(x, np.int64([[0, 0], [0, 2]]), mode="reflect"),
        tf.pad(numbers(tf, dtype=dtype), np.zeros([0, 2], np.int32), "REFLECT"),
        tf.pad(numbers(tf, 0, dtype=dtype), [[0, 0]], "SYMMETRIC", name="named"),
    ]


@case("MirrorPad", "MirrorPadGrad", graph="types", each=["REFLECT", "SYMMETRIC"])
def gradient_of_mirror_pad(tf, mode):
    x, weights = numbers(tf, 3, 4), numbers(tf, 6, 8)
    y = tf.pad(x, [[1, 2], [3, 1]], mode) * weights
    [first] = tf.gradients(y * y, x)
    return [first, tf.gradients(first, weights)]


@case("MirrorPad", "MirrorPadGrad")
def static_shapes_of_mirror_pad(tf):
    x, p = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [2, 2])
    u = tf.placeholder(tf.float32)
    y = tf.pad(x, [[1, 1], [1, 1]], "REFLECT")
    n = tf.placeholder(tf.int32, [])
    feed = {x: np.ones([3, 3]), p: [[1, 1], [1, 1]], u: np.ones([3, 3]), n: 1}
    return Program(
        [
            y,
            tf.pad(x, p, "REFLECT"),
            tf.pad(u, p, "SYMMETRIC"),
            tf.gradients(y, x),
            tf.pad(x, [[1, 1], [n, 1]], "SYMMETRIC"),
            tf.pad(x, [[n, n], [0, 1]]),
        ],
        feed=feed,
    )


MIRRORS = [
    (3, ((4, 1),)),
    (3, ((3, 1),)),
    (3, ((-1, 1),)),
    (3, ((1, 1), (0, 0))),
    (3, ((1, 1, 1),)),
    (3, (1, 1)),
    (0, ((0, 0),)),
]


@case(
    "MirrorPad",
    error="",
    each=[(*m, mode) for m in MIRRORS[:1] + MIRRORS[2:6] for mode in ("REFLECT", "SYMMETRIC")],
)
def mirror_pad_that_does_not_fit(tf, size, paddings, mode):
    return tf.pad(numbers(tf, size), paddings, mode)


@case("MirrorPad", error="", each=MIRRORS)
def mirror_pad_that_does_not_fit_in_the_run(tf, size, paddings):
    return fed_pair(tf, lambda x, p: tf.pad(x, p, "REFLECT"), np.ones(size), paddings)


@case("MirrorPad", error="inputs rank not in [0,5]: 6")
def mirror_pad_of_too_many_dimensions(tf):
    return tf.pad(tf.zeros([1] * 6), [[0, 0]] * 6, "SYMMETRIC")


@case("MirrorPadGrad", error="Total paddings must be less than the input dimension size: 3 was not")
def mirror_pad_gradient_that_does_not_fit(tf):
    attrs = {"T": tf.float32, "Tpaddings": tf.int32, "mode": "REFLECT"}
    return node(tf, "MirrorPadGrad", [numbers(tf, 3), tf.constant([[2, 1]])], **attrs)


@case("MirrorPad", error='expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC"')
def pad_in_an_unknown_mode(tf):
    return tf.pad(numbers(tf, 3), [[1, 1]], "WRAP")


# Blocks ---------------------------------------------------------------------------------------


@case("SpaceToBatchND", "BatchToSpaceND", each=["float32", "int32", "float16", "uint8"])
def space_to_batch_nd(tf, dtype):
    x, y = numbers(tf, 1, 4, 6, 2, dtype=dtype), numbers(tf, 8, 2, 3, dtype=dtype)
    return [
        tf.space_to_batch_nd(x, [2, 3], [[0, 0], [0, 0]]),
        tf.space_to_batch_nd(x, np.int64([2]), [[1, 1]]),
        tf.space_to_batch_nd(x, [2, 1, 2], [[0, 0], [0, 0], [0, 0]]),
        tf.batch_to_space_nd(y, [2, 2], [[0, 1], [1, 0]]),
        tf.batch_to_space_nd(y, [4], [[0, 0]]),
        tf.batch_to_space_nd(y, [2, 2], [[2, 2], [0, 0]], name="named"),
        tf.manip.space_to_batch_nd(x[:0], [2, 2], [[0, 0], [0, 0]]),
        tf.space_to_batch_nd(x, np.int32([]), np.zeros([0, 2], np.int32)),
    ]


@case("SpaceToBatchND", "BatchToSpaceND", "SpaceToBatch", "BatchToSpace", graph="types")
def gradients_of_blocks_in_the_batch(tf):
    x, y = numbers(tf, 1, 4, 4, 1), numbers(tf, 4, 2, 2, 1)
    types = {"T": tf.float32, "Tpaddings": tf.int32, "block_size": 2}
    pads = tf.constant([[1, 1], [0, 0]])
    [old] = node(tf, "SpaceToBatch", [x, pads], **types)
    types = {"T": tf.float32, "Tidx": tf.int32, "block_size": 2}
    [back] = node(tf, "BatchToSpace", [y, tf.constant([[1, 0], [0, 0]])], **types)
    found = [
        tf.space_to_batch_nd(x, [2, 2], [[1, 1], [0, 0]]),
        tf.batch_to_space_nd(y, [2, 2], [[1, 0], [0, 1]]),
        old,
        back,
    ]
    return [found, tf.gradients([z * z for z in found], [x, y])]


@case("SpaceToBatchND", "BatchToSpaceND", "SpaceToBatch")
def static_shapes_of_blocks_in_the_batch(tf):
    def x(*shape):
        return tf.placeholder(tf.float32, shape or None)

    a, b, c = x(None, 4, None, 1), x(3, 4, 4, 1), x()
    d = x(8, 4, None, 1)
    block, pads = tf.placeholder(tf.int32, [2]), tf.placeholder(tf.int32, [2, 2])
    none = [[0, 0], [0, 0]]
    image, batch = np.ones([3, 4, 4, 1]), np.ones([8, 4, 4, 1])
    types = {"T": tf.float32, "Tpaddings": tf.int32, "block_size": 2}
    return Program(
        [
            tf.space_to_batch_nd(a, [2, 2], none),
            tf.space_to_batch_nd(b, block, none),
            tf.space_to_batch_nd(b, [2, 2], pads),
            tf.space_to_batch_nd(c, [2, 2], pads),
            tf.batch_to_space_nd(d, [2, 2], [[0, 0], [1, 0]]),
            tf.batch_to_space_nd(d, [2, 2], pads),
            tf.space_to_batch(c, pads, 2),
            node(tf, "SpaceToBatch", [d, pads], **types),
        ],
        feed={a: image, b: image, c: image, d: batch, block: [2, 2], pads: none},
    )


@case("SpaceToBatchND", "BatchToSpaceND")
def space_to_batch(tf):
    x, y = numbers(tf, 1, 4, 4, 1), numbers(tf, 4, 2, 2, 1)
    return [
        tf.space_to_batch(x, [[0, 0], [2, 2]], 2),
        tf.nn.space_to_batch(x, [[0, 0], [0, 0]], 4),
        tf.batch_to_space(y, [[0, 1], [0, 0]], 2, name="named"),
        tf.batch_to_space(y, [[0, 0], [0, 0]], None, block_shape=2),
        tf.space_to_batch(x, [[0, 0], [0, 0]], block_shape=2),
    ]


@case("SpaceToBatchND", error="Cannot specify both 'block_size' and 'block_shape'.")
def space_to_batch_with_two_sizes(tf):
    return tf.space_to_batch(numbers(tf, 1, 4, 4, 1), [[0, 0], [0, 0]], 2, block_shape=2)


BLOCKS = [
    ((1, 4, 4, 1), (3, 2), ((1, 0), (0, 0))),
    ((1,), (3, 2), ((1, 0), (0, 0))),
    ((1, 4, 4, 1), (-2, 2), ((0, 0), (0, 0))),
    ((1, 4, 4, 1), (0, 2), ((0, 0), (0, 0))),
    ((1, 4, 4, 1), (2, 2), ((0, 0),)),
    ((1, 4, 4, 1), (2, 2), ((-2, 0), (0, 0))),
    ((1, 4, 4, 1), ((2, 2),), ((0, 0), (0, 0))),
]
BATCHES = [
    ((3, 2, 2, 1), (2, 2), ((0, 1), (0, 0))),
    ((4, 2, 2, 1), (2, 2), ((3, 2), (0, 0))),
    ((4, 2, 2, 1), (2, 2), ((-1, 2), (0, 0))),
    ((4,), (2, 2), ((0, 0), (0, 0))),
]


@case("SpaceToBatchND", error="", each=BLOCKS)
def blocks_that_do_not_fit(tf, shape, block, paddings):
    return tf.space_to_batch_nd(tf.zeros(shape), block, paddings)


@case("BatchToSpaceND", error="", each=BATCHES)
def batches_that_do_not_fit(tf, shape, block, crops):
    return tf.batch_to_space_nd(tf.zeros(shape), block, crops)


def _blocks_in_the_run(tf, function, shape, block, borders):
    x, n = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [len(block)])
    p = tf.placeholder(tf.int32)
    return Program(function(x, n, p), feed={x: np.zeros(shape), n: block, p: borders})


@case("SpaceToBatchND", error="", each=BLOCKS[:6])
def blocks_that_do_not_fit_in_the_run(tf, *arguments):
    return _blocks_in_the_run(tf, tf.space_to_batch_nd, *arguments)


@case("BatchToSpaceND", error="", each=BATCHES)
def batches_that_do_not_fit_in_the_run(tf, *arguments):
    return _blocks_in_the_run(tf, tf.batch_to_space_nd, *arguments)


@case("SpaceToBatchND", error="block_shape must have known size.")
def blocks_of_an_unknown_number_of_dimensions(tf):
    block = tf.placeholder(tf.int32, [None])
    return tf.space_to_batch_nd(tf.zeros([1, 4, 4]), block, [[0, 0], [0, 0]])


@case("Pack")
def required_space_to_batch_paddings(tf):
    n, feed = fed(tf, [5, 7], "int32", [2])
    return Program(
        [
            tf.required_space_to_batch_paddings([5, 7], [2, 3]),
            tf.required_space_to_batch_paddings([5, 7], [2, 3], [[1, 0], [2, 1]], name="named"),
            tf.required_space_to_batch_paddings(n, [2, 3]),
            tf.required_space_to_batch_paddings(np.int32([]), np.int32([])),
        ],
        feed=feed,
    )


@case("SpaceToDepth", "DepthToSpace", each=KINDS)
def space_to_depth(tf, dtype):
    x, y = numbers(tf, 1, 4, 6, 2, dtype=dtype), numbers(tf, 1, 2, 3, 8, dtype=dtype)
    return [
        tf.space_to_depth(x, 2),
        tf.depth_to_space(y, 2, name="named"),
        tf.nn.space_to_depth(x[:0], 2),
        tf.nn.depth_to_space(y[:, :0], 2),
    ]


@case("SpaceToDepth", "DepthToSpace", graph="types")
def gradients_of_blocks_in_the_channels(tf):
    x, y = numbers(tf, 1, 4, 4, 1), numbers(tf, 1, 1, 1, 4)
    z, w = tf.space_to_depth(x, 2), tf.depth_to_space(y, 2)
    return tf.gradients([z * z, w * w], [x, y])


@case("SpaceToDepth", "DepthToSpace")
def static_shapes_of_blocks_in_the_channels(tf):
    x, y = tf.placeholder(tf.float32, [None, 4, None, 3]), tf.placeholder(tf.float32)
    z = tf.placeholder(tf.float32, [None, 4, None, 8])
    feed = {x: np.ones([1, 4, 4, 3]), y: np.ones([1, 4, 4, 8]), z: np.ones([1, 4, 4, 8])}
    return Program(
        [tf.space_to_depth(x, 2), tf.depth_to_space(z, 2), tf.depth_to_space(y, 2)], feed=feed
    )


@case("SpaceToDepth", error="Dimension size must be evenly divisible by 3 but is 4")
def space_to_depth_that_does_not_fit(tf):
    return tf.space_to_depth(numbers(tf, 1, 4, 4, 1), 3)


@case("SpaceToDepth", error="", each=[((1, 4, 4, 1), 3), ((4, 4, 1), 2)])
def space_to_depth_that_does_not_fit_in_the_run(tf, shape, block):
    x, feed = fed(tf, np.zeros(shape))
    return Program(tf.space_to_depth(x, block), feed=feed)


@case("DepthToSpace", error="", each=[(1, 2, 2, 2), (8,)])
def depth_to_space_that_does_not_fit_in_the_run(tf, *shape):
    x, feed = fed(tf, np.zeros(shape))
    return Program(tf.depth_to_space(x, 2), feed=feed)


@case("SpaceToDepth", error="passed 1 less than minimum 2.")
def blocks_of_one(tf):
    return tf.space_to_depth(numbers(tf, 1, 4, 4, 1), 1)


@case("SpaceToDepth", error='not in: "NHWC", "NCHW", "NCHW_VECT_C"')
def an_unknown_layout(tf):
    return tf.space_to_depth(numbers(tf, 1, 4, 4, 1), 2, data_format="X")
