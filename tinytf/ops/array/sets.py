"""Sets in the last dimension of tensors: what two have in common, what only one of them has.

A set is a row of values, in any order, some perhaps twice; a matrix is a set for each row. The
results are sparse, with each set's values in order.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework import dtypes, shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank, with_rank_at_least
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown_list
from tinytf.ops.sparse import parts
from tinytf.ops.sparse.conversion import convert_to_tensor_or_sparse_tensor
from tinytf.ops.sparse.to_dense import check_indices

_KINDS = "int8 int16 int32 int64 uint8 uint16 string".split()
_ATTRS = f"validate_indices: bool = true, T: {{{', '.join(_KINDS)}}}"
_NO_GRADIENT = "sets are of integers and texts"

# SetSize ------------------------------------------------------------------------------------------

_set_size = define_op(
    "SetSize",
    "set_indices: int64, set_values: T, set_shape: int64 -> size: int32",
    _ATTRS,
    shape=shape_inference.unknown,
    no_gradient=_NO_GRADIENT,
)


@_set_size.kernel
def _set_size_kernel(
    indices: Array, values: Array, shape: Array, *, validate_indices: bool
) -> Array:
    _check(indices, values, shape, validate_indices)
    rows, keys, codes = _keys((indices[:, :-1], values))
    sizes = np.zeros(shape[:-1].tolist(), np.int32)
    counts = np.bincount(_distinct(keys) // max(codes.size, 1), minlength=len(rows))
    outside = np.flatnonzero(parts.outside(rows, shape[:-1]).any(axis=1))
    if outside.size:
        found = shown_list(rows[outside[0]].tolist())
        raise invalid(f"Index out of range, {found} vs {shown_list(shape[:-1].tolist())}")
    sizes[tuple(rows.T)] = counts
    return sizes


def _check(indices: Any, values: Any, shape: Any, validate: bool) -> None:
    if np.ndim(shape) != 1:
        raise invalid("Shape must be a 1D tensor.")
    if len(shape) < 2:
        raise invalid(f"Invalid rank {len(shape)}.")
    if (shape < 0).any():
        raise invalid(f"Dimension {shape[shape < 0][0]} must be >= 0")
    parts.check_created(indices, values, shape)
    if validate:
        check_indices(indices, shape.tolist())


def _keys(*sets: tuple[np.ndarray, np.ndarray]) -> tuple[Any, ...]:
    """Rows of sets as numbers, which are equal where the set and the value are.

    Args:
      sets: for each tensor the indices of the sets, [n, rank - 1], and the values, [n].

    Returns:
      the different indices in order; for each tensor a number for each value; the different
      values. A number is that of the indices, times how many values there are, plus the value's.
    """
    rows, row_numbers = parts.numbered(np.concatenate([indices for indices, _ in sets]))
    values, value_numbers = np.unique(
        np.concatenate([values for _, values in sets]), return_inverse=True
    )
    keys = row_numbers * max(len(values), 1) + value_numbers.reshape(-1)
    ends = np.cumsum([len(indices) for indices, _ in sets])[:-1]
    return rows, *np.split(keys, ends), values


def set_size(a: Any, validate_indices: bool = True) -> Tensor:
    """How many different values each set has (TensorFlow: `tf.sets.size`, `tf.sets.set_size`).

    Args:
      a: a `SparseTensor` of integers or text, of rank 2 or more: sets in its last dimension.
      validate_indices: refuse indices that are repeated, outside, or not row after row.

    Returns:
      a tensor of int32, without the last dimension.

    Raises:
      TypeError: if it is not sparse, or of another type.

    Example:
      >>> a = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [7, 7, 8], [2, 2])
      >>> tf.sets.size(a)  # [1, 1]
    """
    sparse = convert_to_tensor_or_sparse_tensor(a, name="a")
    if not isinstance(sparse, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {sparse}.")
    if sparse.dtype.base_dtype not in _valid():
        raise TypeError(
            f"Invalid dtype `{sparse.dtype}` not in supported dtypes: `{', '.join(_KINDS)}`."
        )
    return _set_size(*parts.parts_of(sparse), validate_indices=validate_indices)


@functools.cache
def _valid() -> frozenset[dtypes.DType]:
    return frozenset(map(dtypes.as_dtype, _KINDS))


# DenseToDenseSetOperation, DenseToSparseSetOperation, SparseToSparseSetOperation ------------------

_SPARSE_2 = "set2_indices: int64, set2_values: T, set2_shape: int64"


def _operation(op_type: str, inputs: str) -> OpCard:
    """The card of an operation on two sets."""
    outputs = "result_indices: int64, result_values: T, result_shape: int64"
    signature = f"{inputs} -> {outputs}"
    return define_op(op_type, signature, "set_operation: string", _ATTRS, no_gradient=_NO_GRADIENT)


_dense_to_dense = _operation("DenseToDenseSetOperation", "set1: T, set2: T")
_dense_to_sparse = _operation("DenseToSparseSetOperation", f"set1: T, {_SPARSE_2}")
_sparse_to_sparse = _operation(
    "SparseToSparseSetOperation",
    f"set1_indices: int64, set1_values: T, set1_shape: int64, {_SPARSE_2}",
)


def _of_rank(rank: int | None) -> list[TensorShape]:
    return [TensorShape.of(sizes) for sizes in ((None, rank), (None,), (rank,))]


@_dense_to_dense.shape
def _dense_to_dense_shape(c: InferenceContext) -> list[TensorShape]:
    first, second = with_rank_at_least(c.input(0), 2), c.input(1)
    if first.ndims is None:
        return _of_rank(with_rank_at_least(second, 2).ndims)
    second = with_rank(second, first.ndims)
    if first.sizes is not None and second.sizes is not None:
        merge(TensorShape.of(first.sizes[:-1]), TensorShape.of(second.sizes[:-1]))
    return _of_rank(first.ndims)


def _equal_rank(rank: int | None, wanted: int) -> int:
    if rank not in (None, wanted):
        raise ValueError(f"Dimension must be {wanted} but is {rank}")
    return wanted


@_dense_to_sparse.shape
def _dense_to_sparse_shape(c: InferenceContext) -> list[TensorShape]:
    rank = parts.static_rank(c, 1)
    first = with_rank_at_least(c.input(0), 2).ndims
    return _of_rank(rank if first is None else _equal_rank(rank, first))


@_sparse_to_sparse.shape
def _sparse_to_sparse_shape(c: InferenceContext) -> list[TensorShape]:
    ranks = parts.static_rank(c, 0), parts.static_rank(c, 3)
    for number, rank in enumerate(ranks):
        if rank is not None:
            if rank < 2:
                raise ValueError(f"Input {number}, expected rank >= 2, got {rank}.")
            return _of_rank(_equal_rank(ranks[1], rank) if number == 0 else rank)
    return _of_rank(None)


@_dense_to_dense.kernel
def _dense_to_dense_kernel(first: Array, second: Array, *, set_operation: bytes) -> Array:
    return _operate(_dense(first), _dense(second), set_operation)


@_dense_to_sparse.kernel
def _dense_to_sparse_kernel(
    first: Array, *second: Array, set_operation: bytes, validate_indices: bool
) -> Array:
    return _operate(_dense(first), _sparse(second, validate_indices), set_operation)


@_sparse_to_sparse.kernel
def _sparse_to_sparse_kernel(
    *parts_of_both: Array, set_operation: bytes, validate_indices: bool
) -> Array:
    first = _sparse(parts_of_both[:3], validate_indices)
    second = _sparse(parts_of_both[3:], validate_indices)
    return _operate(first, second, set_operation)


_Sets = tuple[list[int], np.ndarray, np.ndarray]


def _dense(values: Any) -> _Sets:
    sizes = list(values.shape)
    if len(sizes) < 2:
        raise invalid(f"Shape {shown_list(sizes)} has rank {len(sizes)} < 2")
    rows = np.indices(sizes[:-1]).reshape(len(sizes) - 1, -1).T
    return sizes, np.repeat(rows, sizes[-1], axis=0), values.reshape(-1)


def _sparse(parts_of_one: tuple[Any, ...], validate: bool) -> _Sets:
    indices, values, shape = parts_of_one
    _check(indices, values, shape, validate)
    return shape.tolist(), indices[:, :-1], values


def _operate(first: _Sets, second: _Sets, operation: bytes) -> Any:
    (sizes, *one), (other_sizes, *other) = first, second
    if sizes[:-1] != other_sizes[:-1]:
        raise invalid(
            f"Mismatched shapes {shown_list(sizes[:-1])} vs {shown_list(other_sizes[:-1])}"
        )
    name = operation.decode().lower()
    if name not in _OPERATIONS:
        raise invalid(f"Invalid set_operation {name}.")
    rows, a, b, values = _keys((one[0], one[1]), (other[0], other[1]))
    row, value = np.divmod(_OPERATIONS[name](a, b), max(len(values), 1))
    counts, places = parts.run_lengths(row, len(rows))
    shape = np.array([*sizes[:-1], counts.max(initial=0)], np.int64)
    return np.concatenate([rows[row], places[:, None]], axis=1), values[value], shape


def _distinct(keys: np.ndarray) -> np.ndarray:
    """Sorted, each once. `np.unique` hashes integers, and takes several times as long."""
    ordered = np.sort(keys)
    return ordered[parts.group_starts(ordered[:, None])]


def _in_both(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    ordered = np.sort(np.concatenate([_distinct(a), _distinct(b)]))
    return ordered[1:][ordered[1:] == ordered[:-1]]


def _only_in(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    found = _distinct(a)
    return found[~np.isin(found, b)]


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "a-b": _only_in,
    "b-a": lambda a, b: _only_in(b, a),
    "intersection": _in_both,
    "union": lambda a, b: _distinct(np.concatenate([a, b])),
}


def set_intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What the sets of both have (TensorFlow: `tf.sets.intersection`, `tf.sets.set_intersection`).

    Args:
      a, b: tensors, or sparse tensors, of integers or text: sets in the last dimension; the
        others are equal.
      validate_indices: refuse sparse indices that are repeated, outside, or not row after row.

    Returns:
      a `SparseTensor` of the same rank: the values of each set, in order.

    Raises:
      TypeError: for types that differ, or are neither integers nor text.
      ValueError, InvalidArgumentError: for shapes that do not fit, or rank 1.

    Example:
      >>> tf.sets.intersection([[1, 2, 2]], [[2, 3, 4]]).values  # [2]
    """
    a, b, _ = _converted(a, b)
    return _set_operation(a, b, "intersection", validate_indices)


def set_difference(
    a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True
) -> SparseTensor:
    """What only the sets of one have (TensorFlow: `tf.sets.difference`, `tf.sets.set_difference`).

    Args:
      aminusb: what only those of `a` have, else what only those of `b` have.
      a, b, validate_indices: as for `tf.sets.intersection`.

    Example:
      >>> tf.sets.difference([[1, 2, 2]], [[2, 3, 4]]).values  # [1]
    """
    a, b, flipped = _converted(a, b)
    return _set_operation(a, b, "a-b" if aminusb != flipped else "b-a", validate_indices)


def set_union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What the sets of one or both have (TensorFlow: `tf.sets.union`, `tf.sets.set_union`).

    Args:
      a, b, validate_indices: as for `tf.sets.intersection`.

    Example:
      >>> tf.sets.union([[1, 2, 2]], [[2, 3, 4]]).values  # [1, 2, 3, 4]
    """
    a, b, _ = _converted(a, b)
    return _set_operation(a, b, "union", validate_indices)


def _converted(a: Any, b: Any) -> tuple[Any, Any, bool]:
    """Both as tensors, the dense one first; and whether they were exchanged."""
    a = convert_to_tensor_or_sparse_tensor(a, name="a")
    if a.dtype.base_dtype not in _valid():
        raise TypeError(
            f"'a' has invalid dtype `{a.dtype}` not in supported dtypes: `{', '.join(_KINDS)}`."
        )
    b = convert_to_tensor_or_sparse_tensor(b, name="b")
    if b.dtype.base_dtype is not a.dtype.base_dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    flipped = isinstance(a, SparseTensor) and not isinstance(b, SparseTensor)
    return (b, a, True) if flipped else (a, b, False)


def _set_operation(a: Any, b: Any, operation: str, validate: bool) -> SparseTensor:
    both: list[Any] = []
    for one in (a, b):
        both += parts.parts_of(one) if isinstance(one, SparseTensor) else [one]
    card = {2: _dense_to_dense, 4: _dense_to_sparse, 6: _sparse_to_sparse}[len(both)]
    return SparseTensor(*card(*both, set_operation=operation, validate_indices=validate))
