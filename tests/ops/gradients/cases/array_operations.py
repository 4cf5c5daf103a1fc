"""Diagonals, coordinates, blocks, mirrors, order, segments."""

import numpy as np

import tinytf as tf
from tests.ops.gradients.cases import (
    C,
    Case,
    P,
    X,
    first_order,
    ints,
    numbers,
    op,
    program,
    signed,
    unary,
)

MATRICES = signed(2, 3, 4)
BAND = signed(2, 2, 3)
K, MINUS = ints(0, 1), ints(-1)[0]
NO_PADDING = np.array(0.0, np.float64)


def matrix_diag(op_type: str) -> Case:
    """The band, without a gradient for what is outside of it (TensorFlow gives none)."""

    def build(x):
        inputs = [x, *map(tf.constant, (K, MINUS, MINUS, NO_PADDING))]
        return tf.get_default_graph().create_op(op_type, inputs).outputs[0]

    return Case(build, [BAND])


def matrix_diag_part(op_type: str) -> Case:
    def build(x):
        inputs = [x, tf.constant(ints(-2, 1)), tf.constant(NO_PADDING)]
        return tf.get_default_graph().create_op(op_type, inputs).outputs[0]

    return Case(build, [MATRICES])


def segment(op_type: str, x: np.ndarray, *more: np.ndarray) -> list[Case]:
    """Rows of two numbers, and of one."""
    return [op(op_type, x, *more), op(op_type, x[:, 0], *more)]


SORTED, GAP = ints(0, 0, 1, 1, 1), ints(0, 0, 2, 2, 2)
UNSORTED = ints(1, 0, 1, -1, 0)
ROWS, POSITIVE = signed(5, 2), numbers(5, 2)
COUNT, TWO = ints(4)[0], ints(2)[0]


def with_a_zero() -> np.ndarray:
    rows = signed(5, 2)
    rows[1, 0] = 0.0
    return rows


def scatter(op_type: str) -> list[Case]:
    """Whole rows, single elements; places that differ, for those where it matters."""
    return [
        op(op_type, signed(3, 2), ints([2], [0]), signed(2, 2, seed=7)),
        op(op_type, signed(3, 2), ints([2, 1], [0, 0]), signed(2, seed=8)),
    ]


def sparse(kind: str) -> dict[str, list[Case]]:
    """The rows 0, 2, 0 and 3 of four, in segments 0 and 2."""
    chosen, ids = ints(0, 2, 0, 3), ints(0, 0, 2, 2)
    name = f"SparseSegment{kind}"
    return {
        name: [op(name, signed(4, 2), chosen, ids)],
        f"{name}WithNumSegments": [op(f"{name}WithNumSegments", signed(4, 2), chosen, ids, COUNT)],
    }


EVEN, BLOCK = np.zeros([2, 2], np.int32), ints(2, 2)
CASES: dict[str, list[Case]] = {
    # Diagonals
    "Diag": unary("Diag", X, C[0]),
    "DiagPart": unary("DiagPart", signed(3, 3), signed(2, 3, 2, 3)),
    "MatrixDiag": unary("MatrixDiag", X),
    "MatrixDiagV2": [matrix_diag("MatrixDiagV2")],
    "MatrixDiagV3": [matrix_diag("MatrixDiagV3")],
    "MatrixDiagPart": unary("MatrixDiagPart", MATRICES, signed(2, 2)),
    "MatrixDiagPartV2": [matrix_diag_part("MatrixDiagPartV2")],
    "MatrixDiagPartV3": [matrix_diag_part("MatrixDiagPartV3")],
    "MatrixSetDiag": [op("MatrixSetDiag", MATRICES, X)],
    "MatrixSetDiagV2": [op("MatrixSetDiagV2", MATRICES, BAND, K)],
    "MatrixSetDiagV3": [op("MatrixSetDiagV3", MATRICES, BAND, K)],
    "MatrixBandPart": [op("MatrixBandPart", MATRICES, np.int64(1), np.int64(0))],
    # Coordinates
    "GatherNd": [
        op("GatherNd", signed(3, 2), ints([2], [0], [2])),
        op("GatherNd", signed(3, 2), ints([2, 1], [0, 0])),
        program(lambda x: tf.gather_nd(x, [[1], [0]], batch_dims=1), X),
    ],
    "ScatterNd": [op("ScatterNd", ints([2], [0], [2]), signed(3, 2), ints(4, 2))],
    "ScatterNdNonAliasingAdd": scatter("ScatterNdNonAliasingAdd"),
    "TensorScatterUpdate": scatter("TensorScatterUpdate"),
    "TensorScatterAdd": scatter("TensorScatterAdd"),
    "TensorScatterSub": scatter("TensorScatterSub"),
    "TensorScatterMin": scatter("TensorScatterMin"),
    "TensorScatterMax": scatter("TensorScatterMax"),
    "DynamicPartition": [
        op("DynamicPartition", signed(4, 2), ints(1, 0, 1, 0), num_partitions=2, outputs=(0, 1))
    ],
    "ParallelDynamicStitch": [
        op("ParallelDynamicStitch", ints(0, 2), ints(1), signed(2, 2), signed(1, 2), N=2)
    ],
    # Blocks, mirrors, order
    "SpaceToBatch": [op("SpaceToBatch", signed(1, 4, 2, 1), ints([1, 1], [0, 0]), block_size=2)],
    "BatchToSpace": [op("BatchToSpace", signed(4, 2, 1, 1), ints([1, 0], [0, 0]), block_size=2)],
    "SpaceToBatchND": [op("SpaceToBatchND", signed(1, 4, 2), BLOCK, ints([1, 1], [0, 2]))],
    "BatchToSpaceND": [op("BatchToSpaceND", signed(4, 2, 1), BLOCK, ints([1, 0], [0, 1]))],
    "SpaceToDepth": [op("SpaceToDepth", signed(1, 4, 2, 1), block_size=2)],
    "DepthToSpace": [op("DepthToSpace", signed(1, 2, 1, 4), block_size=2)],
    "MirrorPad": [
        op("MirrorPad", X, ints([1, 1], [2, 1]), mode="REFLECT"),
        op("MirrorPad", X, ints([2, 1], [0, 3]), mode="SYMMETRIC"),
    ],
    "MirrorPadGrad": [
        op("MirrorPadGrad", signed(4, 6), ints([1, 1], [2, 1]), mode="REFLECT"),
        op("MirrorPadGrad", signed(5, 6), ints([2, 1], [0, 3]), mode="SYMMETRIC"),
    ],
    "Reverse": [op("Reverse", X, np.array([True, False]))],
    "ReverseV2": [op("ReverseV2", X, ints(-1))],
    "ReverseSequence": [op("ReverseSequence", X, ints(2, 3), seq_dim=1, batch_dim=0)],
    "Roll": [op("Roll", X, ints(1, -1), ints(0, 1))],
    "TopKV2": [op("TopKV2", X, ints(2)[0]), program(lambda x: tf.sort(x, axis=0), X)],
    # Segments
    "SegmentSum": segment("SegmentSum", ROWS, GAP),
    "SegmentMean": segment("SegmentMean", ROWS, SORTED),
    # At a zero TensorFlow's gradient is right, but as if it were constant.
    "SegmentProd": [
        *segment("SegmentProd", ROWS, GAP),
        first_order(op("SegmentProd", with_a_zero(), SORTED), "zeros are chosen, not multiplied"),
    ],
    "SegmentMin": segment("SegmentMin", ROWS, SORTED),
    "SegmentMax": segment("SegmentMax", ROWS, SORTED),
    "UnsortedSegmentProd": segment("UnsortedSegmentProd", POSITIVE, ints(3, 0, 3, 1, 0), COUNT),
    "UnsortedSegmentMin": segment("UnsortedSegmentMin", ROWS, UNSORTED, TWO),
    "UnsortedSegmentMax": segment("UnsortedSegmentMax", ROWS, UNSORTED, TWO),
    **sparse("Sum"),
    **sparse("Mean"),
    **sparse("SqrtN"),
    # Reductions and scans
    "EuclideanNorm": [
        op("EuclideanNorm", P, ints(0)),
        op("EuclideanNorm", P, ints(0, 1), keep_dims=True),
        op("EuclideanNorm", P, ints(-1)),
    ],
    "CumulativeLogsumexp": [
        op("CumulativeLogsumexp", X, ints(1)[0]),
        op("CumulativeLogsumexp", X, ints(0)[0], reverse=True),
    ],
}

#: TensorFlow has no gradient for the ops that compute the first one either.
NO_SECOND_ORDER = {
    f"SparseSegment{kind}{more}": f"SparseSegment{kind}Grad"
    for kind in ("Sum", "Mean", "SqrtN")
    for more in ("", "WithNumSegments")
}
