"""Operations on sparse tensors, by their values."""

import numpy as np

import tinytf as tf
from tests.ops.gradients.cases import Case, first_order, numbers, program, signed


def reordered(values: tf.Tensor) -> tf.Tensor:
    """The values of a sparse tensor whose entries were not in order."""
    mixed = tf.SparseTensor([[2, 0], [0, 1], [1, 1]], values, [3, 2])
    return tf.sparse.reorder(mixed).values


PLACES, OTHER_PLACES = [[0, 1], [1, 0], [1, 2]], [[0, 1], [0, 2], [1, 2]]


def sparse(values: tf.Tensor, places: list[list[int]] = PLACES) -> tf.SparseTensor:
    return tf.SparseTensor(places, values, [2, 3])


def added(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    return tf.sparse.add(sparse(x), sparse(y, OTHER_PLACES)).values


def multiplied(adjoint_a: bool, adjoint_b: bool) -> Case:
    """A product of a sparse matrix [2, 3] and a dense one."""
    inner = 2 if adjoint_a else 3

    def build(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return tf.sparse.matmul(sparse(x), y, adjoint_a, adjoint_b)

    return program(build, signed(3), signed(4, inner) if adjoint_b else signed(inner, 4))


def filled(x: tf.Tensor, default: tf.Tensor) -> tf.Tensor:
    spread = tf.SparseTensor([[1, 0], [1, 1], [3, 0]], x, [5, 2])
    return tf.sparse.fill_empty_rows(spread, default)[0].values


#: Their gradients are errors.
CHECKED_ELSEWHERE = dict.fromkeys(
    ("SparseDenseCwiseAdd", "SparseSparseMaximum", "SparseSparseMinimum"),
    "tests/ops/sparse/test_sparse.py: test_what_has_no_gradient_says_so",
)
NO_SECOND_ORDER = {
    "SparseSlice": "SparseSliceGrad",
    "SparseFillEmptyRows": "SparseFillEmptyRowsGrad",
}

CASES: dict[str, list[Case]] = {
    "SparseToDense": [
        program(
            lambda v, d: tf.sparse_to_dense([[0, 1], [2, 0]], [3, 2], v, d),
            numbers(2),
            np.array(0.4),
        )
    ],
    "SparseReorder": [program(reordered, numbers(3))],
    "SparseAdd": [
        first_order(program(added, signed(3), numbers(3)), "TensorFlow stops at SparseAddGrad")
    ],
    "SparseTensorDenseAdd": [
        program(lambda x, y: tf.sparse.add(sparse(x), y), signed(3), signed(2, 3))
    ],
    "SparseDenseCwiseMul": [
        program(lambda x, y: (sparse(x) * y).values, signed(3), signed(2, 3)),
        program(lambda x, y: (sparse(x) * y).values, signed(3), signed(2, 1)),
        program(lambda x, y: (sparse(x) * y).values, signed(3), signed(3)),
    ],
    "SparseDenseCwiseDiv": [
        program(lambda x, y: (sparse(x) / y).values, signed(3), numbers(2, 3)),
        program(lambda x, y: (sparse(x) / y).values, signed(3), numbers(1, 3)),
    ],
    "SparseTensorDenseMatMul": [multiplied(a, b) for a in (False, True) for b in (False, True)],
    "SparseReduceSum": [
        program(lambda x: tf.sparse.reduce_sum(sparse(x), [1]), signed(3)),
        program(lambda x: tf.sparse.reduce_sum(sparse(x), [0], keepdims=True), signed(3)),
        program(lambda x: tf.sparse.reduce_sum(sparse(x)), signed(3)),
    ],
    "SparseSoftmax": [
        first_order(
            program(lambda x: tf.sparse.softmax(sparse(x)).values, signed(3)),
            "SparseDenseCwiseAdd has no gradient",
        )
    ],
    "SparseSlice": [
        program(lambda x: tf.sparse.slice(sparse(x), [0, 1], [2, 2]).values, signed(3))
    ],
    "SparseFillEmptyRows": [program(filled, signed(3), np.array(0.4))],
}
