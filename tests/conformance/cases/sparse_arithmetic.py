"""Sparse tensors added, compared, multiplied, reduced; what is not there counts as zero or not."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case

REAL = ["float32", "float64", "int32", "int64", "int16", "int8"]


def matrix(tf, dtype="float32", values=(1, 2, 3)):
    return tf.SparseTensor([[0, 1], [1, 0], [1, 2]], tf.constant(list(values), dtype), [2, 3])


def other(tf, dtype="float32", values=(-2, 5, 4)):
    return tf.SparseTensor([[0, 1], [0, 2], [1, 2]], tf.constant(list(values), dtype), [2, 3])


def empty(tf, dtype="float32", shape=(2, 3)):
    return tf.SparseTensor(np.zeros([0, len(shape)], np.int64), tf.zeros([0], dtype), list(shape))


def fed(tf, value, dtype="float32", rank=None):
    """A sparse placeholder and its feed; its rank is known or not."""
    x = tf.sparse_placeholder(dtype, None if rank is None else [None] * rank)
    parts = (x.indices, x.values, x.dense_shape)
    kinds = (np.int64, x.dtype.as_numpy_dtype, np.int64)
    return x, {part: np.array(v, kind) for part, v, kind in zip(parts, value, kinds)}


VALUE = ([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 3.0], [2, 3])

# Addition -----------------------------------------------------------------------------------------


@case("SparseAdd", each=[*REAL, "complex64", "complex128"])
def add(tf, dtype):
    return tf.sparse_add(matrix(tf, dtype), other(tf, dtype))


@case("SparseAdd")
def add_with_threshold(tf):
    x = matrix(tf)
    return [
        tf.sparse.add(x, other(tf), threshold=2),
        tf.sparse.add(x, other(tf), 1.0),
        tf.sparse_add(x, other(tf), thresh=7.5),
        tf.sparse.add(x, empty(tf)),
        tf.sparse.add(empty(tf), empty(tf)),
        tf.sparse_add(tf.SparseTensorValue([[0, 0]], [1.0], [2, 3]), x),
        tf.sparse_add(matrix(tf, values=(0.1, 0.2, 0.3)), empty(tf), 1.0),
    ]


@case("SparseAdd")
def add_out_of_order(tf):
    x = tf.SparseTensor([[1, 0], [0, 1], [1, 2]], [1.0, 2.0, 3.0], [2, 3])
    y = tf.SparseTensor([[0, 1], [0, 1], [1, 2]], [10.0, 20.0, 30.0], [2, 3])
    vector = tf.SparseTensor([[1]], [2], [4])
    return [
        tf.sparse.add(x, y),
        tf.sparse.add(y, x),
        tf.sparse.add(y, y),
        tf.sparse.add(vector, vector),
    ]


@case("SparseAdd")
def add_of_unknown_shapes(tf):
    (x, one), (y, two) = fed(tf, VALUE), fed(tf, VALUE, rank=2)
    return Program([tf.sparse.add(x, y), tf.sparse.add(y, matrix(tf))], feed={**one, **two})


@case("SparseAdd", "SparseAddGrad")
def gradients_of_a_sum(tf):
    x, y = matrix(tf), other(tf)
    total = tf.sparse.add(x, y, 2.0)
    return tf.gradients(total.values * tf.range(1.0, 4.0), [x.values, y.values])


@case("SparseTensorDenseAdd", each=[*REAL, "complex64", "uint8", "float16"])
def add_dense(tf, dtype):
    x = matrix(tf, dtype)
    dense = tf.constant(np.arange(6).reshape(2, 3), dtype)
    return [
        tf.sparse.add(x, dense),
        tf.sparse.add(dense, x),
        tf.sparse_add(empty(tf, dtype), dense),
    ]


@case("SparseTensorDenseAdd", "GatherNd")
def gradients_of_a_dense_sum(tf):
    x, dense = matrix(tf), tf.ones([2, 3])
    weights = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    return tf.gradients(tf.sparse.add(x, dense) * weights, [x.values, dense])


@case("SparseTensorDenseAdd")
def add_dense_twice_at_a_place(tf):
    x = tf.SparseTensor([[1], [1], [0]], [1, 2, 3], [2])
    return tf.sparse_add(x, tf.constant([10, 20]))


@case("SparseAdd", error="Input indices must have the same dimension, got 2 and 1")
def add_of_other_ranks(tf):
    vector, one = fed(tf, ([[0]], [1.0], [2]))
    x, two = fed(tf, VALUE)
    return Program(tf.sparse.add(x, vector), feed={**one, **two})


@case("SparseAdd", error="Operands' shapes do not match: got 3 and 4 for dimension 1")
def add_of_other_shapes(tf):
    x, one = fed(tf, VALUE)
    y, two = fed(tf, ([[0, 1]], [1.0], [2, 4]))
    return Program(tf.sparse.add(x, y), feed={**one, **two})


@case(error="Shapes (2, 3) and (2, 4) are incompatible")
def add_of_other_static_shapes(tf):
    return tf.sparse.add(matrix(tf), empty(tf, shape=(2, 4)))


@case(error="At least one input should be SparseTensor; do you mean to use tf.add()?")
def add_of_dense_ones(tf):
    return tf.sparse.add([1.0], [2.0])


@case(
    "SparseTensorDenseAdd",
    each=[([2, 4], "Dimension 1 does not equal"), ([2], "Two operands have different ranks")],
    error="",
)
def add_dense_of_another_shape(tf, shape, message):
    return tf.sparse.add(matrix(tf), tf.ones(shape))


@case("SparseTensorDenseAdd", error="Sparse tensor has an invalid index on dimension 0")
def add_dense_outside(tf):
    return tf.sparse.add(tf.SparseTensor([[2]], [1.0], [2]), tf.ones([2]))


# Maximum, minimum ---------------------------------------------------------------------------------


@case("SparseSparseMaximum", "SparseSparseMinimum", each=[*REAL, "uint8", "float16", "bfloat16"])
def extremes(tf, dtype):
    x = matrix(tf, dtype)
    y = other(tf, dtype, (2, 5, 4) if dtype == "uint8" else (-2, 5, -4))
    return [tf.sparse_maximum(x, y), tf.sparse_minimum(x, y)]


@case("SparseSparseMaximum", "SparseSparseMinimum")
def extremes_with_nothing(tf):
    (x, one), y = fed(tf, ([[0, 1], [1, 1]], [-1.0, np.nan], [2, 3])), empty(tf)
    both = [tf.sparse.maximum(x, y, name="named"), tf.sparse.minimum(y, x)]
    return Program([*both, tf.sparse.maximum(y, y), tf.sparse.maximum(x, matrix(tf))], feed=one)


@case("SparseSparseMaximum", error="Operands' shapes do not match: got 3 and 4 for dimension 1")
def extremes_of_other_shapes(tf):
    return tf.sparse.maximum(matrix(tf), empty(tf, shape=(2, 4)))


# Elementwise with a dense tensor ------------------------------------------------------------------


@case("SparseDenseCwiseMul", "SparseDenseCwiseDiv", each=["float32", "float64", "float16"])
def operators(tf, dtype):
    x = matrix(tf, dtype)
    dense = tf.constant([[1, 2, 4], [8, 16, 32]], dtype)
    return [
        x * dense,
        x / dense,
        x / 2,
        x * 3,
        x * [2, 4, 8],
        dense * x,
        x.__div__(dense),
        x * tf.constant([[2], [3]], dtype),
        empty(tf, dtype) * dense,
    ]


@case("SparseDenseCwiseMul", "SparseDenseCwiseDiv", each=["int32", "int64", "int16", "uint8"])
def operators_on_integers(tf, dtype):
    x = matrix(tf, dtype, (7, 9, 11))
    dense = tf.constant([[1, 2, 4], [8, 16, 3]], dtype)
    return [x * dense, x / dense, x.__div__(dense), x / 2]


@case("SparseDenseCwiseDiv")
def quotients_of_negative_integers(tf):
    return matrix(tf, "int32", (-7, 7, -6)).__div__(tf.constant([2, -2, 4]))


@case("SparseDenseCwiseAdd")
def added_where_there_is_something(tf):
    x, dense = matrix(tf), tf.constant([[1.0], [2.0]])
    return node(tf, "SparseDenseCwiseAdd", [x.indices, x.values, x.dense_shape, dense])


@case("SparseDenseCwiseMul")
def products_of_unknown_shapes(tf):
    x, feed = fed(tf, VALUE)
    return Program([x * 2.0, tf.ones([2, 3]) * x], feed=feed)


@case("SparseDenseCwiseMul", "SparseDenseCwiseDiv", "SparseTensorDenseAdd")
def gradients_of_operators(tf):
    x, dense = matrix(tf), tf.constant([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
    row, column = tf.constant([1.0, 2.0, 4.0]), tf.constant([[3.0], [5.0]])
    ys = [(x * dense).values, (x / dense).values, (x * row).values, (x / column).values]
    return tf.gradients([y * tf.range(1.0, 4.0) for y in ys], [x.values, dense, row, column])


@case("SparseDenseCwiseMul", error="broadcasts dense to sparse only; got incompatible shapes: ")
def product_of_other_shapes(tf):
    return matrix(tf) * tf.ones([2, 2])


@case("SparseDenseCwiseMul", error="broadcasts dense to sparse only; got incompatible shapes: ")
def product_of_a_higher_rank(tf):
    return matrix(tf) * tf.ones([1, 2, 3])


@case("SparseDenseCwiseMul", error="Provided indices are out-of-bounds w.r.t. dense side")
def product_outside(tf):
    return tf.SparseTensor([[2]], [1.0], [2]) * tf.ones([2])


@case(error="Gradient for SparseDenseCwiseAdd is not implemented.")
def gradient_of_cwise_add(tf):
    x = matrix(tf)
    y = node(tf, "SparseDenseCwiseAdd", [x.indices, x.values, x.dense_shape, tf.ones([3])])
    return tf.gradients(y, x.values)


# Products of matrices -----------------------------------------------------------------------------


@case(
    "SparseTensorDenseMatMul",
    each=["float32", "float64", "int32", "complex64", "complex128", "bfloat16"],
)
def products(tf, dtype):
    x = matrix(tf, dtype)
    tall = tf.constant(np.arange(6).reshape(3, 2), dtype)
    return [
        tf.sparse_tensor_dense_matmul(x, tall),
        tf.sparse.sparse_dense_matmul(x, tf.transpose(tall), adjoint_b=True, name="named"),
        tf.sparse.matmul(x, tall[:2], adjoint_a=True),
        tf.sparse.matmul(x, tf.transpose(tall[:2]), adjoint_a=True, adjoint_b=True),
    ]


@case("SparseTensorDenseMatMul")
def products_of_complex_matrices(tf):
    x = matrix(tf, "complex64", (1 + 2j, 3j, 4))
    b = tf.constant([[1j, 2], [3, 4 - 1j]], tf.complex64)
    return [tf.sparse.matmul(x, b, adjoint_a=True), tf.sparse.matmul(x, b, True, True)]


@case("SparseTensorDenseMatMul")
def products_with_the_sparse_one_last(tf):
    x = matrix(tf)
    wide = tf.constant(np.arange(4.0).reshape(2, 2), tf.float32)
    tall = tf.constant(np.arange(6.0).reshape(2, 3), tf.float32)
    return [
        tf.sparse.matmul(wide, x),
        tf.sparse.matmul(tall, x, adjoint_b=True),
        tf.sparse.matmul(tall, x, adjoint_a=True),
        tf.sparse.matmul(wide, x, adjoint_a=True),
    ]


@case("SparseTensorDenseMatMul")
def products_of_nothing(tf):
    nothing = empty(tf, shape=(2, 0))
    (x, feed) = fed(tf, VALUE)
    big = tf.SparseTensor([[0, 5], [9, 0], [0, 5]], [1.0, 2.0, 3.0], [10, 6])
    return Program(
        [
            tf.sparse.matmul(empty(tf), tf.ones([3, 2])),
            tf.sparse.matmul(nothing, tf.ones([0, 2])),
            tf.sparse.matmul(matrix(tf), tf.ones([3, 0])),
            tf.sparse.matmul(x, tf.ones([3, 2])),
            tf.sparse.matmul(big, tf.ones([6, 40])),
        ],
        feed=feed,
    )


@case("SparseTensorDenseMatMul", each=[(a, b) for a in (False, True) for b in (False, True)])
def gradients_of_products(tf, adjoint_a, adjoint_b):
    x = matrix(tf)
    b = tf.constant(
        np.arange(1.0, 13.0).reshape(2, 6) if adjoint_a else np.arange(1.0, 13.0).reshape(3, 4),
        tf.float32,
    )
    b = tf.transpose(b) if adjoint_b else b
    y = tf.sparse.matmul(x, b, adjoint_a, adjoint_b)
    return tf.gradients(
        y * tf.cast(tf.reshape(tf.range(tf.size(y)), tf.shape(y)), tf.float32), [x.values, b]
    )


@case("SparseTensorDenseMatMul", error="Dimensions must be equal, but are 3 and 4")
def product_of_wrong_sizes(tf):
    return tf.sparse.matmul(matrix(tf), tf.ones([4, 2]))


@case("SparseTensorDenseMatMul", error="Cannot multiply A and B because inner dimension")
def product_of_wrong_fed_sizes(tf):
    x, feed = fed(tf, VALUE)
    return Program(tf.sparse.matmul(x, tf.ones([4, 2])), feed=feed)


@case(
    "SparseTensorDenseMatMul",
    each=[
        ([0, 3], "k (3) from index[0,1] out of bounds (>=3)"),
        ([2, 0], "m (2) from index[0,0] out of bounds (>=2)"),
    ],
    error="out of bounds (>=",
)
def product_with_an_index_outside(tf, index, message):
    return tf.sparse.matmul(tf.SparseTensor([index], [1.0], [2, 3]), tf.ones([3, 2]))


@case(error="Input must be a SparseTensor.")
def product_of_dense_ones(tf):
    return tf.sparse.matmul(tf.ones([2, 3]), tf.ones([3, 2]))


# Reductions ---------------------------------------------------------------------------------------

SUMS = ["SparseReduceSum", "SparseReduceSumSparse"]
LARGEST = ["SparseReduceMax", "SparseReduceMaxSparse"]


def reductions(tf, dense, sparse, x):
    results = [
        dense(x),
        dense(x, 0),
        dense(x, [1], keepdims=True),
        dense(x, [-1, 0]),
        sparse(x),
        sparse(x, 0),
        sparse(x, [1], keepdims=True),
        sparse(x, -1),
        sparse(x, reduction_axes=[0, 1], keep_dims=True),
    ]
    return results


@case(
    *SUMS,
    each=["float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "complex64"],
)
def sums(tf, dtype):
    x = matrix(tf, dtype)
    return reductions(tf, tf.sparse_reduce_sum, tf.sparse_reduce_sum_sparse, x)


@case(*LARGEST, each=["float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8"])
def largest(tf, dtype):
    x = matrix(tf, dtype, (1, 2, 3) if dtype == "uint8" else (-1, -2, -3))
    return reductions(tf, tf.sparse_reduce_max, tf.sparse_reduce_max_sparse, x)


@case(*SUMS, *LARGEST)
def reductions_of_nothing(tf):
    x = empty(tf, "int32")
    return [
        *reductions(tf, tf.sparse.reduce_sum, tf.sparse.reduce_sum_sparse, x),
        *reductions(tf, tf.sparse.reduce_max, tf.sparse.reduce_max_sparse, x),
    ]


@case(*SUMS)
def reductions_of_unknown_shapes(tf):
    x, feed = fed(tf, ([[1, 2], [0, 1], [1, 0]], [3.0, 1.0, 2.0], [2, 3]))
    found = [
        tf.sparse.reduce_sum(x),
        tf.sparse.reduce_sum(x, 1),
        tf.sparse.reduce_sum_sparse(x, 1),
        tf.sparse.reduce_sum(x, np.array([], np.int32)),
    ]
    return Program(found, feed=feed)


@case("SparseReduceSum")
def gradients_of_sums(tf):
    x = matrix(tf)
    (y, feed) = fed(tf, VALUE)
    ys = [
        tf.sparse.reduce_sum(x),
        tf.sparse.reduce_sum(x, 0) * [1.0, 2.0, 3.0],
        tf.sparse.reduce_sum(x, -1, True) * [[5.0], [7.0]],
    ]
    fetches = [tf.gradients(one, x.values) for one in ys]
    unknown = tf.gradients(tf.sparse.reduce_sum(y, 1) * [5.0, 7.0], y.values)
    return Program([*fetches, unknown], feed=feed)


@case("SparseReduceSum", error="Invalid reduction dimension 2, for input with 2 dimensions.")
def sum_along_a_missing_dimension(tf):
    return tf.sparse.reduce_sum(matrix(tf), 2)


@case(error="Cannot specify both")
def sum_along_two_names(tf):
    return tf.sparse.reduce_sum(matrix(tf), 1, reduction_axes=1)


# Softmax ------------------------------------------------------------------------------------------


@case("SparseSoftmax", each=["float32", "float64", "float16"])
def softmax(tf, dtype):
    x = matrix(tf, dtype)
    (y, feed) = fed(
        tf, ([[1, 0, 1], [0, 0, 1], [0, 1, 0], [1, 0, 0]], [1, 2, 3, 4], [2, 2, 2]), dtype
    )
    return Program(
        [
            tf.sparse_softmax(x),
            tf.sparse.softmax(y, name="named"),
            tf.sparse.softmax(empty(tf, dtype)),
        ],
        feed=feed,
    )


@case("SparseSoftmax", "SparseDenseCwiseAdd", "SparseReduceSum")
def gradient_of_softmax(tf):
    x = matrix(tf)
    return tf.gradients(tf.sparse.softmax(x).values * [1.0, 2.0, 4.0], x.values)


@case("SparseSoftmax", error="Input should have rank >= 2, but received shape: 3")
def softmax_of_a_vector(tf):
    return tf.sparse.softmax(tf.SparseTensor([[0]], [1.0], [3]))
