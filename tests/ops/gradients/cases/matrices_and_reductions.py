"""Products of matrices, reductions, cumulative and segment sums."""

import numpy as np

from tests.ops.gradients.cases import (
    MATRIX,
    C,
    Case,
    X,
    first_order,
    ints,
    numbers,
    op,
    reduction,
    signed,
)

CASES: dict[str, list[Case]] = {
    # Matrices
    "MatMul": [
        op("MatMul", X.T if a else X, MATRIX.T if b else MATRIX, transpose_a=a, transpose_b=b)
        for a in (False, True)
        for b in (False, True)
    ]
    + [op("MatMul", C, C.T)],
    "BatchMatMul": [op("BatchMatMul", signed(2, 2, 3), numbers(2, 3, 2))],
    "BatchMatMulV2": [
        op("BatchMatMulV2", signed(2, 1, 2, 3), numbers(4, 3, 2)),
        op("BatchMatMulV2", signed(2, 3, 2), numbers(2, 4, 3), adj_x=True, adj_y=True),
    ],
    # Reductions
    "Sum": [*reduction("Sum", X), op("Sum", C, ints(0))],
    "Mean": reduction("Mean", X),
    "Prod": [
        *reduction("Prod", X),
        first_order(
            op("Prod", np.array([[0.0, 2.0], [3.0, 0.5]]), ints(1)),
            "the gradient of cumprod divides by its argument, a zero",
        ),
    ],
    "Max": reduction("Max", X),
    "Min": reduction("Min", X),
    "Cumsum": [
        op("Cumsum", X, ints(1)[0], exclusive=e, reverse=r)
        for e in (False, True)
        for r in (False, True)
    ],
    "Cumprod": [
        op("Cumprod", X, ints(1)[0], exclusive=e, reverse=r)
        for e in (False, True)
        for r in (False, True)
    ],
    "UnsortedSegmentSum": [op("UnsortedSegmentSum", X, ints(1, -1), ints(3)[0])],
}

#: Their results are no floating-point numbers, or do not depend on the values.
NO_DERIVATIVE = {"ArgMax", "ArgMin"}
