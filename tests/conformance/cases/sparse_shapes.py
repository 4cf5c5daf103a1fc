"""Sparse tensors joined, cut, reshaped, filled up, and made of dense ones."""

import numpy as np

from tests.conformance.cases.sparse_arithmetic import VALUE, empty, fed, matrix, other
from tests.conformance.nodes import node
from tests.conformance.registry import Program, case

KINDS = ["float32", "int64", "complex64", "bool", "string", "bfloat16"]


def of_kind(tf, kind):
    values = ["a", "bc", ""] if kind == "string" else [1, 0, 1] if kind == "bool" else [1, 2, 3]
    values = np.array(values, object if kind == "string" else bool if kind == "bool" else None)
    return tf.SparseTensor([[0, 1], [1, 0], [1, 2]], tf.constant(values, kind), [2, 3])


# Joining ------------------------------------------------------------------------------------------


@case("SparseConcat", each=KINDS)
def concat(tf, kind):
    x = of_kind(tf, kind)
    return [
        tf.sparse_concat(0, [x, x]),
        tf.sparse.concat(1, [x, x, x], name="named"),
        tf.sparse.concat(-1, [x, x]),
        tf.sparse.concat(axis=0, sp_inputs=[x]),
    ]


@case("SparseConcat")
def concat_of_other_sizes(tf):
    x, y = matrix(tf), empty(tf, shape=(4, 1))
    (z, feed) = fed(tf, VALUE)
    (m, more) = fed(tf, VALUE, rank=2)
    results = [
        tf.sparse.concat(0, [x, y], expand_nonconcat_dim=True),
        tf.sparse.concat(-1, [x, y], expand_nonconcat_dim=True),
        tf.sparse_concat(None, [x, empty(tf, shape=(2, 2))], concat_dim=1),
        tf.sparse.concat(0, [x, z]),
        tf.sparse.concat(1, [m, z]),
        tf.sparse.concat(1, [m, x]),
        tf.sparse.concat(1, [m, y], expand_nonconcat_dim=True),
        tf.sparse.concat(0, [empty(tf), empty(tf)]),
    ]
    return Program(
        [*results, [tf.reshape(tf.shape(tf.sparse_tensor_to_dense(r)), [-1]) for r in results]],
        feed={**feed, **more},
    )


@case("SparseConcat", error="Concat dimension must be in range [-2, 2), got 2")
def concat_along_a_missing_dimension(tf):
    x, feed = fed(tf, VALUE)
    return Program(tf.sparse.concat(2, [x, x]), feed=feed)


@case("SparseConcat", error="Input shapes must match: expected 3 for dimension 1 but got 4 at")
def concat_that_does_not_fit(tf):
    return tf.sparse.concat(0, [matrix(tf), empty(tf, shape=(2, 4))])


@case("SparseConcat", error="Ranks of all input tensors must match: expected 2 but got 1 at")
def concat_of_other_ranks(tf):
    (x, one), (y, two) = fed(tf, VALUE), fed(tf, ([[0]], [1.0], [2]))
    return Program(tf.sparse.concat(0, [x, y]), feed={**one, **two})


@case(error="Inputs must be a list or tuple.")
def concat_of_one(tf):
    return tf.sparse.concat(0, matrix(tf))


@case("SparseConcat", error="has no gradient")
def no_gradient_of_concat(tf):
    x = matrix(tf)
    (found,) = tf.gradients(tf.sparse.concat(0, [x, x]).values, x.values)
    if found is None:
        raise ValueError("has no gradient")
    return found


# Parts --------------------------------------------------------------------------------------------


@case("SparseSplit", each=KINDS)
def split(tf, kind):
    x = of_kind(tf, kind)
    return [
        tf.sparse_split(sp_input=x, num_split=2, axis=1),
        tf.sparse.split(sp_input=x, num_split=2, axis=0, name="named"),
        tf.sparse.split(sp_input=x, num_split=3, axis=-1),
    ]


@case("SparseSplit")
def split_of_unknown_shape(tf):
    x, feed = fed(tf, ([[1, 6], [0, 0], [0, 3]], [1.0, 2.0, 3.0], [2, 7]))
    axis = tf.placeholder(tf.int64)
    return Program(tf.sparse.split(sp_input=x, num_split=3, axis=axis), feed={**feed, axis: 1})


@case("SparseSplit", error="Input axis should be in range [-2, 2), got 2")
def split_along_a_missing_dimension(tf):
    return tf.sparse.split(sp_input=matrix(tf), num_split=1, axis=2)


@case("SparseSplit", error="Input num_split should be between 1 and the splitting dimension size")
def split_into_too_many(tf):
    return tf.sparse.split(sp_input=matrix(tf), num_split=4, axis=1)


@case(
    each=[
        ({"num_split": 2, "axis": 1}, "sp_input is required"),
        ({"axis": 1}, "is required"),
        ({"num_split": 2}, "is required"),
    ],
    error="is required",
)
def split_without_arguments(tf, arguments, message):
    if "is required" == message:
        arguments = {"sp_input": matrix(tf), **arguments}
    return tf.sparse.split(**arguments)


@case(error="Keyword arguments are required for this function.")
def split_by_position(tf):
    return tf.sparse.split(matrix(tf), 2, 1)


@case("SparseSlice", each=KINDS)
def slices(tf, kind):
    x = of_kind(tf, kind)
    return [
        tf.sparse_slice(x, [0, 1], [2, 1]),
        tf.sparse.slice(x, [1, 0], [5, 5], name="named"),
        tf.sparse.slice(x, [2, 0], [1, 1]),
        tf.sparse.slice(x, [0, 0], [0, 3]),
    ]


@case("SparseSlice")
def slices_of_unknown_shape(tf):
    x, feed = fed(tf, ([[1, 2], [0, 1]], [3.0, 1.0], [2, 3]))
    start = tf.placeholder(tf.int64)
    return Program(tf.sparse.slice(x, start, [2, 2]), feed={**feed, start: [0, 1]})


@case("SparseSlice", "SparseSliceGrad")
def gradient_of_a_slice(tf):
    x = matrix(tf)
    part = tf.sparse.slice(x, [0, 1], [2, 2])
    return tf.gradients(part.values * [5.0, 7.0], x.values)


@case("SparseSlice", error="Expected start to be a vector of length 2 but got length 1")
def slice_of_too_few(tf):
    return tf.sparse.slice(matrix(tf), [0], [1, 1])


# Rows ---------------------------------------------------------------------------------------------


@case("SparseFillEmptyRows", each=KINDS)
def filled_rows(tf, kind):
    x = of_kind(tf, kind)
    x = tf.SparseTensor(x.indices + [[1, 0]], x.values, [5, 3])
    default = {"string": "-", "bool": True}.get(kind, 9)
    return tf.sparse_fill_empty_rows(x, default)


@case("SparseFillEmptyRows")
def filled_rows_of_unknown_shape(tf):
    x, feed = fed(tf, ([[2, 1], [0, 1], [2, 0], [0, 0]], [1.0, 2.0, 3.0, 4.0], [4, 2]))
    y, more = fed(tf, ([[1]], [1.0], [3]), rank=1)
    nothing = tf.SparseTensor(np.zeros([0, 2], np.int64), tf.zeros([0]), [0, 3])
    found = [tf.sparse.fill_empty_rows(one, -1.0) for one in (x, y, nothing, empty(tf), matrix(tf))]
    return Program(found, feed={**feed, **more})


@case("SparseFillEmptyRowsGrad")
def gradient_of_filled_rows(tf):
    x, default = tf.SparseTensor([[1, 0], [3, 0]], [1.0, 2.0], [5, 2]), tf.constant(0.5)
    filled, _ = tf.sparse.fill_empty_rows(x, default)
    return tf.gradients(filled.values * tf.range(1.0, 6.0), [x.values, default])


@case("SparseFillEmptyRows", error="indices(0, 0) is invalid: 5 >= 5")
def filled_rows_outside(tf):
    return tf.sparse.fill_empty_rows(tf.SparseTensor([[5, 0]], [1.0], [5, 2]), 1.0)


@case("SparseFillEmptyRows", error="Received SparseTensor with dense_shape[0] = 0 but")
def filled_rows_of_none(tf):
    return tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 0]], [1.0], [0, 2]), 1.0)


@case("SparseFillEmptyRows", error="Shape must be rank 0 but is rank 1")
def filled_rows_with_many(tf):
    return tf.sparse.fill_empty_rows(matrix(tf), [1.0])


@case("GatherV2")
def retained(tf):
    value = tf.SparseTensorValue([[0, 1], [1, 2]], [1.0, 2.0], [2, 3])
    return [tf.sparse.retain(matrix(tf), [True, False, True]), tf.sparse.retain(value, [False] * 2)]


@case(error="Dimensions 3 and 2 are not compatible")
def retained_of_another_number(tf):
    return tf.sparse.retain(matrix(tf), [True, False])


# Shapes -------------------------------------------------------------------------------------------


@case("SparseReshape")
def reshapes(tf):
    x = matrix(tf)
    (y, feed) = fed(tf, VALUE)
    size = tf.placeholder_with_default(np.int64(3), [])
    results = [
        tf.sparse_reshape(x, [3, 2]),
        tf.sparse.reshape(x, [-1], name="named"),
        tf.sparse.reshape(x, [3, -1, 1]),
        tf.sparse.reshape(x, [2, 3]),
        tf.sparse.reshape(y, [6]),
        tf.sparse.reshape(y, [3, -1]),
        tf.sparse.reshape(x, [size, 2]),
        tf.sparse.reshape(empty(tf, shape=(0, 2)), [2, 0]),
        tf.sparse.reshape(empty(tf), [6, 1]),
    ]
    return Program([*results, tf.gradients(results[0].values, x.values)], feed=feed)


@case(error="Cannot reshape a tensor with 6 elements to shape [4, 2] (8 elements).")
def reshape_to_another_size(tf):
    return tf.sparse.reshape(matrix(tf), [4, 2])


@case(error="At most one dimension can be inferred (-1). Found: [-1 -1]")
def reshape_with_two_unknowns(tf):
    return tf.sparse.reshape(matrix(tf), [-1, -1])


@case(
    "SparseReshape",
    each=[
        ([4, 2], "the requested shape has 8"),
        ([-1, -1], "only one output dimension"),
        ([-1, 4], "requires a multiple of 4"),
        ([-2, 3], "size 0 must be non-negative, not -2"),
        ([-1, 0], "reshape cannot infer the missing input size for an empty tensor"),
    ],
    error="",
)
def reshape_of_fed_sizes(tf, sizes, message):
    x, feed = fed(tf, VALUE)
    shape = tf.placeholder(tf.int64, [2])
    return Program(tf.sparse.reshape(x, shape), feed={**feed, shape: sizes})


@case("SparseReorder")
def transposes(tf):
    x = matrix(tf)
    (y, feed), (z, more) = fed(tf, VALUE), fed(tf, ([[0, 1, 2]], [1.0], [1, 2, 3]), rank=3)
    return Program(
        [
            tf.sparse_transpose(x),
            tf.sparse.transpose(x, [0, 1], name="named"),
            tf.sparse.transpose(y),
            tf.sparse.transpose(z, [1, 2, 0]),
            tf.sparse.transpose(y, [1, 0]),
            tf.sparse.transpose(empty(tf)),
        ],
        feed={**feed, **more},
    )


@case("Maximum", "Identity")
def reset_shapes(tf):
    x = matrix(tf)
    (y, feed) = fed(tf, VALUE)
    return Program(
        [
            tf.sparse_reset_shape(x),
            tf.sparse.reset_shape(x, [4, 4]),
            tf.sparse.reset_shape(y, [2, 5]),
            tf.sparse.reset_shape(y),
        ],
        feed=feed,
    )


@case("Max")
def reset_shape_of_nothing(tf):
    return tf.sparse.reset_shape(empty(tf))


@case(error="Requested new_shape should have dimension sizes >= sp_input.shape.")
def reset_to_a_smaller_shape(tf):
    return tf.sparse.reset_shape(matrix(tf), [2, 2])


@case(error="assertion failed: ")
def reset_to_a_smaller_fed_shape(tf):
    x, feed = fed(tf, VALUE)
    return Program(tf.sparse.reset_shape(x, [2, 2]), feed=feed)


@case("Slice")
def expanded_dimensions(tf):
    x = matrix(tf)
    (y, feed) = fed(tf, VALUE, rank=2)
    return Program(
        [
            tf.sparse.expand_dims(x),
            tf.sparse.expand_dims(x, 0, name="named"),
            tf.sparse.expand_dims(x, -2),
            tf.sparse.expand_dims(y, 1),
            tf.sparse.expand_dims(x, tf.constant(1)),
        ],
        feed=feed,
    )


@case(error="axis must be an integer value in range")
def expanded_at_a_fraction(tf):
    return tf.sparse.expand_dims(matrix(tf), 0.5)


# Dense tensors ------------------------------------------------------------------------------------


@case("Where", "GatherNd")
def from_dense(tf):
    unknown = tf.placeholder(tf.float32)
    fetches = [
        tf.sparse.from_dense([[0, 5], [6, 0]]),
        tf.sparse.from_dense(["", "a"], name="named"),
        tf.sparse.from_dense(unknown),
        tf.sparse.from_dense([False, True]),
    ]
    return Program(fetches, feed={unknown: [[0.0, 1.0]]})


@case("Range")
def eye(tf):
    rows = tf.placeholder(tf.int32)
    fetches = [
        tf.sparse.eye(2),
        tf.sparse.eye(2, 3, tf.int32, name="named"),
        tf.sparse.eye(3, 2),
        tf.sparse.eye(rows),
        tf.sparse.eye(0),
    ]
    return Program(fetches, feed={rows: 2})


@case(error="num_rows must be an integer value")
def eye_of_a_fraction(tf):
    return tf.sparse.eye(2.5)


@case("SparseToDense", "SparseReorder")
def static_shapes(tf):
    x = matrix(tf)
    y = tf.sparse_placeholder(tf.float32, [None, 3])
    feed = dict(zip((y.indices, y.values, y.dense_shape), map(np.array, VALUE)))
    known = [x.shape, y.shape, tf.sparse.reorder(y).shape, tf.sparse.concat(1, [x, y]).shape]
    sizes = [tf.constant([-1 if n is None else n for n in shape.as_list()]) for shape in known]
    x.set_shape([2, None])
    return Program([sizes, tf.sparse.to_dense(y)], feed=feed)


@case("PlaceholderWithDefault")
def fed_of_partly_known_shape(tf):
    y = tf.sparse_placeholder(tf.float32, [-1, 3], name="named")
    feed = dict(zip((y.indices, y.values, y.dense_shape), map(np.array, VALUE)))
    sizes = [-1 if n is None else n for n in y.shape.as_list()]
    return Program([tf.constant(sizes), tf.sparse.to_dense(y)], feed=feed)


@case(error="are not compatible")
def static_shape_that_contradicts(tf):
    matrix(tf).set_shape([2, 4])


@case("SparseSliceGrad", error="# rows of output_indices should be not greater than")
def slice_gradient_of_more(tf):
    more = tf.constant(np.zeros([4, 2], np.int64))
    return node(
        tf, "SparseSliceGrad", [tf.ones([4]), matrix(tf).indices, tf.zeros([2], tf.int64), more]
    )


@case("SparseAddGrad", error="# elements of backprop_val_grad and # rows of sum_indices should")
def sum_gradient_of_another_number(tf):
    x = matrix(tf).indices
    return node(tf, "SparseAddGrad", [tf.ones([4]), x, other(tf).indices, x])


@case("SparseFillEmptyRowsGrad", error="Elements in reverse index must be in [0, 2) but got 2")
def filled_gradient_outside(tf):
    return node(tf, "SparseFillEmptyRowsGrad", [tf.constant([0, 2], tf.int64), tf.ones([2])])
