"""Sparse tensors written out."""

import numpy as np

import tinytf as tf
from tests.ops.gradient_cases import Case, numbers, program


def reordered(values: tf.Tensor) -> tf.Tensor:
    """The values of a sparse tensor whose entries were not in order."""
    mixed = tf.SparseTensor([[2, 0], [0, 1], [1, 1]], values, [3, 2])
    return tf.sparse.reorder(mixed).values


CASES: dict[str, list[Case]] = {
    "SparseToDense": [
        program(lambda v, d: tf.sparse_to_dense([[0, 1], [2, 0]], [3, 2], v, d), numbers(2),
                np.array(0.4)),
    ],
    "SparseReorder": [program(reordered, numbers(3))],
}  # fmt: skip
