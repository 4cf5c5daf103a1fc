"""Linear algebra: inverses, systems of equations, decompositions, norms, contractions."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, numbers, varied

FLOATS = ["float32", "float64", "complex64", "complex128"]

A = np.array([[4.0, 1.0, -0.5], [0.5, 3.0, 1.0], [-1.0, 0.25, 2.0]])
B = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]])
SYMMETRIC = np.array([[4.0, 1.0, -0.5], [1.0, 3.0, 0.25], [-0.5, 0.25, 2.0]])


def constant(tf, value, dtype="float32"):
    value = np.asarray(value)
    if dtype.startswith("complex"):
        value = value + 0.25j * np.triu(np.ones(value.shape), 1)
    return tf.constant(value, dtype)


def hermitian(tf, dtype="float32"):
    value = SYMMETRIC.astype(dtype)
    if dtype.startswith("complex"):
        upper = 0.25j * np.triu(np.ones(value.shape), 1)
        value = value + upper + upper.conj().T
    return tf.constant(value, dtype)


def batch(tf, value, dtype="float32"):
    return tf.stack([constant(tf, value, dtype), 2 * constant(tf, value, dtype)])


# Inverses and determinants ------------------------------------------------------------------------


@case("MatrixInverse", each=FLOATS)
def inverse(tf, dtype):
    a = constant(tf, A, dtype)
    return [
        tf.matrix_inverse(a),
        tf.linalg.inv(a, adjoint=True, name="named"),
        tf.matrix_inverse(batch(tf, A, dtype)),
    ]


@case("MatrixInverse", atol=2e-3)
def inverse_of_short_floats(tf):
    return tf.matrix_inverse(constant(tf, A, "float16"))


@case("MatrixDeterminant", "LogMatrixDeterminant", each=FLOATS)
def determinants(tf, dtype):
    a, b = constant(tf, A, dtype), batch(tf, A, dtype)
    return [tf.matrix_determinant(a), tf.linalg.det(b), tf.linalg.slogdet(a), tf.linalg.slogdet(b)]


@case("MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant", "Cholesky")
def matrices_without_elements(tf):
    none, few = tf.zeros([0, 0]), tf.zeros([0, 2, 2])
    functions = [tf.matrix_inverse, tf.matrix_determinant, tf.linalg.slogdet, tf.cholesky]
    return [function(x) for function in functions for x in (none, few)]


@case("MatrixDeterminant", "LogMatrixDeterminant")
def determinants_of_singular_matrices(tf):
    return [tf.matrix_determinant(tf.zeros([2, 2])), tf.linalg.slogdet(tf.zeros([2, 2]))]


@case(
    "MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant", each=[None, [None, 3], [3, None]]
)
def static_shapes_of_square_matrices(tf, shape):
    x, _ = fed(tf, A, shape=shape)
    return Program(
        [tf.matrix_inverse(x), tf.matrix_determinant(x), tf.linalg.slogdet(x), tf.cholesky(x)[0]],
        feed={x: SYMMETRIC},
    )


@case("Cholesky", "MatrixDiagPartV3")
def logarithm_of_determinant(tf):
    return tf.linalg.logdet(hermitian(tf))


SQUARE = ["matrix_inverse", "matrix_determinant", "cholesky", "self_adjoint_eig", "matrix_solve"]


def applied(tf, name, x):
    function = getattr(tf, name)
    return function(x, x) if name == "matrix_solve" else function(x)


@case("MatrixInverse", error="Dimensions must be equal, but are ", each=SQUARE)
def matrices_that_are_not_square(tf, name):
    return applied(tf, name, numbers(tf, 2, 3))


@case("MatrixInverse", error="Shape must be at least rank 2 but is rank 1", each=SQUARE)
def vectors_instead_of_matrices(tf, name):
    return applied(tf, name, numbers(tf, 3))


@case("MatrixInverse", error="must be a square matrix.", each=["matrix_solve"])
def matrices_that_are_not_square_to_solve_in_the_run(tf, name):
    x, feed = fed(tf, np.zeros([2, 3]))
    return Program(applied(tf, name, x), feed=feed)


@case("MatrixInverse", error="Input matrix must be square.", each=SQUARE[:4])
def matrices_that_are_not_square_in_the_run(tf, name):
    x, feed = fed(tf, np.zeros([2, 3]))
    return Program(applied(tf, name, x), feed=feed)


@case("MatrixInverse", error="must have rank >= 2, got 1", each=[*SQUARE, "qr", "svd"])
def vectors_instead_of_matrices_in_the_run(tf, name):
    x, feed = fed(tf, np.zeros([3]))
    return Program(applied(tf, name, x), feed=feed)


@case("MatrixInverse", error="Input is not invertible.")
def inverse_of_a_singular_matrix(tf):
    return tf.matrix_inverse([[1.0, 2.0], [2.0, 4.0]])


@case("MatrixInverse", error="not in list of allowed values")
def inverse_of_integers(tf):
    return tf.matrix_inverse([[1, 0], [0, 1]])


# Solving ------------------------------------------------------------------------------------------


@case("MatrixSolve", each=FLOATS)
def solve(tf, dtype):
    a, b = constant(tf, A, dtype), constant(tf, B, dtype)
    return [
        tf.matrix_solve(a, b),
        tf.linalg.solve(a, b, adjoint=True, name="named"),
        tf.matrix_solve(batch(tf, A, dtype), batch(tf, B, dtype)),
    ]


@case("MatrixTriangularSolve", each=FLOATS)
def triangular_solve(tf, dtype):
    a, b = constant(tf, A, dtype), constant(tf, B, dtype)
    solutions = [
        tf.matrix_triangular_solve(a, b, lower=lower, adjoint=adjoint)
        for lower in (False, True)
        for adjoint in (False, True)
    ]
    batches = tf.linalg.triangular_solve(batch(tf, A, dtype), b, name="named")
    return [*solutions, batches, tf.matrix_triangular_solve(a, batch(tf, B, dtype))]


@case("MatrixTriangularSolve")
def triangular_solve_with_zeros(tf):
    return tf.matrix_triangular_solve(tf.zeros([2, 2]), tf.ones([2, 1]))


@case("Cholesky", "MatrixTriangularSolve", each=FLOATS)
def cholesky(tf, dtype):
    factor = tf.cholesky(hermitian(tf, dtype))
    return [factor, tf.cholesky_solve(factor, constant(tf, B, dtype))]


@case("Cholesky")
def cholesky_of_what_is_not_positive(tf):
    # Above the diagonal of what failed TensorFlow leaves whatever the memory held.
    failed = tf.cholesky(np.float32([np.eye(2), -np.eye(2)]))
    return [tf.matrix_band_part(failed, -1, 0), tf.cholesky([[4.0, 9.0], [2.0, 3.0]])]


@case("MatrixSolve", "MatrixTriangularSolve")
def systems_without_equations(tf):
    none, right = tf.zeros([0, 0]), tf.zeros([0, 3])
    eye = tf.constant(np.eye(2), tf.float32)
    return [
        tf.matrix_solve(none, right),
        tf.matrix_triangular_solve(none, right),
        tf.matrix_solve(eye, tf.zeros([2, 0])),
        tf.matrix_triangular_solve(eye, tf.zeros([2, 0])),
    ]


@case("MatrixSolve", "MatrixTriangularSolve", each=[(None, [3, 2]), ([None, 3], [None, None])])
def static_shapes_of_solutions(tf, matrix, rhs):
    a, feed = fed(tf, A, shape=matrix)
    b, more = fed(tf, B, shape=rhs)
    solutions = [tf.matrix_solve(a, b), tf.matrix_triangular_solve(a, b)]
    return Program(solutions, feed={**feed, **more})


WRONG_SYSTEMS = [
    ((2, 2), (3, 1)),
    ((2, 3), (2, 1)),
    ((2, 2, 2), (3, 2, 1)),
    ((2, 2), (2,)),
    ((2,), (2, 1)),
]


@case("MatrixSolve", error="", each=[*WRONG_SYSTEMS, ((2, 2, 2), (2, 1))])
def systems_that_do_not_fit(tf, matrix, rhs):
    return tf.matrix_solve(tf.ones(matrix), tf.ones(rhs))


@case("MatrixTriangularSolve", error="", each=WRONG_SYSTEMS)
def triangular_systems_that_do_not_fit(tf, matrix, rhs):
    return tf.matrix_triangular_solve(tf.ones(matrix), tf.ones(rhs))


MESSAGES = [
    "Input matrix and rhs are incompatible.",
    "First input (lhs) must be a square matrix.",
    "All input tensors must have the same outer dimensions.",
    "All input tensors must have the same rank.",
]
TRIANGULAR_MESSAGES = [
    "In[0] mismatch In[1] shape: 2 vs. 3: [2,2] [3,1] 1 0",
    "must be square (3 =/= 2)",
    "In[0] and In[1] must have compatible batch dimensions: [2,2,2] vs. [3,2,1]",
    "In[1] ndims must be >= 2: 1",
]


def fed_system(tf, function, number):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    shapes = WRONG_SYSTEMS[number]
    return Program(function(x, y), feed={x: np.ones(shapes[0]), y: np.ones(shapes[1])})


@case("MatrixSolve", error=MESSAGES[0])
def right_side_of_another_size_in_the_run(tf):
    return fed_system(tf, tf.matrix_solve, 0)


@case("MatrixSolve", error=MESSAGES[1])
def system_that_is_not_square_in_the_run(tf):
    return fed_system(tf, tf.matrix_solve, 1)


@case("MatrixSolve", error=MESSAGES[2])
def systems_of_other_batches_in_the_run(tf):
    return fed_system(tf, tf.matrix_solve, 2)


@case("MatrixSolve", error=MESSAGES[3])
def right_side_that_is_a_vector_in_the_run(tf):
    return fed_system(tf, tf.matrix_solve, 3)


@case("MatrixTriangularSolve", error=TRIANGULAR_MESSAGES[0])
def triangular_right_side_of_another_size_in_the_run(tf):
    return fed_system(tf, tf.matrix_triangular_solve, 0)


@case("MatrixTriangularSolve", error=TRIANGULAR_MESSAGES[1])
def triangular_system_that_is_not_square_in_the_run(tf):
    return fed_system(tf, tf.matrix_triangular_solve, 1)


@case("MatrixTriangularSolve", error=TRIANGULAR_MESSAGES[2])
def triangular_systems_of_other_batches_in_the_run(tf):
    return fed_system(tf, tf.matrix_triangular_solve, 2)


@case("MatrixTriangularSolve", error=TRIANGULAR_MESSAGES[3])
def triangular_right_side_that_is_a_vector_in_the_run(tf):
    return fed_system(tf, tf.matrix_triangular_solve, 3)


@case("MatrixSolve", error="Input matrix is not invertible.")
def solve_a_singular_system(tf):
    return tf.matrix_solve([[1.0, 2.0], [2.0, 4.0]], [[1.0], [1.0]])


@case("MatrixSolveLs", "Cholesky", each=FLOATS)
def least_squares(tf, dtype):
    tall, wide = constant(tf, A[:, :2], dtype), constant(tf, A[:2], dtype)
    b = constant(tf, B, dtype)
    return [
        tf.matrix_solve_ls(tall, b),
        tf.matrix_solve_ls(wide, b[:2], name="named"),
        tf.linalg.lstsq(tall, b, fast=False),
        tf.matrix_solve_ls(wide, b[:2], fast=False),
    ]


@case("MatrixSolveLs", "Cholesky")
def regularised_least_squares(tf):
    tall, wide = constant(tf, A[:, :2]), constant(tf, A[:2])
    b, weight = constant(tf, B), tf.constant(0.5, tf.float64)
    return [
        tf.matrix_solve_ls(tall, b, 0.5),
        tf.matrix_solve_ls(wide, b[:2], 0.5),
        node(tf, "MatrixSolveLs", [tall, b, weight], T=tf.float32),
        node(tf, "MatrixSolveLs", [wide, b[:2], weight], T=tf.float32),
    ]


@case("MatrixSolveLs")
def least_squares_of_low_rank(tf):
    return tf.matrix_solve_ls(tf.ones([3, 2]), constant(tf, B), fast=False)


@case("MatrixSolveLs", error="Try setting fast=False or provide a larger l2_regularizer > 0.")
def least_squares_of_low_rank_and_fast(tf):
    weight = tf.constant(0.0, tf.float64)
    nodes = [tf.zeros([3, 2]), tf.ones([3, 1]), weight]
    return node(tf, "MatrixSolveLs", nodes, T=tf.float32)


@case("MatrixSolveLs", error="l2_regularizer must be >= 0.")
def least_squares_with_a_negative_weight(tf):
    weight = tf.constant(-1.0, tf.float64)
    nodes = [tf.ones([3, 2]), tf.ones([3, 1]), weight]
    return node(tf, "MatrixSolveLs", nodes, T=tf.float32)


@case("MatrixSolveLs", error="Dimensions must be equal, but are 3 and 2")
def least_squares_of_other_sizes(tf):
    return tf.matrix_solve_ls(tf.ones([3, 2]), tf.ones([2, 1]), fast=False)


# Cond gives the branches' nodes other names.
@case("Cholesky", graph="types", each=[(3, 2), (2, 3)])
def least_squares_of_unknown_shape(tf, rows, columns):
    x, feed = fed(tf, A[:rows, :columns])
    return Program(tf.matrix_solve_ls(x, constant(tf, B[:rows])), feed=feed)


# Decompositions -----------------------------------------------------------------------------------

SHAPES = [(3, 3), (3, 2), (2, 3), (2, 3, 2)]


@case("Qr", each=[(shape, dtype) for shape in SHAPES for dtype in FLOATS])
def qr(tf, shape, dtype):
    x = constant(tf, varied(*shape), dtype)
    return [tf.qr(x), tf.qr(x, full_matrices=True)]


def without_signs(tf, s, u, v):
    """Singular vectors are known but for their signs: what both libraries must agree on."""
    weights = tf.cast(tf.expand_dims(s, -2), u.dtype)
    size = int(s.shape[-1])
    product = tf.matmul(u[..., :size] * weights, v[..., :size], adjoint_b=True)
    return [s, tf.abs(u[..., :size]), tf.abs(v[..., :size]), product]


@case("Svd", each=[(shape, dtype) for shape in SHAPES for dtype in FLOATS])
def svd(tf, shape, dtype):
    x = constant(tf, varied(*shape), dtype)
    full = tf.svd(x, full_matrices=True)
    identities = [tf.matmul(u, u, adjoint_a=True) for u in full[1:]]
    return [
        without_signs(tf, *tf.svd(x)),
        without_signs(tf, *full),
        identities,
        tf.svd(x, compute_uv=False),
    ]


@case("Svd", "Qr", "SelfAdjointEigV2")
def decompositions_without_elements(tf):
    shapes = [(0, 2), (2, 0), (0, 2, 3), (0, 0)]
    results = [[tf.qr(tf.zeros(s)), tf.svd(tf.zeros(s))] for s in shapes]
    full = [[tf.qr(tf.zeros(s), True), tf.svd(tf.zeros(s), True)] for s in shapes]
    return [results, full, tf.self_adjoint_eig(tf.zeros([0, 0]))]


@case("Svd")
def svd_of_nan(tf):
    return tf.svd([[np.nan, 1.0], [1.0, 2.0]])


@case("SelfAdjointEigV2", each=FLOATS, atol=1e-5)
def eigenvalues(tf, dtype):
    x = hermitian(tf, dtype)
    e, v = tf.self_adjoint_eig(x)
    batches = tf.linalg.eigh(tf.stack([x, 2 * x]))[0]
    return [
        e,
        tf.abs(v),
        tf.matmul(x, v) - v * e,
        tf.self_adjoint_eigvals(x),
        batches,
        tf.linalg.eigvalsh(x, name="named"),
    ]


@case("SelfAdjointEigV2")
def eigenvalues_of_the_lower_triangle(tf):
    return tf.self_adjoint_eigvals([[2.0, 100.0], [1.0, 3.0]])


@case("SelfAdjointEigV2", error="Self-adjoint eigen decomposition was not successful.")
def eigenvalues_of_nan(tf):
    return tf.self_adjoint_eig([[np.nan, 1.0], [1.0, 2.0]])


@case("Qr", "Svd", "SelfAdjointEigV2", each=[None, [None, None], [3, None]])
def static_shapes_of_decompositions(tf, shape):
    x, feed = fed(tf, SYMMETRIC, shape=shape)
    fetches = [
        tf.qr(x),
        tf.qr(x, True),
        tf.self_adjoint_eigvals(x),
        tf.svd(x, compute_uv=False),
        [tf.abs(t) for t in tf.svd(x)],
        [tf.abs(t) for t in tf.svd(x, True)],
        [tf.abs(t) for t in tf.self_adjoint_eig(x)],
    ]
    return Program(fetches, feed=feed)


# Gradients ----------------------------------------------------------------------------------------
