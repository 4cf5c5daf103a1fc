"""Shapes, and parts of arrays: joining, splitting, slicing, gathering."""

import numpy as np

import tinytf as tf
from tests.ops.gradients.cases import COLUMN, C, Case, P, X, ints, op, program, signed, unary

CASES: dict[str, list[Case]] = {
    # Shapes
    "Reshape": [op("Reshape", X, ints(3, -1))],
    "ExpandDims": [op("ExpandDims", X, ints(1)[0])],
    "Squeeze": [op("Squeeze", signed(1, 3, 1)), op("Squeeze", signed(1, 3, 1), squeeze_dims=[-1])],
    "Transpose": [op("Transpose", signed(2, 3, 2), ints(2, 0, 1)), op("Transpose", C, ints(1, 0))],
    "Tile": [op("Tile", X, ints(2, 3))],
    "BroadcastTo": [op("BroadcastTo", COLUMN, ints(4, 2, 3))],
    "Fill": [op("Fill", ints(2, 2), np.float64(3.0))],
    "ZerosLike": unary("ZerosLike", X),
    "OnesLike": unary("OnesLike", X),
    # Parts
    "Concat": [op("Concat", ints(1)[0], X, P)],
    "ConcatV2": [
        op("ConcatV2", X, COLUMN, ints(1)[0], N=2),
        op("ConcatV2", X, P, X, ints(-2)[0], N=3),
    ],
    "Pack": [op("Pack", X, P, axis=1)],
    "Unpack": [op("Unpack", X, num=3, axis=1, outputs=(0, 2))],
    "Split": [op("Split", ints(1)[0], signed(2, 4), num_split=2, outputs=(1,))],
    "SplitV": [op("SplitV", signed(2, 4), ints(1, 3), ints(1)[0], num_split=2, outputs=(0, 1))],
    "Slice": [op("Slice", signed(3, 4), ints(1, 0), ints(2, -1))],
    "StridedSlice": [
        op("StridedSlice", signed(3, 4), ints(2, 1), ints(0, 4), ints(-1, 2)),
        program(lambda x: x[tf.newaxis, 1, ..., ::2], signed(3, 2, 4)),
    ],
    "StridedSliceGrad": [
        op("StridedSliceGrad", ints(3, 4), ints(0, 1), ints(3, 4), ints(2, 2), signed(2, 2))
    ],
    "Pad": [op("Pad", X, ints([1, 0], [2, 3]))],
    "PadV2": [program(lambda x: tf.pad(x, [[1, 0], [0, 2]], constant_values=3.0), X)],
    "Gather": [op("Gather", X, ints([1, 0], [1, 1]))],
    "GatherV2": [
        op("GatherV2", X, ints([1, 0], [1, 1]), ints(0)[0]),
        op("GatherV2", signed(2, 3, 2), ints(2, 0, 2), ints(1)[0]),
    ],
    "DynamicStitch": [program(lambda x, y: tf.dynamic_stitch([[0, 2], [1, 3]], [x, y]), X, P)],
}
