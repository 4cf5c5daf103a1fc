"""Sparse tensors written out."""

import numpy as np

import tinytf as tf
from tests.ops.gradient_cases import Case, numbers, program

CASES: dict[str, list[Case]] = {
    "SparseToDense": [
        program(lambda v, d: tf.sparse_to_dense([[0, 1], [2, 0]], [3, 2], v, d), numbers(2),
                np.array(0.4)),
    ],
}  # fmt: skip
