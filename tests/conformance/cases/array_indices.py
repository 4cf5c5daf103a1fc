"""Elements picked and placed by coordinates; partitions; batches of gathers."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import KINDS, fed, numbers

SCATTERS = ["update", "add", "sub", "min", "max"]


@case("GatherNd", each=[*KINDS, "float64"])
def gather_nd(tf, dtype):
    x = numbers(tf, 2, 3, 4, dtype=dtype)
    return [
        tf.gather_nd(x, [[0, 1], [1, 2]]),
        tf.gather_nd(x, [1]),
        tf.gather_nd(x, [0, 1, 2]),
        tf.gather_nd(x, np.int64([[[0, 0, 1]], [[1, 2, 3]]])),
        tf.gather_nd(x, np.zeros([2, 0], np.int32)),
        tf.gather_nd(x, np.zeros([0, 2], np.int32)),
        tf.manip.gather_nd(x, np.int16([[1]]), name="named"),
    ]


@case("GatherNd")
def static_shapes_of_gather_nd(tf):
    x, i = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [None, 1])
    j, u = tf.placeholder(tf.int32, [2, None]), tf.placeholder(tf.int32)
    feed = {x: np.zeros([2, 3]), i: [[1]], j: [[0], [1]], u: [[1]]}
    return Program([tf.gather_nd(x, i), tf.gather_nd(x, j), tf.gather_nd(x, u)], feed=feed)


@case("GatherNd", "ScatterNd", graph="types", each=[1, 2])
def gradient_of_gather_nd(tf, depth):
    x = numbers(tf, 3, 4)
    indices = [[2, 1], [0, 0], [2, 1]]
    y = tf.gather_nd(x, [index[:depth] for index in indices])
    return tf.gradients(y * y, x)


@case(
    "GatherNd",
    error="does not index into param shape [2,2], node name: GatherNd",
    each=[((0, 0), (0, 2)), ((0, -1), (0, 0))],
)
def gather_nd_out_of_range(tf, *indices):
    return tf.gather_nd(numbers(tf, 2, 2), indices)


@case("GatherNd", error="indices[1,0] = [5] does not index into param shape [2]")
def gather_nd_out_of_range_in_a_matrix(tf):
    return tf.gather_nd(numbers(tf, 2), [[[0]], [[5]]])


@case("GatherNd", error="indices.shape[-1] must be <= params.rank, but saw indices shape: [1,3]")
def gather_nd_with_too_many_coordinates(tf):
    return tf.gather_nd(numbers(tf, 2, 2), [[0, 0, 0]])


@case("GatherNd", error="Requested more than 0 entries, but params is empty.  Params shape: [0,2]")
def gather_nd_from_nothing(tf):
    return tf.gather_nd(tf.zeros([0, 2]), [[0]])


@case("GatherNd", error="", each=[(0.0, ((0,),)), ((0.0, 1.0), 0), ((0.0, 1.0), ((0, 0),))])
def gather_nd_that_fails_in_the_run(tf, params, indices):
    x, i = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    return Program(tf.gather_nd(x, i), feed={x: params, i: indices})


@case("GatherNd", "Pack", "Tile")
def gather_nd_in_batches(tf):
    x = numbers(tf, 2, 3, 4)
    y, feed = fed(tf, np.arange(24).reshape(2, 3, 4), shape=[None, 3, 4])
    i = tf.placeholder(tf.int32, [None, 2])
    return Program(
        [
            tf.gather_nd(x, [[1], [2]], batch_dims=1),
            tf.gather_nd(x, [[[1, 3]], [[2, 0]]], None, 1),
            tf.gather_nd(x, np.zeros([2, 3, 1], np.int32), batch_dims=2, name="named"),
            tf.gather_nd(y, i, batch_dims=1),
        ],
        feed={**feed, i: [[0, 1], [2, 3]]},
    )


@case("GatherNd", error="must be less than rank(`indices`) = 2")
def gather_nd_with_too_many_batch_dimensions(tf):
    return tf.gather_nd(numbers(tf, 2, 2), [[0], [1]], batch_dims=2)


@case("GatherNd", error="tf.gather_nd does not allow negative batch_dims.")
def gather_nd_with_negative_batch_dimensions(tf):
    return tf.gather_nd(numbers(tf, 2, 2), [[0], [1]], batch_dims=-1)


@case("GatherV2", "Prod")
def batch_gather(tf):
    x = numbers(tf, 2, 3, 4)
    y, feed = fed(tf, np.arange(24).reshape(2, 3, 4))
    i = tf.placeholder(tf.int64, [None, None])
    return Program(
        [
            tf.batch_gather(x, [[0, 2], [1, 1]]),
            tf.batch_gather(x, np.zeros([2, 3, 5], np.int32)),
            tf.batch_gather(x, [1, 0], name="named"),
            tf.batch_gather(y, i),
        ],
        feed={**feed, i: [[2], [0]]},
    )


@case("GatherV2", error="batch_gather does not allow indices with unknown shape.")
def batch_gather_of_unknown_rank(tf):
    return tf.batch_gather(numbers(tf, 2, 2), tf.placeholder(tf.int32))


@case("GatherV2", error="must be less than rank(`params`) = 1")
def batch_gather_of_too_small_rank(tf):
    return tf.batch_gather(numbers(tf, 2), [[0]])


# Scattering -----------------------------------------------------------------------------------


@case("ScatterNd", each=[*KINDS, "float64"])
def scatter_nd(tf, dtype):
    return [
        tf.scatter_nd([[1], [3], [1]], numbers(tf, 3, dtype=dtype), [4]),
        tf.scatter_nd([[0, 1], [1, 2]], numbers(tf, 2, dtype=dtype), [2, 3]),
        tf.scatter_nd([[2], [0]], numbers(tf, 2, 3, dtype=dtype), [3, 3], name="named"),
        tf.scatter_nd(
            np.int64([[[1]], [[0]]]), numbers(tf, 2, 1, 2, dtype=dtype), np.int64([2, 2])
        ),
        tf.scatter_nd(np.zeros([0, 1], np.int32), numbers(tf, 0, dtype=dtype), [2]),
        tf.scatter_nd(np.zeros([0, 1], np.int32), numbers(tf, 0, dtype=dtype), [0]),
    ]


@case("ScatterNd", graph="types")
def gradient_of_scatter_nd(tf):
    x = numbers(tf, 3)
    y = tf.scatter_nd([[1], [3], [1]], x, [4])
    return tf.gradients(y * y, x)


@case("ScatterNd")
def static_shapes_of_scatter_nd(tf):
    i, u = tf.placeholder(tf.int32, [None, 1]), tf.placeholder(tf.float32, [None, 5])
    s, t = tf.placeholder(tf.int32, [2]), tf.placeholder(tf.int32)
    feed = {i: [[1]], u: np.ones([1, 5]), s: [4, 5], t: [4, 5]}
    return Program(
        [tf.scatter_nd(i, u, [4, 5]), tf.scatter_nd(i, u, s), tf.scatter_nd(i, u, t)], feed=feed
    )


WRONG = [
    ([[1], [4]], [1.0, 2.0], [4]),
    ([[1], [-1]], [1.0, 2.0], [4]),
    ([[1], [1]], [1.0], [4]),
    ([[1], [1]], [[1.0, 2.0], [3.0, 4.0]], [4, 3]),
    ([[1], [1]], [[1.0], [3.0]], [4]),
    ([[1, 1]], [1.0], [4]),
    (1, 1.0, [4]),
    ([[1]], [1.0], [-4]),
    ([[1]], [1.0], [[4]]),
    ([[1]], [1.0], [0]),
    ([1], 5.0, [4]),
    ([1], [5.0, 6.0], [4, 2]),
]


@case("ScatterNd", error="", each=range(len(WRONG)))
def scatter_nd_that_does_not_fit(tf, index):
    indices, updates, shape = WRONG[index]
    return tf.scatter_nd(indices, tf.constant(updates), shape)


@case("ScatterNd", error="", each=range(len(WRONG)))
def scatter_nd_that_does_not_fit_in_the_run(tf, index):
    i, u, s = (tf.placeholder(kind) for kind in ("int32", "float32", "int32"))
    return Program(tf.scatter_nd(i, u, s), feed=dict(zip((i, u, s), WRONG[index])))


@case("ScatterNd", error="indices[1] = [4] does not index into shape [4]")
def scatter_nd_out_of_range(tf):
    return tf.scatter_nd([[1], [4]], tf.constant([1.0, 2.0]), [4])


@case("ScatterNd", error="must match dimensions [0,1) of updates[shape=[1]]")
def scatter_nd_of_too_few(tf):
    return tf.scatter_nd([[1], [1]], tf.constant([1.0]), [4])


@case(
    "TensorScatterUpdate",
    "TensorScatterAdd",
    "TensorScatterSub",
    "TensorScatterMin",
    "TensorScatterMax",
    each=["float32", "int32", "float64", "int64"],
)
def tensor_scatter(tf, dtype):
    x, one = numbers(tf, 4, dtype=dtype), numbers(tf, 3, dtype=dtype)
    m, rows = numbers(tf, 3, 2, dtype=dtype), numbers(tf, 2, 2, dtype=dtype) + tf.cast(2, dtype)
    functions = [getattr(tf, f"tensor_scatter_nd_{what}") for what in SCATTERS]
    return (
        [f(x, [[1], [3], [1]], one) for f in functions]
        + [f(m, [[2], [0]], rows) for f in functions]
        + [f(m, [[[1, 1]], [[0, 0]]], rows[:, :1]) for f in functions]
        + [f(m, np.zeros([0, 1], np.int32), rows[:0]) for f in functions]
        + [
            tf.tensor_scatter_update(x, [[0]], one[2:], name="named"),
            tf.tensor_scatter_add(x, [[0]], one[2:]),
            tf.tensor_scatter_sub(x, [[0]], one[2:]),
        ]
    )


@case("TensorScatterUpdate", each=["string", "bool", "float16", "complex64"])
def tensor_scatter_update_of(tf, dtype):
    return tf.tensor_scatter_update(numbers(tf, 3, dtype=dtype), [[0]], numbers(tf, 1, dtype=dtype))


@case("ScatterNdNonAliasingAdd")
def scatter_nd_non_aliasing_add(tf):
    inputs = [numbers(tf, 4), tf.constant([[1], [3], [1]]), numbers(tf, 3)]
    types = {"T": tf.float32, "Tindices": tf.int32}
    return node(tf, "ScatterNdNonAliasingAdd", inputs, **types)


@case(
    "TensorScatterUpdate",
    "TensorScatterAdd",
    "TensorScatterSub",
    "TensorScatterMin",
    "TensorScatterMax",
    graph="types",
)
def gradients_of_tensor_scatter(tf):
    x, y = numbers(tf, 4), numbers(tf, 3) * 2.0
    found = []
    for what in SCATTERS:
        z = getattr(tf, f"tensor_scatter_nd_{what}")(x, [[1], [3], [2]], y)
        found += tf.gradients(z * z, [x, y])
    return found


@case("ScatterNdNonAliasingAdd", graph="types")
def gradient_of_scatter_nd_non_aliasing_add(tf):
    x, y = numbers(tf, 4), numbers(tf, 3)
    types = {"T": tf.float32, "Tindices": tf.int32}
    [z] = node(tf, "ScatterNdNonAliasingAdd", [x, tf.constant([[1], [3], [1]]), y], **types)
    return tf.gradients(z * z, [x, y])


BAD_UPDATES = [
    ([1.0, 2.0, 3.0], [[1], [4]], [1.0, 2.0]),
    ([1.0, 2.0, 3.0], [[1], [1]], [1.0]),
    ([1.0, 2.0, 3.0], [[1, 1]], [1.0]),
    (1.0, [[1]], [1.0]),
    ([1.0], 1, 1.0),
    ([1.0, 2.0], [1], 5.0),
    ([[1.0, 2.0]], [0], [5.0, 6.0]),
]
EACH_BAD = [(what, index) for what in SCATTERS for index in range(len(BAD_UPDATES))]


@case("TensorScatterUpdate", error="", each=EACH_BAD)
def tensor_scatter_that_does_not_fit(tf, what, index):
    x, i, y = BAD_UPDATES[index]
    return getattr(tf, f"tensor_scatter_nd_{what}")(tf.constant(x), i, tf.constant(y))


@case("TensorScatterUpdate", error="", each=EACH_BAD)
def tensor_scatter_that_does_not_fit_in_the_run(tf, what, index):
    x, i, y = (tf.placeholder(kind) for kind in ("float32", "int32", "float32"))
    function = getattr(tf, f"tensor_scatter_nd_{what}")
    return Program(function(x, i, y), feed=dict(zip((x, i, y), BAD_UPDATES[index])))


# Dealing out ----------------------------------------------------------------------------------


@case("DynamicPartition", each=KINDS)
def dynamic_partition(tf, dtype):
    x, m = numbers(tf, 4, dtype=dtype), numbers(tf, 2, 2, 3, dtype=dtype)
    return [
        tf.dynamic_partition(x, [2, 0, 2, 0], 3),
        tf.dynamic_partition(m, [1, 0], 2),
        tf.dynamic_partition(m, [[1, 0], [1, 1]], 2, name="named"),
        tf.dynamic_partition(x, 1, 2),
        tf.dynamic_partition(x[:0], np.zeros([0], np.int32), 2),
    ]


@case("DynamicPartition")
def static_shapes_of_dynamic_partition(tf):
    x, p = tf.placeholder(tf.float32, [None, 5]), tf.placeholder(tf.int32, [None])
    u = tf.placeholder(tf.int32)
    feed = {x: np.ones([2, 5]), p: [0, 1], u: [1, 0]}
    return Program([tf.dynamic_partition(x, p, 2), tf.dynamic_partition(x, u, 2)], feed=feed)


@case("DynamicPartition", "ParallelDynamicStitch", graph="types")
def gradient_of_dynamic_partition(tf):
    x = numbers(tf, 4, 2)
    first, second, _ = tf.dynamic_partition(x, [1, 0, 1, 2], 3)
    return tf.gradients([first * first, second * 3.0], x)


@case("DynamicPartition", error="partitions[2] = 3 is not in [0, 3)")
def a_partition_that_is_not_there(tf):
    return tf.dynamic_partition(numbers(tf, 3), [1, 0, 3], 3)


@case("DynamicPartition", error="", each=[((1, 0),), (((1, 0, 1),),)])
def partitions_that_do_not_fit(tf, partitions):
    return tf.dynamic_partition(numbers(tf, 3), partitions, 3)


@case("DynamicPartition", error="data.shape must start with partitions.shape", each=[((1, 0),)])
def partitions_that_do_not_fit_in_the_run(tf, partitions):
    p, feed = fed(tf, partitions, "int32")
    return Program(tf.dynamic_partition(numbers(tf, 3), p, 3), feed=feed)


@case("DynamicPartition", error="passed 0 less than minimum 1")
def no_partitions(tf):
    return tf.dynamic_partition(numbers(tf, 3), [0, 0, 0], 0)


@case("ParallelDynamicStitch", error="is out of range")
def stitching_at_a_negative_place(tf):
    x = numbers(tf, 2)
    return _parallel(tf, [tf.constant([0, -2])], [x])


@case("ParallelDynamicStitch", graph="types")
def parallel_stitching(tf):
    x, y = numbers(tf, 2), numbers(tf)
    [z] = _parallel(tf, [tf.constant([0, 2]), tf.constant(1)], [x, y])
    return [z, tf.gradients(z * z, [x, y])]


def _parallel(tf, indices, data):
    attrs = {"N": len(indices), "T": tf.float32}
    return node(tf, "ParallelDynamicStitch", indices + data, **attrs)


@case("DynamicStitch", "UnsortedSegmentSum", graph="types")
def gradient_of_gather_from_a_stitch(tf):
    x, y = numbers(tf, 2, 2), numbers(tf, 1, 2)
    z = tf.gather(tf.dynamic_stitch([[0, 2], [1]], [x, y]), [2, 2, 1])
    return tf.gradients(z * z, [x, y])


# Oddments -------------------------------------------------------------------------------------


@case("UnravelIndex", each=["int32", "int64"])
def unravel_index(tf, dtype):
    dims = tf.constant([3, 2, 4], dtype)
    return [
        tf.unravel_index(tf.constant([2, 5, 23], dtype), dims),
        tf.unravel_index(tf.constant(17, dtype), dims, name="named"),
    ]


@case("UnravelIndex", error="index is out of bound as with dims")
def unravel_an_index_that_is_too_large(tf):
    return tf.unravel_index([9], [3, 3])


@case("UnravelIndex", error="Input dims cannot contain a dim of zero, but dims contains zero at")
def unravel_an_index_of_nothing(tf):
    return tf.unravel_index([0], [0, 3])


@case("UnravelIndex", error="", each=[((0,), 3), (((0,),), (3,))])
def unravel_that_fails_in_the_run(tf, indices, dims):
    i, d = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    return Program(tf.unravel_index(i, d), feed={i: indices, d: dims})


@case("ParallelConcat", each=["float32", "int32", "string"])
def parallel_stack(tf, dtype):
    x = numbers(tf, 2, 3, dtype=dtype)
    return [tf.parallel_stack([x, x]), tf.parallel_stack([x[0]], name="named")]


@case("ParallelConcat", error="shape attr must be fully defined.")
def parallel_stack_of_unknown_shape(tf):
    return tf.parallel_stack([tf.placeholder(tf.float32, [None])])


@case("GuaranteeConst")
def guarantee_const(tf):
    return tf.guarantee_const(numbers(tf, 2, 3), name="named")


@case("ListDiff", "GatherV2")
def sparse_mask(tf):
    slices = tf.IndexedSlices(numbers(tf, 3, 2), tf.constant([4, 1, 7]), tf.constant([9, 2]))
    masked = tf.sparse_mask(slices, [1, 2])
    return [masked.values, masked.indices]


@case("BroadcastArgs", each=["int32", "int64"])
def broadcast_dynamic_shape(tf, dtype):
    x, feed = fed(tf, [2, 1], dtype, [None])
    y = tf.constant([3], dtype)
    return Program(
        [
            tf.broadcast_dynamic_shape(tf.constant([2, 1], dtype), y),
            tf.broadcast_dynamic_shape(x, y),
            tf.broadcast_dynamic_shape(y, y),
        ],
        feed=feed,
    )


@case("BroadcastArgs", error="Incompatible shapes: [2,2] vs. [3]")
def broadcast_dynamic_shapes_that_do_not_fit(tf):
    return tf.broadcast_dynamic_shape([2, 2], [3])


@case("BroadcastArgs", error="Shape must be rank 1 but is rank 0")
def broadcast_dynamic_shape_of_a_number(tf):
    return tf.broadcast_dynamic_shape(2, [3])


# Masks ----------------------------------------------------------------------------------------


@case("Where", "GatherV2", each=KINDS)
def boolean_mask_along_axes(tf, dtype):
    x = numbers(tf, 2, 3, 2, dtype=dtype)
    axis, feed = fed(tf, 1, "int32", [])
    mask = [True, False, True]
    return Program(
        [
            tf.boolean_mask(x, mask, axis=1),
            tf.boolean_mask(x, [mask, mask]),
            tf.boolean_mask(x, mask, axis=tf.constant(1)),
            tf.boolean_mask(x, mask, axis=axis),
            tf.boolean_mask(x, [[True, False]] * 3, axis=1, name="named"),
            tf.boolean_mask(x, [False, False]),
        ],
        feed=feed,
    )


@case("Where", each=["float32", "int32", "bool", "complex64", "uint8", "int64"])
def where_elements_are(tf, dtype):
    x = tf.constant([[0, 1, 0], [2, 0, 3]], "int32")
    x, empty = tf.cast(x, dtype), tf.zeros([0, 2], dtype)
    u = tf.placeholder(dtype)
    return Program(
        [tf.where(x), tf.where(empty, name="named"), tf.where(u)], feed={u: np.array([0, 1])}
    )


@case("Where", error="WhereOp : Unhandled input dimensions: 0")
def where_of_a_scalar(tf):
    return tf.where(True)


@case("Select", error="x and y must both be non-None or both be None.")
def where_with_one_choice(tf):
    return tf.where([True], [1.0])
