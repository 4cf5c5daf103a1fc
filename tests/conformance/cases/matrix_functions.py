"""Linear algebra: exponentials, logarithms and roots of matrices, triangular factors, and matrices
with three diagonals."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed

FLOATS = ["float32", "float64", "complex64", "complex128"]
COMPLEX = ["complex64", "complex128"]

A = np.array([[4.0, 1.0, -0.5], [0.5, 3.0, 1.0], [-1.0, 0.25, 2.0]])
B = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]])


def constant(tf, value, dtype="float32"):
    value = np.asarray(value)
    if dtype.startswith("complex"):
        value = value + 0.25j * np.triu(np.ones(value.shape), 1)
    return tf.constant(value, dtype)


def batch(tf, value, dtype="float32"):
    return tf.stack([constant(tf, value, dtype), 2 * constant(tf, value, dtype)])


# Exponentials -------------------------------------------------------------------------------------

# TensorFlow chooses among approximants of several degrees; the largest serves all matrices.


@case("MatrixSolve", each=FLOATS, graph="any", rtol=1e-4)
def exponential(tf, dtype):
    a = constant(tf, A, dtype)
    return [
        tf.linalg.expm(a),
        tf.linalg.expm(0.01 * a, name="named"),
        tf.linalg.expm(3.0 * a),
        tf.linalg.expm(batch(tf, A, dtype)),
        tf.linalg.expm([batch(tf, 0.5 * A, dtype)]),
        tf.linalg.expm(tf.zeros([3, 3], dtype)),
        tf.linalg.expm(tf.zeros([0, 2, 2], dtype)),
        tf.linalg.expm(tf.zeros([2, 0, 0], dtype)),
        tf.linalg.expm(-1.5 * a),
    ]


@case("MatrixSolve", graph="any", rtol=1e-4)
def exponential_of_unknown_shapes(tf):
    x, feed = fed(tf, np.stack([A, -A]), "float64")
    return Program(tf.linalg.expm(x), feed=feed)


@case("MatrixSolve", each=[np.inf, np.nan], graph="any")
def exponential_of_what_is_not_finite(tf, number):
    return tf.linalg.expm(np.array([[[number, 1.0], [1.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]]))


@case("MatrixSolve", each=["float64", "complex128"], graph="any", rtol=1e-4)
def exponential_gradients(tf, dtype):
    a = batch(tf, A, dtype)
    return tf.gradients(tf.linalg.expm(a), a, batch(tf, A.T, dtype))


@case(error="Dimensions must be equal, but are 3 and 2", graph="any")
def exponential_of_no_square(tf):
    return tf.linalg.expm(tf.ones([2, 3]))


@case(error="tf.linalg.expm does not support matrices of type <dtype: 'int32'>")
def exponential_of_integers(tf):
    return tf.linalg.expm(tf.constant([[1, 2], [3, 4]]))


# Logarithms and roots -----------------------------------------------------------------------------

JORDAN = [[2.0, 1.0, 0.0], [0.0, 2.0, 1.0], [0.0, 0.0, 2.0]]
TURN = [[0.0, -1.0], [1.0, 0.0]]


@case("MatrixLogarithm", each=COMPLEX, atol=1e-5)
def logarithm(tf, dtype):
    x, feed = fed(tf, np.stack([A, A @ A]).astype(dtype), dtype)
    return Program(
        [
            tf.linalg.logm(constant(tf, A, dtype)),
            tf.linalg.logm(batch(tf, A, dtype), name="named"),
            tf.linalg.logm(tf.constant(JORDAN, dtype)),
            tf.linalg.logm(tf.constant(TURN, dtype)),
            tf.linalg.logm(tf.constant([[-1.0, 0.0], [0.0, 2.0]], dtype)),
            tf.linalg.logm(tf.constant([[1e-3, 5.0], [1.0, 300.0]], dtype)),
            tf.linalg.logm(tf.constant([[1.0, 1.0], [0.0, 1.0]], dtype)),
            tf.linalg.logm(tf.zeros([0, 2, 2], dtype)),
            tf.linalg.logm(tf.zeros([2, 0, 0], dtype)),
            tf.linalg.logm(x),
        ],
        feed=feed,
    )


@case("MatrixLogarithm")
def logarithm_of_singular_matrices(tf):
    return [
        tf.linalg.logm(np.array([[np.nan, 0.0], [0.0, 2.0]], complex)),
        tf.linalg.logm(np.zeros([2, 2], complex)),
    ]


@case("MatrixLogarithm", error="Dimensions must be equal, but are 2 and 3")
def logarithm_of_no_square(tf):
    return tf.linalg.logm(tf.ones([2, 3], tf.complex64))


@case("MatrixLogarithm", error="Input matrix must be square.")
def logarithm_of_no_fed_square(tf):
    x, feed = fed(tf, np.ones([2, 3]), "complex64")
    return Program(tf.linalg.logm(x), feed=feed)


@case("MatrixLogarithm", error="not in list of allowed values: complex64, complex128")
def logarithm_of_floats(tf):
    return tf.linalg.logm(tf.ones([2, 2]))


@case("MatrixSquareRoot", each=FLOATS, atol=1e-5)
def square_root(tf, dtype):
    x, feed = fed(tf, np.stack([A, A @ A]).astype(dtype), dtype)
    return Program(
        [
            tf.linalg.sqrtm(constant(tf, A, dtype)),
            tf.linalg.sqrtm(batch(tf, A, dtype), name="named"),
            tf.linalg.sqrtm(tf.constant(JORDAN, dtype)),
            tf.linalg.sqrtm(tf.constant(TURN, dtype)),
            tf.matrix_square_root(tf.zeros([0, 2, 2], dtype)),
            tf.linalg.sqrtm(x),
            tf.linalg.sqrtm(tf.zeros([2, 0, 0], dtype)),
        ],
        feed=feed,
    )


@case("MatrixSquareRoot")
def square_root_of_negative_matrices(tf):
    return [
        tf.linalg.sqrtm(np.array([[-1.0, 0.0], [0.0, -2.0]])),
        tf.linalg.sqrtm(np.array([[-1.0, 0.0], [0.0, 2.0]], complex)),
        tf.linalg.sqrtm(np.array([[np.nan, 0.0], [0.0, 2.0]], complex)),
        tf.linalg.sqrtm(np.array([[[-1.0, 0.0], [0.0, 2.0]], [[4.0, 0.0], [0.0, 9.0]]])),
    ]


@case("MatrixSquareRoot", error="Shape must be at least rank 2 but is rank 1")
def square_root_of_a_vector(tf):
    return tf.linalg.sqrtm(tf.ones([2]))


# TensorFlow's has Kronecker products as functions of their own; the system is the same. That of
# complex numbers is wrong there (tests/ops checks ours by differences).
@case("MatrixSquareRoot", graph="any")
def square_root_gradients(tf):
    a = batch(tf, A, "float64")
    x, feed = fed(tf, A, "float64")
    return Program(
        [
            tf.gradients(tf.linalg.sqrtm(a), a, batch(tf, A.T, "float64")),
            tf.gradients(tf.linalg.sqrtm(x), x),
        ],
        feed=feed,
    )


# Triangular factors -------------------------------------------------------------------------------


@case("Lu", each=[(t, i) for t in FLOATS for i in ("int32", "int64")])
def factors(tf, dtype, indices):
    indices = tf.as_dtype(indices)
    x, feed = fed(tf, A.astype(dtype), dtype)
    mixed = np.cos(np.arange(49.0) ** 2).reshape(7, 7)
    return Program(
        [
            tf.linalg.lu(constant(tf, A, dtype), indices),
            tf.linalg.lu(batch(tf, A[::-1], dtype)),
            tf.linalg.lu(x, output_idx_type=indices, name="named"),
            tf.linalg.lu(constant(tf, mixed, dtype)),
            tf.linalg.lu(tf.zeros([0, 2, 2], dtype)),
            tf.linalg.lu(tf.zeros([2, 0, 0], dtype)),
        ],
        feed=feed,
    )


@case("Lu", error="Input is not invertible.", each=[1.0, 0.0, np.nan])
def factors_of_singular_matrices(tf, number):
    return tf.linalg.lu(np.array([[number, 2.0], [number, 2.0]]))


@case("Lu", error="Dimensions must be equal, but are 2 and 3")
def factors_of_no_square(tf):
    return tf.linalg.lu(tf.ones([2, 3]))


@case("Lu", error="Input tensor must have rank >= 2, got 1")
def factors_of_a_fed_vector(tf):
    x, feed = fed(tf, [1.0, 2.0])
    return Program(tf.linalg.lu(x), feed=feed)


@case("Lu", each=FLOATS)
def with_factors_of_one(tf, dtype):
    lu, order = tf.linalg.lu(constant(tf, A[::-1], dtype))
    right = constant(tf, B, dtype)
    return [
        tf.linalg.lu_reconstruct(lu, order, name="named"),
        tf.linalg.lu_solve(lu, order, right),
        tf.linalg.lu_matrix_inverse(lu, order),
    ]


@case("Lu", graph="any")  # what is known while the graph is built leaves no nodes behind
def with_checked_factors(tf):
    lu, order = tf.linalg.lu(constant(tf, A[::-1]))
    right = constant(tf, B)
    return [
        tf.linalg.lu_reconstruct(lu, order, True, name="named"),
        tf.linalg.lu_solve(lu, order, right, validate_args=True, name="n"),
        tf.linalg.lu_matrix_inverse(lu, order, validate_args=True),
    ]


@case("Lu", each=FLOATS, graph="any")  # rows of several matrices are picked in another way
def with_factors_of_several(tf, dtype):
    lu, order = tf.linalg.lu(batch(tf, A[::-1], dtype))
    x, feed = fed(tf, np.stack([A, A.T]).astype(dtype), dtype)
    more, places = tf.linalg.lu(x)
    right = constant(tf, B, dtype)
    return Program(
        [
            tf.linalg.lu_reconstruct(lu, order),
            tf.linalg.lu_solve(lu, order, right),
            tf.linalg.lu_solve(lu, order, tf.stack([right, 3 * right])),
            tf.linalg.lu_matrix_inverse(lu, order),
            tf.linalg.lu_reconstruct(more, places),
            tf.linalg.lu_solve(more, places, right),
            tf.linalg.lu_matrix_inverse(more, places, True),
            tf.linalg.lu_solve(lu[0], order[0], tf.stack([right, 3 * right])),
        ],
        feed=feed,
    )


@case(error="`lower_upper` must be square.")
def solving_with_no_square_of_factors(tf):
    return tf.linalg.lu_solve(tf.ones([2, 3]), [0, 1], tf.ones([2, 1]))


@case(error="`lower_upper` must be square.", graph="any")
def factors_of_no_fed_square(tf):
    x, feed = fed(tf, np.ones([2, 3]))
    return Program(tf.linalg.lu_reconstruct(x, [0, 1], validate_args=True), feed=feed)


@case(error="Input `rhs` must have at least 2 dimensions.")
def solving_of_a_vector_with_factors(tf):
    return tf.linalg.lu_solve(tf.ones([2, 2]), tf.constant([0, 1]), tf.ones([2]))


@case(error="Input `lower_upper` must have at least 2 dimensions.")
def factors_that_are_no_matrix(tf):
    return tf.linalg.lu_reconstruct(tf.ones([2]), tf.constant([0, 1]))


@case(error="`lower_upper.shape[-1]` must equal `rhs.shape[-1]`.")
def solving_of_other_sizes_with_factors(tf):
    return tf.linalg.lu_solve(tf.ones([2, 2]), tf.constant([0, 1]), tf.ones([3, 1]))


# Three diagonals ----------------------------------------------------------------------------------

BANDS = np.array([[1.0, 2.0, -1.0, 9.0], [4.0, -3.0, 5.0, 2.5], [9.0, 1.0, 0.5, 2.0]])
RIGHT = np.cos(np.arange(8.0) ** 2).reshape(4, 2)
FULL = np.diag(BANDS[1]) + np.diag(BANDS[0, :3], 1) + np.diag(BANDS[2, 1:], -1)


def bands(tf, value, dtype):
    value = value.astype(dtype)
    return tf.constant(value + 0.5j if dtype.startswith("complex") else value)


@case("TridiagonalMatMul", each=FLOATS)
def tridiagonal_product(tf, dtype):
    x, right = bands(tf, BANDS, dtype), bands(tf, RIGHT, dtype)
    a, feed = fed(tf, BANDS, dtype)
    return Program(
        [
            tf.linalg.tridiagonal_matmul(x, right),
            tf.linalg.tridiagonal_matmul(a, right, name="named"),
            tf.linalg.tridiagonal_matmul(bands(tf, FULL, dtype), right, "matrix"),
            tf.linalg.tridiagonal_matmul([x[0], x[1], x[2]], right, diagonals_format="sequence"),
            tf.linalg.tridiagonal_matmul(tf.stack([x, 2 * x]), tf.stack([right, right])),
            tf.linalg.tridiagonal_matmul(x[:, :1], right[:1]),
            tf.linalg.tridiagonal_matmul(x[:, :0], right[:0]),
        ],
        feed=feed,
    )


@case("TridiagonalSolve", each=FLOATS)
def tridiagonal_system(tf, dtype):
    x, right = bands(tf, BANDS, dtype), bands(tf, RIGHT, dtype)
    a, feed = fed(tf, BANDS, dtype)
    solve = tf.linalg.tridiagonal_solve
    return Program(
        [
            solve(x, right),
            solve(a, right, name="named"),
            solve(x, right[:, 0]),
            solve(x, right, partial_pivoting=False),
            solve(x, tf.transpose(right), transpose_rhs=True),
            solve(x, right, conjugate_rhs=True),
            solve(x, right[:, 0], "compact", True, True),
            solve(bands(tf, FULL, dtype), right, "matrix"),
            solve([x[0], x[1], x[2]], right, diagonals_format="sequence"),
            solve((x[0, :3], x[1], x[2, 1:]), right, diagonals_format="sequence"),
            solve(tf.stack([x, 2 * x]), tf.stack([right, right])),
            solve(x[:, :1], right[:1]),
            solve(x[:, :0], right[:0]),
            solve(x[:, :2], right[:2]),
        ],
        feed=feed,
    )


@case("TridiagonalSolve", each=[False, True])
def tridiagonal_system_that_is_singular(tf, partial_pivoting):
    one = [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    two = [[1.0, 1.0, 0.0], [3.0, 4.0, 5.0], [0.0, 1.0, 1.0]]
    return tf.linalg.tridiagonal_solve(
        tf.constant([one, two, np.zeros([3, 3])]),
        tf.ones([3, 3, 2]),
        partial_pivoting=partial_pivoting,
    )


@case("TridiagonalSolve")
def tridiagonal_system_perturbed(tf):
    rows = [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [0.0, 1.0, 0.0]]
    more = [[2.0, 3.0, 0.0], [0.0, 0.0, 0.0], [0.0, 3.0, 2.0]]
    right = tf.constant(np.arange(6.0).reshape(3, 2))
    return [
        tf.linalg.tridiagonal_solve(
            tf.constant(x, dtype), tf.cast(right, dtype), perturb_singular=True
        )
        for x in (rows, more, np.zeros([3, 3]))
        for dtype in ("float32", "float64")
    ]


# TensorFlow's have other nodes, and are wrong for complex systems, whose numbers they do not
# conjugate (tests/ops checks ours by differences).
@case("TridiagonalMatMul", "TridiagonalSolve", graph="any")
def tridiagonal_gradients(tf):
    x, right = bands(tf, BANDS, "float64"), bands(tf, RIGHT, "float64")
    x, right = tf.stack([x, 2 * x]), tf.stack([right, right])
    above = tf.cos(right)
    found = []
    for function in (tf.linalg.tridiagonal_matmul, tf.linalg.tridiagonal_solve):
        found += tf.gradients(function(x, right), [x, right], above)
    return found


@case("TridiagonalSolve", error="Expected 3 diagonals got 2")
def two_diagonals(tf):
    return tf.linalg.tridiagonal_solve(tf.ones([2, 3]), tf.ones([3, 1]))


@case(error="Expected number of left-hand sided and right-hand sides to be equal, got 3 and 4")
def tridiagonal_system_of_other_sizes(tf):
    return tf.linalg.tridiagonal_solve(tf.ones([3, 3]), tf.ones([4, 1]))


@case(error="Unrecognized diagonals_format: x", each=["tridiagonal_solve", "tridiagonal_matmul"])
def diagonals_in_another_format(tf, name):
    return getattr(tf.linalg, name)(tf.ones([3, 3]), tf.ones([3, 1]), diagonals_format="x")


@case(
    error="Expected last two dimensions of diagonals to be same, got 3 and 2",
    each=["tridiagonal_solve", "tridiagonal_matmul"],
)
def diagonals_of_no_square(tf, name):
    return getattr(tf.linalg, name)(tf.ones([2, 3]), tf.ones([2, 1]), diagonals_format="matrix")


@case(error="Expected diagonals to be a sequence of length 3.")
def two_diagonals_in_a_sequence(tf):
    rows = [tf.ones([2]), tf.ones([3])]
    return tf.linalg.tridiagonal_solve(rows, tf.ones([3, 1]), diagonals_format="sequence")


@case(error="Expected subdiagonal to be have length 4 or 3, got 2.")
def diagonals_of_other_lengths(tf):
    rows = [tf.ones([3]), tf.ones([4]), tf.ones([2])]
    return tf.linalg.tridiagonal_solve(rows, tf.ones([4, 1]), diagonals_format="sequence")


@case(error="partial_pivoting must be True if perturb_singular is.")
def perturbed_without_pivots(tf):
    return tf.linalg.tridiagonal_solve(
        tf.ones([3, 3]), tf.ones([3, 1]), partial_pivoting=False, perturb_singular=True
    )


@case("TridiagonalSolve", error="Expected diagonals to be provided as a matrix with 3 rows, got 2")
def two_fed_diagonals(tf):
    x, feed = fed(tf, np.ones([2, 3]))
    return Program(tf.linalg.tridiagonal_solve(x, tf.ones([3, 1])), feed=feed)


@case("TridiagonalSolve", error="Expected the same number of left-hand sides and right-hand sides")
def tridiagonal_system_of_other_fed_sizes(tf):
    x, feed = fed(tf, np.ones([3, 3]))
    return Program(tf.linalg.tridiagonal_solve(x, tf.ones([4, 1])), feed=feed)


@case(
    "TridiagonalMatMul",
    each=[("superdiagonal", 0), ("main diagonal", 1), ("subdiagonal", 2)],
    error="Invalid ",
)
def products_of_other_fed_sizes(tf, name, place):
    rows = [np.ones([1, 2 if index == place else 3]) for index in range(3)]
    given = [fed(tf, row) for row in rows]
    feed = {key: value for _, some in given for key, value in some.items()}
    return Program(
        node(tf, "TridiagonalMatMul", [x for x, _ in given] + [tf.ones([3, 2])])[0], feed=feed
    )


@case("TridiagonalMatMul", error="Shape must be at least rank 2 but is rank 1")
def product_with_a_vector(tf):
    return tf.linalg.tridiagonal_matmul(tf.ones([3, 3]), tf.ones([3]))


@case("TridiagonalMatMul", error="All input tensors must have the same outer dimensions.")
def products_of_other_fed_batches(tf):
    x, feed = fed(tf, np.ones([2, 3, 3]))
    y, more = fed(tf, np.ones([1, 3, 1]))
    return Program(tf.linalg.tridiagonal_matmul(x, y), feed={**feed, **more})
