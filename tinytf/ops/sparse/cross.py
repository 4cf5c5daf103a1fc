"""Feature crosses: each combination of a row's features, as text or as a number.

A row has as many crosses as the product of the numbers of its features; they are counted with
the last feature as the fastest wheel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.cast import cast
from tinytf.ops.sparse.parts import arguments, static_shapes
from tinytf.ops.strings.hashing import farm, fingerprint_cat, hash_strings, sip
from tinytf.ops.strings.string_cards import only_text, string_array, texts

_INPUTS = "indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types"
_COUNT = "N: int >= 0"
_TYPES = "sparse_types: list({int64, string}) >= 0, dense_types: list({int64, string}) >= 0"
_NO_GRADIENT = "features are no numbers that change by small amounts"
_HASH_KEY = 0xDECAFCAFFE
_LARGEST = np.uint64(2**63 - 1)

Column = tuple[np.ndarray, np.ndarray, np.ndarray]


def _shape(c: InferenceContext) -> list[TensorShape]:
    return static_shapes(2)


def _columns(inputs: Any, count: int) -> tuple[list[Column], int]:
    """Of each input its features, and how many each row has and where they begin; the rows."""
    indices, values = inputs[:count], inputs[count : 2 * count]
    shapes, dense = inputs[2 * count : 3 * count], inputs[3 * count :]
    _check_sparse(indices, values, shapes)
    for number, matrix in enumerate(dense):
        if np.ndim(matrix) != 2:
            raise invalid(
                f"Dense inputs should be a matrix but received shape {shown(matrix)} at position "
                f"{number}"
            )
    sizes = [int(shape[0]) for shape in shapes] + [len(matrix) for matrix in dense]
    rows = sizes[0] if sizes else 0
    for number, size in enumerate(sizes):
        if size != rows:
            where = f"position {number}" if number < count else f"dense tensor {number - count}"
            raise invalid(f"Expected batch size {rows} got {size} at {where}")
    columns: list[Column] = []
    for places, features in zip(indices, values, strict=True):
        own = places[:, 0]
        if ((own < 0) | (own >= rows)).any() or (np.diff(own) < 0).any():
            raise invalid(
                f"Indices of crossed features should be row after row, within {rows} rows: "
                f"{own[:10].tolist()}. tf.sparse.reorder puts them in order."
            )
        counts = np.bincount(own, minlength=rows)
        columns.append((features, counts, np.cumsum(counts) - counts))
    for matrix in dense:
        width = matrix.shape[1]
        columns.append((matrix.reshape(-1), np.full(rows, width), np.arange(rows) * width))
    return columns, rows


def _check_sparse(indices: Any, values: Any, shapes: Any) -> None:
    for number, (places, features, shape) in enumerate(zip(indices, values, shapes, strict=True)):
        at = f" at position {number}"
        if np.ndim(places) != 2:
            raise invalid(
                f"Input indices should be a matrix but received shape {shown(places)}{at}"
            )
        if places.shape[1] != 2:
            raise invalid(f"Expected D2 of index to be 2 got {places.shape[1]}{at}")
        for what, vector in (("values", features), ("shapes", shape)):
            if np.ndim(vector) != 1:
                raise invalid(
                    f"Input {what} should be a vector but received shape {shown(vector)}{at}"
                )
        if len(features) != len(places):
            raise invalid(f"Expected size of values to be {len(places)} got {len(features)}{at}")
        if len(shape) != 2:
            raise invalid(f"shape should imply a 2D tensor, but got {shown(shape)}{at}")


def _crossed(
    inputs: Any,
    count: int,
    translate: Sequence[Callable[[Any], Any]],
    join: Callable[[list[Any]], Any],
) -> Any:
    """All crosses: `translate` each column's features, then `join` one of each."""
    columns, rows = _columns(inputs, count)
    counts = np.array([column[1] for column in columns], np.int64).reshape(len(columns), rows)
    per_row = counts.prod(axis=0) if columns else np.zeros(0, np.int64)
    row, number = np.repeat(np.arange(rows), per_row), np.arange(per_row.sum())
    number -= np.repeat(np.cumsum(per_row) - per_row, per_row)
    chosen = []
    turns = per_row
    for column, (features, own, starts) in enumerate(columns):
        turns = turns // np.maximum(own, 1)
        place = starts[row] + number // turns[row] % own[row]
        chosen.append(translate[column](features)[place])
    indices = np.stack([row, number], axis=1)
    return indices, join(chosen), np.array([rows, per_row.max(initial=0)], np.int64)


def _as_text(features: np.ndarray) -> np.ndarray:
    if features.dtype == object:
        return features
    return string_array((str(n).encode() for n in features.tolist()), features.shape)


def _joined(separator: bytes, chosen: list[Any]) -> np.ndarray:
    return string_array(
        map(separator.join, zip(*map(texts, chosen), strict=True)),
        (len(chosen[0]) if chosen else 0,),
    )


def _as_number(features: np.ndarray) -> np.ndarray:
    """Texts as their fingerprints, numbers as they are; uint64."""
    return hash_strings(farm, features) if features.dtype == object else features.view(np.uint64)


def _hashed(first: list[Any], buckets: int, chosen: list[Any]) -> np.ndarray:
    if not chosen:
        return np.zeros(0, np.int64)
    result, *others = [*first, *chosen]
    for other in others:
        result = fingerprint_cat(result, other)
    return (result % (np.uint64(buckets) if buckets > 0 else _LARGEST)).astype(np.int64)


# SparseCross --------------------------------------------------------------------------------------

_cross = define_op(
    "SparseCross",
    f"{_INPUTS} -> {arguments('output_', 'out_type')}",
    f"{_COUNT}, hashed_output: bool, num_buckets: int >= 0, hash_key: int",
    _TYPES,
    "out_type: {int64, string}, internal_type: {int64, string}",
    shape=_shape,
    no_gradient=_NO_GRADIENT,
)


@_cross.kernel
def _cross_kernel(*inputs: Any, N: int, num_buckets: int, hash_key: int, node: Operation) -> Any:
    width = N + len(node.attrs["dense_types"])
    if not node.attrs["hashed_output"]:
        return _crossed(inputs, N, [_as_text] * width, partial(_joined, b"_X_"))
    key = np.uint64(hash_key & (2**64 - 1))
    return _crossed(inputs, N, [_as_number] * width, partial(_hashed, [key], num_buckets))


def sparse_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """A number for each combination of a row's features (TensorFlow: `tf.sparse.cross_hashed`).

    Args:
      inputs: a list of features, text or integers: sparse matrices, and tensors, with one row for
        each example.
      num_buckets: the numbers are below it; 0 for any.
      hash_key: a different one gives different numbers.
      name: of the operation.

    Returns:
      a sparse matrix, int64, with as many columns as the row with the most combinations has.

    Raises:
      TypeError: for inputs of another kind. InvalidArgumentError: in a run, for other shapes.

    Example:
      >>> features = [tf.constant([["a"], ["b"]]), tf.constant([[1], [2]])]
      >>> tf.sparse.cross_hashed(features, num_buckets=100).values  # [85, 57], int64
    """
    indices, values, shapes, dense = _inputs(inputs, "All inputs must be SparseTensors")
    numbers = any(x.dtype == dtypes.int64 for x in values + dense)
    attrs = {
        "hashed_output": True,
        "num_buckets": num_buckets,
        "hash_key": hash_key or _HASH_KEY,
        "out_type": dtypes.int64,
        "internal_type": dtypes.int64 if numbers else dtypes.string,
    }
    return SparseTensor(*_cross(indices, values, shapes, dense, name=name, **attrs))


def _inputs(inputs: Any, message: str) -> tuple[list[Tensor], ...]:
    if not isinstance(inputs, tuple | list):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(one, SparseTensor | Tensor) for one in inputs):
        raise TypeError(message)
    sparse = [one for one in inputs if isinstance(one, SparseTensor)]
    dense = [one for one in inputs if not isinstance(one, SparseTensor)]
    values = [_text_or_int64(one.values) for one in sparse]
    return (
        [one.indices for one in sparse],
        values,
        [one.dense_shape for one in sparse],
        [_text_or_int64(one) for one in dense],
    )


def _text_or_int64(features: Tensor) -> Tensor:
    return features if features.dtype == dtypes.string else cast(features, dtypes.int64)


# SparseCrossV2 ------------------------------------------------------------------------------------

_cross_v2 = define_op(
    "SparseCrossV2",
    f"{_INPUTS}, sep: string -> {arguments('output_', 'string')}",
    _COUNT,
    _TYPES,
    shape=_shape,
    no_gradient=_NO_GRADIENT,
)


@_cross_v2.kernel
def _cross_v2_kernel(*inputs: Any, N: int, dense_types: tuple[Any, ...]) -> Any:
    separator = only_text(inputs[-1], "Input separator should be a scalar. Received:")
    translate = [_as_text] * (N + len(dense_types))
    return _crossed(inputs[:-1], N, translate, partial(_joined, separator))


def sparse_cross(inputs: Any, name: str | None = None, separator: Any = None) -> SparseTensor:
    """Each combination of a row's features, as text (TensorFlow: `tf.sparse.cross`).

    Args:
      inputs: as for `tf.sparse.cross_hashed`.
      name: of the operation.
      separator: between two features; "_X_" by default.

    Returns:
      a sparse matrix of strings.

    Raises:
      TypeError: for inputs of another kind. InvalidArgumentError: in a run, for other shapes.

    Example:
      >>> words = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
      >>> tf.sparse.cross([words, tf.constant([[1]])]).values  # [b'a_X_1', b'b_X_1']
    """
    between = convert_to_tensor("_X_" if separator is None else separator, dtypes.string)
    indices, values, shapes, dense = _inputs(inputs, "All inputs must be Tensor or SparseTensor.")
    return SparseTensor(*_cross_v2(indices, values, shapes, dense, between, name=name))


# SparseCrossHashed --------------------------------------------------------------------------------

_cross_hashed = define_op(
    "SparseCrossHashed",
    f"{_INPUTS}, num_buckets: int64, strong_hash: bool, salt: int64 -> "
    + arguments("output_", "int64"),
    _COUNT,
    _TYPES,
    shape=_shape,
    no_gradient=_NO_GRADIENT,
)


@_cross_hashed.kernel
def _cross_hashed_kernel(*inputs: Any, N: int, dense_types: tuple[Any, ...]) -> Any:
    *features, buckets, strong, salt = inputs
    for what, value in (("num_buckets", buckets), ("strong_hash", strong)):
        if np.ndim(value):
            raise invalid(f"Input {what} should be a scalar. Received: {shown(value)}")
    if np.size(salt) != 2:
        raise invalid(f"salt must have 2 elements, got shape {shown(salt)}")
    if strong:
        key = tuple(np.reshape(salt, -1).tolist())
        sparse = dense = partial(_bytes_hashed, partial(sip, key=key))
    else:
        # TensorFlow hashes the integers of sparse features, and not those of dense ones.
        sparse, dense = partial(_bytes_hashed, farm), _as_number  # type: ignore[assignment]
    translate = [sparse] * N + [dense] * len(dense_types)
    return _crossed(features, N, translate, partial(_hashed, [], int(buckets)))


def _bytes_hashed(function: Callable[[np.ndarray], np.ndarray], features: np.ndarray) -> Any:
    """Hashes of texts, and of the first four bytes of integers, which is what TensorFlow takes."""
    if features.dtype == object:
        return hash_strings(function, features)
    rows = np.ascontiguousarray(features, "<i8").view(np.uint8).reshape(-1, 8)[:, :4]
    return function(np.ascontiguousarray(rows))
