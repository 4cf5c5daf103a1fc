"""Products and sums of matrices: transposes, traces, norms, contractions."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed, numbers

# Transposes, traces, norms ------------------------------------------------------------------------


@case("Transpose", each=["float32", "int32", "complex64", "string"])
def transposes(tf, dtype):
    x = numbers(tf, 2, 3, 4, dtype=dtype)
    results = [tf.matrix_transpose(x), tf.linalg.matrix_transpose(x[0], name="named")]
    return [*results, tf.linalg.adjoint(x)] if dtype != "string" else results


@case("ConjugateTranspose")
def adjoint(tf):
    x = tf.constant([[1 + 1j, 2 - 2j]], tf.complex64)
    return [tf.linalg.adjoint(x), tf.matrix_transpose(x, conjugate=True)]


@case("Transpose")
def transpose_of_unknown_rank(tf):
    x, feed = fed(tf, np.arange(6.0).reshape(1, 2, 3))
    return Program(tf.matrix_transpose(x), feed=feed)


@case("Transpose", error="should be a (batch) matrix with rank >= 2.")
def transpose_of_a_vector(tf):
    return tf.matrix_transpose(numbers(tf, 3))


@case("MatrixDiagPartV3", "Sum", each=["float32", "int32", "complex64"])
def trace(tf, dtype):
    x = numbers(tf, 2, 3, 4, dtype=dtype)
    return [tf.trace(x), tf.linalg.trace(x[0], name="named")]


ORDERS = ["euclidean", 1, 2, np.inf, 3, 2.5]


@case("Sqrt", "Sum", "Max", "Pow", each=[(o, a) for o in ORDERS for a in (None, 1, -2)])
def norms_of_vectors(tf, order, axis):
    x = tf.constant(np.arange(12.0).reshape(2, 3, 2) - 5, tf.float32)
    return [tf.norm(x, order, axis), tf.norm(x, order, axis, keepdims=True, name="named")]


@case("Sqrt", "Sum", "Max", each=[(o, a) for o in ["fro", 1, np.inf] for a in ((0, 1), [-2, -1])])
def norms_of_matrices(tf, order, axis):
    x = tf.constant(np.arange(12.0).reshape(2, 3, 2) - 5, tf.float32)
    return [tf.norm(x, order, axis), tf.linalg.norm(x, order, axis, keep_dims=True)]


@case("Svd", graph="types", each=[((-2, -1),), ((0, 2),)])
def two_norms_of_matrices(tf, axis):
    x = tf.constant(np.arange(12.0).reshape(2, 3, 2) - 5, tf.float32)
    return [tf.norm(x, 2, axis), tf.norm(x, 2, axis, keepdims=True)]


@case("Sqrt", "Rsqrt")
def norms_of_complex_numbers(tf):
    x = tf.constant([[3 + 4j, 1j], [0, -2]], tf.complex64)
    return [tf.norm(x), tf.norm(x, 1, 0), tf.nn.l2_normalize(x, 1), tf.linalg.normalize(x, axis=0)]


@case("Rsqrt", "RealDiv", each=[None, 0, ([0, 1],)])
def normalised(tf, axis):
    x = tf.constant([[3.0, 4.0], [0.0, -2.0]])
    return [
        tf.nn.l2_normalize(x, axis),
        tf.math.l2_normalize(x, dim=axis, epsilon=30.0, name="n"),
        tf.linalg.l2_normalize(x, axis),
        tf.linalg.normalize(x, axis=axis),
    ]


@case("Sum", error="'ord' must be a supported vector norm, got ", each=["fro", 0, -1])
def vector_norms_that_are_not_there(tf, order):
    return tf.norm(numbers(tf, 3), order)


@case("Sum", error="'ord' must be a supported matrix norm in ", each=[3, "nuc"])
def matrix_norms_that_are_not_there(tf, order):
    return tf.norm(numbers(tf, 3, 2), order, axis=(0, 1))


@case(
    "Sum",
    error="'axis' must be None, an integer, or a tuple of 2 unique integers",
    each=[((0, 0),), ((0, 1, 2),), ("0",)],
)
def norms_along_axes_that_are_none(tf, axis):
    return tf.norm(numbers(tf, 3, 2), axis=axis)


# Contractions -------------------------------------------------------------------------------------


@case("SparseMatMul", each=["float32", "bfloat16"])
def sparse_matmul(tf, dtype):
    a, b = numbers(tf, 2, 3, dtype=dtype), numbers(tf, 3, 4, dtype=dtype)
    return [
        tf.matmul(a, b, a_is_sparse=True),
        tf.matmul(b, a, True, True, b_is_sparse=True),
        tf.matmul(a, a, adjoint_b=True, a_is_sparse=True, b_is_sparse=True, name="named"),
        tf.matmul(a, a, transpose_a=True, a_is_sparse=True),
    ]


@case("SparseMatMul")
def sparse_matmul_of_two_types(tf):
    a, b = numbers(tf, 2, 3), numbers(tf, 3, 4, dtype="bfloat16")
    return [tf.matmul(a, b), tf.matmul(b, a, True, True), tf.matmul(a, b, a_is_sparse=True)]


@case("MatMul")
def sparse_hints_for_other_types(tf):
    a, b = numbers(tf, 2, 3, dtype="int32"), numbers(tf, 3, 4, dtype="int32")
    return tf.matmul(a, b, a_is_sparse=True)


@case("SparseMatMul", graph="types", each=[(a, b) for a in (0, 1) for b in (0, 1)])
def gradients_of_sparse_matmul(tf, a, b):
    x, y = numbers(tf, *((3, 2) if a else (2, 3))), numbers(tf, *((4, 3) if b else (3, 4)))
    product = tf.matmul(x, y, bool(a), bool(b), a_is_sparse=True)
    return tf.gradients(product * product, [x, y])


@case("SparseMatMul", error="Dimensions must be equal, but are 3 and 4")
def sparse_matmul_of_shapes_that_differ(tf):
    return tf.matmul(numbers(tf, 2, 3), numbers(tf, 4, 2), a_is_sparse=True)


@case("SparseMatMul", error="Shape must be rank 2 but is rank 3")
def sparse_matmul_of_batches(tf):
    return tf.matmul(numbers(tf, 2, 2, 3), numbers(tf, 2, 3, 2), a_is_sparse=True)


@case("SparseMatMul", error="Matrix size incompatible: a: [2,3], b: [4,2]")
def sparse_matmul_of_shapes_that_differ_in_the_run(tf):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    product = tf.matmul(x, y, a_is_sparse=True)
    return Program(product, feed={x: np.ones([2, 3]), y: np.ones([4, 2])})


@case("BatchMatMulV3", each=["int8", "uint8"])
def matmul_of_bytes(tf, dtype):
    a, b = numbers(tf, 2, 3, dtype=dtype), numbers(tf, 3, 4, dtype=dtype)
    batches = numbers(tf, 2, 2, 3, dtype=dtype)
    return [
        tf.matmul(a, b, output_type=tf.int32),
        tf.matmul(batches, b, output_type=tf.int32),
        tf.matmul(b, a, True, True, output_type=tf.int32, name="named"),
    ]


@case("MatMul", "BatchMatMulV2", each=["float32", "int32", "complex64"])
def matvec(tf, dtype):
    a, v = numbers(tf, 2, 3, dtype=dtype), numbers(tf, 3, dtype=dtype)
    return [
        tf.linalg.matvec(a, v),
        tf.linalg.matvec(a, v[:2], transpose_a=True, name="named"),
        tf.linalg.matvec(a, v[:2], adjoint_a=True),
        tf.linalg.matvec(tf.stack([a, a]), v),
    ]


@case("Cross", each=["float32", "float64", "float16", "bfloat16", "int32", "uint8"])
def cross(tf, dtype):
    a = tf.constant([[1, 2, 3], [0, 1, 0]], dtype)
    b = tf.constant([[3, 1, 2], [1, 0, 5]], dtype)
    return [tf.cross(a, b), tf.linalg.cross(a[0], b[0], name="named")]


@case("Cross", graph="types")
def gradients_of_cross(tf):
    a, b = numbers(tf, 2, 3), numbers(tf, 2, 3) * 0.5 + 1
    product = tf.cross(a, b)
    return tf.gradients(product * product, [a, b])


@case("Cross", error="", each=[((2, 2), (2, 2)), ((2, 3), (3, 3)), ((), ()), ((4,), (4,))])
def cross_of_wrong_shapes(tf, a, b):
    return tf.cross(tf.ones(a), tf.ones(b))


@case("Cross", error="Cross-products are only defined for 3-element vectors.")
def cross_of_pairs_in_the_run(tf):
    x, feed = fed(tf, [1.0, 2.0])
    return Program(tf.cross(x, x), feed=feed)


@case("Cross", error="Both inputs must be of same shape: [2,3] vs. [3]")
def cross_of_two_shapes_in_the_run(tf):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    return Program(tf.cross(x, y), feed={x: np.ones([2, 3]), y: np.ones([3])})


AXES = [0, 1, 2, ([0], [1]), ([1, 0], [0, 1]), ([-1], [-2]), (1, 0), ([], [])]


@case("MatMul", "Reshape", "Transpose", each=[(axes,) for axes in AXES])
def tensordot(tf, axes):
    a, b = numbers(tf, 3, 3), numbers(tf, 3, 3, 2)
    return [tf.tensordot(a, b, axes), tf.linalg.tensordot(a, b, axes, name="named")]


@case("MatMul", "Prod", "GatherV2", each=[([None, 3], [3, None, 2]), ([None, None], [None] * 3)])
def tensordot_of_partly_known_shapes(tf, a, b):
    x, feed = fed(tf, np.arange(9.0).reshape(3, 3), shape=a)
    y, more = fed(tf, np.arange(18.0).reshape(3, 3, 2), shape=b)
    products = [tf.tensordot(x, y, 1), tf.tensordot(x, y, [[0, 1], [1, 0]])]
    return Program(products, feed={**feed, **more})


@case("ListDiff", "MatMul")
def tensordot_of_unknown_ranks(tf):
    x, feed = fed(tf, np.arange(9.0).reshape(3, 3))
    y, more = fed(tf, np.arange(18.0).reshape(3, 3, 2))
    axes = tf.constant([[0], [1]])
    products = [tf.tensordot(x, y, 1), tf.tensordot(x, y, [[0], [-2]]), tf.tensordot(x, y, axes)]
    return Program(products, feed={**feed, **more})


@case("MatMul", error="`axes` must be at least 0. Received: -1.")
def tensordot_of_fewer_axes_than_none(tf):
    return tf.tensordot(numbers(tf, 3), numbers(tf, 3), -1)


@case("MatMul", error="`axes` must not be larger than the number of dimensions of tensor")
def tensordot_of_too_many_axes(tf):
    return tf.tensordot(numbers(tf, 3), numbers(tf, 3), 2)


@case("MatMul", error="Different number of contraction axes `a` and `b`, 2 != 1.")
def tensordot_of_lists_that_differ(tf):
    return tf.tensordot(numbers(tf, 3, 3), numbers(tf, 3), [[0, 1], [0]])


@case("MatMul", error="`axes` must be an integer or have length 2. Received [[0], [0], [0]].")
def tensordot_of_three_lists(tf):
    return tf.tensordot(numbers(tf, 3, 3), numbers(tf, 3), [[0], [0], [0]])


# Ranks --------------------------------------------------------------------------------------------


@case("Svd", each=["float32", "float64"])
def matrix_rank(tf, dtype):
    x = tf.constant([[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]], [[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]], dtype)
    return [tf.linalg.matrix_rank(x), tf.linalg.matrix_rank(x[1], tol=1.5, name="named")]


@case("Svd", each=["float32", "float64"])
def pinv(tf, dtype):
    x = tf.constant([[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]], [[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]], dtype)
    return [tf.linalg.pinv(x), tf.linalg.pinv(x[1], rcond=0.75, name="named")]


@case("Svd", each=[None, [None, 3]])
def ranks_of_unknown_shapes(tf, shape):
    x, feed = fed(tf, [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]], shape=shape)
    return Program([tf.linalg.matrix_rank(x), tf.linalg.pinv(x)], feed=feed)
