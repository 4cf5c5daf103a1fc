"""Roots of matrices, and matrices with three diagonals."""

import numpy as np

from tests.ops.gradients.cases import Case, op, signed

SQUARE = np.eye(3) * 2 + 0.3 * signed(3, 3)
COMPLEX = SQUARE + 0.2j * signed(3, 3, seed=7)
BANDS = signed(3, 4) + np.array([[0.0], [5.0], [0.0]])
RIGHT = signed(4, 2, seed=4)
BATCH = [np.stack([BANDS, BANDS + 1.0]), np.stack([RIGHT, 2 * RIGHT])]


def in_rows(bands: np.ndarray) -> list[np.ndarray]:
    return [bands[..., i : i + 1, :] for i in range(3)]


CASES: dict[str, list[Case]] = {
    "MatrixSquareRoot": [
        op("MatrixSquareRoot", SQUARE),
        op("MatrixSquareRoot", COMPLEX),
        op("MatrixSquareRoot", np.stack([SQUARE, SQUARE.T + 1.0])),
    ],
    "TridiagonalMatMul": [
        op("TridiagonalMatMul", *in_rows(BANDS), RIGHT),
        op("TridiagonalMatMul", *in_rows(BATCH[0]), BATCH[1]),
        op("TridiagonalMatMul", *in_rows(BANDS + 0.5j), RIGHT + 1j),
    ],
    "TridiagonalSolve": [
        op("TridiagonalSolve", BANDS, RIGHT),
        op("TridiagonalSolve", *BATCH),
        op("TridiagonalSolve", BANDS + 0.5j, RIGHT + 1j),
        op("TridiagonalSolve", BANDS, RIGHT, partial_pivoting=False),
    ],
}
