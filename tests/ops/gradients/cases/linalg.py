"""Inverses, systems of equations, decompositions, contractions."""

import numpy as np

import tinytf as tf
from tests.ops.gradients.cases import Case, first_order, in_float32, numbers, op, program, signed

SQUARE = np.eye(3) * 2 + 0.3 * signed(3, 3)
BATCH = np.stack([SQUARE, SQUARE.T + 1.0])
RIGHT = signed(3, 2)
TALL, WIDE = signed(3, 2, seed=4), signed(2, 3, seed=5)
COMPLEX = SQUARE + 0.2j * signed(3, 3, seed=7)
SYMMETRIC = np.diag([5.0, 3.0, 1.5]) + 0.2 * np.ones([3, 3])


def einsum(equation: str, *inputs: np.ndarray) -> Case:
    return op("Einsum", *inputs, equation=equation, N=len(inputs))


def exponential(matrix: np.ndarray) -> Case:
    return first_order(program(tf.linalg.expm, matrix), "it squares in a loop")


def symmetric(build, *points):
    """What is differentiated depends on the lower triangle alone, and so do the differences."""
    return program(lambda x: build((x + tf.matrix_transpose(x)) / 2.0), *points)


def vectors_without_signs(x):
    e, v = tf.self_adjoint_eig(x)
    return [e, v * v]


def singular_vectors_without_signs(x):
    s, u, v = tf.svd(x)
    return [s, u * u, v * v]


CASES: dict[str, list[Case]] = {
    "MatrixInverse": [
        op("MatrixInverse", SQUARE),
        op("MatrixInverse", BATCH, adjoint=True),
        op("MatrixInverse", COMPLEX, adjoint=True),
    ],
    "MatrixDeterminant": [op("MatrixDeterminant", SQUARE), op("MatrixDeterminant", BATCH)],
    "LogMatrixDeterminant": [op("LogMatrixDeterminant", SQUARE, outputs=(1,))],
    "MatrixSolve": [
        op("MatrixSolve", SQUARE, RIGHT),
        op("MatrixSolve", COMPLEX, RIGHT + 0j),
        op("MatrixSolve", SQUARE, RIGHT, adjoint=True),
        exponential(SQUARE),
        exponential(3.0 * COMPLEX),
    ],
    "MatrixTriangularSolve": [
        op("MatrixTriangularSolve", SQUARE, RIGHT, lower=lower, adjoint=adjoint)
        for lower in (False, True)
        for adjoint in (False, True)
    ]
    + [
        op("MatrixTriangularSolve", BATCH, RIGHT),
        program(lambda lu, x: tf.linalg.lu_solve(lu, [2, 0, 1], x), SQUARE, RIGHT),
    ],
    "MatrixSolveLs": [
        program(
            lambda a, b: (
                tf.get_default_graph()
                .create_op("MatrixSolveLs", [a, b, tf.constant(0.5, tf.float64)])
                .outputs
            ),
            matrix,
            right,
        )
        for matrix, right in ((TALL, RIGHT), (WIDE, RIGHT[:2]))
    ],
    "Cholesky": [symmetric(tf.cholesky, SYMMETRIC)],
    "Qr": [
        op("Qr", SQUARE, outputs=(0, 1)),
        op("Qr", TALL, outputs=(0, 1)),
        op("Qr", WIDE, outputs=(0, 1)),
    ],
    "Svd": [
        op("Svd", TALL, compute_uv=False),
        *(program(singular_vectors_without_signs, x) for x in (SQUARE, TALL, WIDE)),
    ],
    "SelfAdjointEigV2": [
        symmetric(tf.self_adjoint_eigvals, SYMMETRIC),
        symmetric(vectors_without_signs, SYMMETRIC),
    ],
    "Cross": [op("Cross", signed(2, 3), numbers(2, 3))],
    "Einsum": [
        einsum("ij,jk->ik", WIDE, RIGHT),
        einsum("ij->ji", WIDE),
        einsum("ij->", WIDE),
        einsum("iij->ji", numbers(2, 2, 3)),
        einsum("ii->i", SQUARE),
        einsum("ij->j", WIDE),
        einsum("...ij,...jk->...ik", numbers(2, 1, 2, 3), numbers(4, 3, 2)),
        einsum("abc,cd->ad", numbers(2, 3, 2), numbers(2, 3)),
        einsum("ij,jk->ik", COMPLEX, COMPLEX.T),
    ],
    "SparseMatMul": [
        in_float32(lambda a, b: tf.matmul(a, b, a_is_sparse=True), WIDE, RIGHT),
        in_float32(lambda a, b: tf.matmul(a, b, True, True, b_is_sparse=True), WIDE.T, RIGHT.T),
        in_float32(lambda a, b: tf.matmul(a, b, True, False, b_is_sparse=True), WIDE.T, RIGHT),
        in_float32(lambda a, b: tf.matmul(a, b, False, True, a_is_sparse=True), WIDE, RIGHT.T),
    ],
    "ConjugateTranspose": [program(lambda x: tf.transpose(x, [1, 0], conjugate=True), COMPLEX)],
}
