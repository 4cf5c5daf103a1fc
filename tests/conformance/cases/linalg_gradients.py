"""Gradients of inverses, solutions, decompositions and least squares."""

from tests.conformance.cases.linalg import SHAPES, A, B, batch, constant, hermitian
from tests.conformance.nodes import node
from tests.conformance.registry import case
from tests.conformance.values import varied


def real_square(tf, x):
    return tf.real(x * tf.conj(x)) if x.dtype.is_complex else x * x


@case("MatrixInverse", graph="types", each=[False, True])
def gradient_of_inverse(tf, adjoint):
    x = constant(tf, A)
    y = tf.matrix_inverse(x, adjoint=adjoint)
    return tf.gradients(y * y, x)


@case("MatrixDeterminant", "LogMatrixDeterminant", graph="types", each=["float64", "complex128"])
def gradients_of_determinants(tf, dtype):
    x = batch(tf, A, dtype)
    return [
        tf.gradients(real_square(tf, tf.matrix_determinant(x)), x),
        tf.gradients(real_square(tf, tf.linalg.slogdet(x)[1]), x),
    ]


@case("MatrixSolve", graph="types", each=[False, True])
def gradients_of_solve(tf, adjoint):
    a, b = constant(tf, A), constant(tf, B)
    y = tf.matrix_solve(a, b, adjoint=adjoint)
    return tf.gradients(y * y, [a, b])


@case("MatrixTriangularSolve", graph="types", each=[(lo, ad) for lo in (0, 1) for ad in (0, 1)])
def gradients_of_triangular_solve(tf, lower, adjoint):
    a, b = constant(tf, A), batch(tf, B)
    y = tf.matrix_triangular_solve(a, b, lower=bool(lower), adjoint=bool(adjoint))
    c = tf.matrix_triangular_solve(a, b[0], lower=bool(lower), adjoint=bool(adjoint))
    return [tf.gradients(y * y, [a, b]), tf.gradients(c * c, a)]


@case(
    "Cholesky", "MatrixSetDiagV3", "MatrixBandPart", graph="types", each=["float64", "complex128"]
)
def gradient_of_cholesky(tf, dtype):
    x = hermitian(tf, dtype)
    return tf.gradients(real_square(tf, tf.cholesky(x)), x)


@case("Qr", graph="types", each=[(s, d) for s in SHAPES for d in ("float64", "complex128")])
def gradient_of_qr(tf, shape, dtype):
    x = constant(tf, varied(*shape), dtype)
    q, r = tf.qr(x)
    return tf.gradients([real_square(tf, q), real_square(tf, r)], x)


@case("Svd", graph="types", each=[(s, d) for s in SHAPES for d in ("float64", "complex128")])
def gradient_of_singular_values(tf, shape, dtype):
    x = constant(tf, varied(*shape), dtype)
    s = tf.svd(x, compute_uv=False)
    return tf.gradients(s * s, x)


@case("Svd", graph="types", each=[(3, 3), (4, 3), (2, 3)])
def gradient_of_singular_vectors(tf, rows, columns):
    x = tf.constant(varied(rows, columns))
    results = []
    for full in (False, True):
        s, u, v = tf.svd(x, full_matrices=full)
        size = min(rows, columns)
        # Squares do not depend on the signs.
        results.append(tf.gradients([s * s, u[:, :size] ** 2, v[:, :size] ** 2], x))
    return results


@case("SelfAdjointEigV2", graph="types", each=["float64", "complex128"])
def gradients_of_eigenvalues(tf, dtype):
    x = hermitian(tf, dtype)
    e, v = tf.self_adjoint_eig(x)
    sizes = real_square(tf, v)
    values = real_square(tf, tf.self_adjoint_eigvals(x))
    return [tf.gradients([real_square(tf, e), sizes * sizes], x), tf.gradients(values, x)]


@case("MatrixSolveLs", graph="types", each=[(3, 2), (2, 3)])
def gradients_of_least_squares(tf, rows, columns):
    a, b = constant(tf, A[:rows, :columns]), constant(tf, B[:rows])
    y = node(tf, "MatrixSolveLs", [a, b, tf.constant(0.5, tf.float64)], T=tf.float32)[0]
    return tf.gradients(y * y, [a, b])


@case("Qr", error="QrGrad not implemented when nrows > ncols and full_matrices is true.")
def gradient_of_full_qr(tf):
    x = constant(tf, B)
    return tf.gradients(tf.qr(x, True), x)


@case("MatrixSolveLs", error="Gradient not defined for fast=False")
def gradient_of_slow_least_squares(tf):
    x = constant(tf, B)
    return tf.gradients(tf.matrix_solve_ls(x, x, fast=False), x)
