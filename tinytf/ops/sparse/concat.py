"""Sparse tensors put together, and taken apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import InternalError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, merge_dimension, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.reduce.axes import one_of
from tinytf.ops.reduce.reduction import reduce_max
from tinytf.ops.sparse import parts
from tinytf.ops.sparse.conversion import convert_to_sparse_tensor

# SparseConcat -------------------------------------------------------------------------------------

_concat = define_op(
    "SparseConcat",
    "indices: N * int64, values: N * T, shapes: N * int64 -> "
    "output_indices: int64, output_values: T, output_shape: int64",
    "concat_dim: int, N: int >= 2, T: type",
    no_gradient="TensorFlow defines none",
)


@_concat.shape
def _concat_shape(c: InferenceContext) -> list[TensorShape]:
    count = c.attrs["N"]
    total: int | None = 0
    columns, shape = None, unknown_shape()
    for i in range(count):
        rows, width = with_rank(c.input(i), 2).sizes or (None, None)
        (number,) = with_rank(c.input(count + i), 1).sizes or (None,)
        shape = merge(shape, with_rank(c.input(2 * count + i), 1))
        rows = merge_dimension(rows, number)
        total = None if total is None or rows is None else total + rows
        columns = merge_dimension(columns, width)
    return [TensorShape.of((total, columns)), TensorShape.of((total,)), shape]


@_concat.kernel
def _concat_kernel(*values: Any, N: int, concat_dim: int) -> Any:
    indices, elements, shapes = values[:N], values[N : 2 * N], values[2 * N :]
    for what, group, rank, kind in (
        ("indices", indices, 2, "matrix"),
        ("values", elements, 1, "vector"),
        ("shapes", shapes, 1, "vector"),
    ):
        for number, part in enumerate(group):
            if np.ndim(part) != rank:
                raise invalid(
                    f"Input {what} should be a {kind} but received shape {shown(part)} at "
                    f"position {number}"
                )
    rank = len(shapes[0])
    axis = concat_dim + rank if concat_dim < 0 else concat_dim
    if not 0 <= axis < rank:
        raise invalid(f"Concat dimension must be in range [{-rank}, {rank}), got {concat_dim}")
    _check_concatenated(shapes, axis)
    for part in zip(indices, elements, shapes, strict=True):
        parts.check_created(*part)
    sizes = np.array([shape[axis] for shape in shapes])
    joined = np.concatenate(indices)
    starts = np.cumsum(sizes) - sizes
    joined[:, axis] += np.repeat(starts, [len(part) for part in indices])
    order = parts.in_order(joined)
    shape = np.array(shapes[0])
    shape[axis] = sizes.sum()
    return joined[order], np.concatenate(elements)[order], shape


def _check_concatenated(shapes: Any, axis: int) -> None:
    first = shapes[0]
    for number, shape in enumerate(shapes[1:], 1):
        if len(shape) != len(first):
            raise invalid(
                f"Ranks of all input tensors must match: expected {len(first)} but got "
                f"{len(shape)} at position {number}"
            )
        for other in np.flatnonzero(shape != first):
            if other != axis:
                raise invalid(
                    f"Input shapes must match: expected {first[other]} for dimension {other} but "
                    f"got {shape[other]} at position {number}"
                )


def sparse_concat(
    axis: int,
    sp_inputs: Any,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: int | None = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Sparse tensors along a dimension (TensorFlow: `tf.sparse_concat`, `tf.sparse.concat`).

    Args:
      axis, concat_dim: (the newer and the older name) the dimension, perhaps negative.
      sp_inputs: a list of sparse tensors of one type, with their indices row after row.
      name: of the operation.
      expand_nonconcat_dims, expand_nonconcat_dim: the other dimensions may differ: the result is
        as large as the largest of each.

    Raises:
      TypeError: if they are no sparse tensors, or not in a list.
      InvalidArgumentError: in a run, for sizes that differ.

    Example:
      >>> x = tf.SparseTensor([[0, 1]], [5], [1, 2])
      >>> tf.sparse.to_dense(tf.sparse.concat(1, [x, x]))  # [[0, 5, 0, 5]]
    """
    axis = one_of("axis", axis, "concat_dim", concat_dim)
    if not isinstance(sp_inputs, list | tuple):
        raise TypeError("Inputs must be a list or tuple.")
    expand = expand_nonconcat_dim if expand_nonconcat_dims is None else expand_nonconcat_dims
    sparse = [convert_to_sparse_tensor(one) for one in sp_inputs]
    if len(sparse) == 1:
        return sparse[0]
    sizes = [one.dense_shape for one in sparse]
    if expand:
        sizes = _expanded(sizes, axis)
    indices, values, shape = _concat(
        [one.indices for one in sparse],
        [one.values for one in sparse],
        sizes,
        name=name,
        concat_dim=axis,
    )
    known = [one.shape for one in sparse]
    if all(one.is_fully_defined() for one in known):
        shape = convert_to_tensor(_static_sizes(known, axis, expand), dtypes.int64)
        return SparseTensor(indices, values, shape)
    result = SparseTensor(indices, values, shape)
    if all(one.ndims is not None for one in known):
        result.set_shape(_static_sizes(known, axis, expand))
    return result


def _expanded(shapes: list[Tensor], axis: int) -> list[Tensor]:
    largest: Any = reduce_max(ops.concat([ops.reshape(shape, [1, -1]) for shape in shapes], 0), 0)
    results = []
    for shape in shapes:
        vector: Any = shape
        before = largest[:axis]
        own = vector[-1:] if axis == -1 else vector[axis : axis + 1]
        after = [] if axis == -1 else largest[axis + 1 :]
        results.append(ops.concat([before, own, after], 0))
    return results


def _static_sizes(shapes: list[TensorShape], axis: int, expand: bool) -> list[int | None]:
    listed = [shape.as_list() for shape in shapes]
    sizes = listed[0]
    if expand:
        sizes = [None if None in column else max(column) for column in zip(*listed, strict=True)]
    along = [one[axis] for one in listed]
    total = sum(size for size in along if size is not None)
    sizes[axis] = None if None in along else total
    return sizes


# SparseSplit --------------------------------------------------------------------------------------

_split = define_op(
    "SparseSplit",
    "split_dim: int64, indices: int64, values: T, shape: int64 -> "
    "output_indices: num_split * int64, output_values: num_split * T, "
    "output_shape: num_split * int64",
    "num_split: int >= 1, T: type",
)


@_split.shape
def _split_shape(c: InferenceContext) -> list[TensorShape]:
    count, shape = c.attrs["num_split"], c.input(3)
    indices = TensorShape.of((None, shape.num_elements()))
    return [indices] * count + [TensorShape.of((None,))] * count + [shape] * count


@_split.kernel
def _split_kernel(axis: Any, indices: Any, values: Any, shape: Any, *, num_split: int) -> list[Any]:
    parts.check_whole(indices, values, shape)
    if np.ndim(axis):
        raise invalid(f"split_dim must be a scalar but received shape {shown(axis)}")
    axis = int(axis)
    parts.check_within(indices, shape)
    rank = len(shape)
    if not -rank <= axis < rank:
        raise invalid(f"Input axis should be in range [{-rank}, {rank}), got {axis}")
    axis %= rank
    size = int(shape[axis])
    if not 1 <= num_split <= size:
        raise invalid(
            f"Input num_split should be between 1 and the splitting dimension size ({size}), got "
            f"{num_split}"
        )
    # The first parts have one more if it does not come out.
    sizes = np.full(num_split, size // num_split)
    sizes[: size % num_split] += 1
    starts = np.cumsum(sizes) - sizes
    part_of = np.searchsorted(starts, indices[:, axis], side="right") - 1
    outputs: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
    for part in range(num_split):
        chosen = part_of == part
        own, sizes_of_part = indices[chosen], np.array(shape)
        own[:, axis] -= starts[part]
        sizes_of_part[axis] = sizes[part]
        for output, value in zip(outputs, (own, values[chosen], sizes_of_part), strict=True):
            output.append(value)
    return [*outputs[0], *outputs[1], *outputs[2]]


def sparse_split(
    keyword_required: Any = None,
    sp_input: Any = None,
    num_split: int | None = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """A sparse tensor in parts (TensorFlow: `tf.sparse_split`, `tf.sparse.split`).

    All arguments are given by name.

    Args:
      sp_input: a sparse tensor.
      num_split: how many parts; the first are larger by one if it does not come out.
      axis, split_dim: (the newer and the older name) the dimension, an integer or a scalar,
        perhaps negative.
      name: of the operation.

    Raises:
      ValueError: for an argument that is missing, or not given by name.
      InvalidArgumentError: in a run, for a dimension that is not there, or is too small.

    Example:
      >>> x = tf.SparseTensor([[0, 1], [0, 4]], [5, 6], [1, 5])
      >>> first, second = tf.sparse.split(sp_input=x, num_split=2, axis=1)
      >>> tf.sparse.to_dense(second)  # [[0, 6]]
    """
    if keyword_required is not None:
        raise ValueError("Keyword arguments are required for this function.")
    for what, value in (("sp_input", sp_input), ("num_split", num_split)):
        if value is None:
            raise ValueError(f"{what} is required")
    axis = one_of("axis", axis, "split_dim", split_dim)
    if axis is None:
        raise ValueError("axis is required")
    sparse = convert_to_sparse_tensor(sp_input)
    outputs = _split(axis, *parts.parts_of(sparse), name=name, num_split=num_split)
    return [SparseTensor(*part) for part in zip(*outputs, strict=True)]


# SparseSlice --------------------------------------------------------------------------------------

_slice = define_op(
    "SparseSlice",
    "indices: int64, values: T, shape: int64, start: int64, size: int64 -> "
    "output_indices: int64, output_values: T, output_shape: int64",
    "T: type",
)


@_slice.shape
def _slice_shape(c: InferenceContext) -> list[TensorShape]:
    shape = c.input(2)
    return [TensorShape.of((None, shape.num_elements())), TensorShape.of((None,)), shape]


@_slice.kernel
def _slice_kernel(indices: Any, values: Any, shape: Any, start: Any, size: Any) -> Any:
    parts.check_whole(indices, values, shape)
    for what, value in (("start", start), ("size", size)):
        if np.ndim(value) != 1:
            raise invalid(f"Input {what} should be a vector but received shape {shown(value)}")
    for what, value in (("start", start), ("size", size)):
        if len(value) != len(shape):
            raise invalid(
                f"Expected {what} to be a vector of length {len(shape)} but got length {len(value)}"
            )
    sizes = np.where(start < shape, np.minimum(size, shape - start), 0)
    if (sizes < 0).any():
        raise invalid(f"Expected a non-negative size, got {sizes[sizes < 0][0]}")
    within = ((indices >= start) & (indices < start + size)).all(axis=1)
    return indices[within] - start, values[within], sizes


@_slice.gradient
def _slice_gradient(op: Operation, _: Any, gradient: Any, __: Any) -> list[Any]:
    result = _slice_grad(gradient, op.inputs[0], op.inputs[3], op.outputs[0])
    result.set_shape(op.inputs[1].shape)
    return [None, result, None, None, None]


def sparse_slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """A part of a sparse tensor (TensorFlow: `tf.sparse_slice`, `tf.sparse.slice`).

    Args:
      sp_input: a sparse tensor.
      start, size: where the part begins, and how large it is, in each dimension; what lies
        outside the tensor is left out.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, if there are not as many numbers as dimensions.

    Example:
      >>> x = tf.SparseTensor([[0, 1], [1, 2]], [5, 6], [2, 4])
      >>> tf.sparse.to_dense(tf.sparse.slice(x, [0, 1], [2, 2]))  # [[5, 0], [0, 6]]
    """
    sparse = convert_to_sparse_tensor(sp_input)
    start, size = convert_to_tensor(start, dtypes.int64), convert_to_tensor(size, dtypes.int64)
    with op_scope(name, "SparseSlice", parts.parts_of(sparse)) as scope:
        return SparseTensor(*_slice(*parts.parts_of(sparse), start, size, name=scope))


# SparseSliceGrad ----------------------------------------------------------------------------------

_slice_grad = define_op(
    "SparseSliceGrad",
    "backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64 -> "
    "val_grad: T",
    "T: numbertype",
)


@_slice_grad.shape
def _slice_grad_shape(c: InferenceContext) -> TensorShape:
    indices = with_rank(c.input(1), 2).sizes
    return TensorShape.of((None if indices is None else indices[0],))


@_slice_grad.kernel
def _slice_grad_kernel(gradient: Any, indices: Any, start: Any, sliced: Any) -> np.ndarray:
    if np.ndim(indices) != 2 or np.ndim(sliced) != 2:
        raise invalid(
            "Input indices should be matrices but received shapes: "
            f"{shown(indices)} and {shown(sliced)}"
        )
    if np.ndim(gradient) != 1:
        raise invalid(
            f"Input backprop_val_grad should be a vector but received shape: {shown(gradient)}"
        )
    if indices.shape[1] != sliced.shape[1]:
        raise invalid(
            f"The input and output should have the same ndims: got: {indices.shape[1]} and "
            f"{sliced.shape[1]}"
        )
    if len(sliced) > len(indices):
        raise invalid(
            "# rows of output_indices should be not greater than of input_indices, got "
            f"{len(sliced)} and {len(indices)}"
        )
    if len(gradient) != len(sliced):
        raise invalid(
            "# elements of backprop_val_grad and # rows of output_indices should match (#nnz of "
            f"sum): got {len(gradient)} and {len(sliced)}"
        )
    if np.ndim(start) != 1:
        raise invalid(f"Input start should be a vector but received shape {shown(start)}")
    # Each entry of the slice takes the next entry of the whole that lies where it does.
    _, numbers = parts.numbered(np.concatenate([indices, sliced + start]))
    own, wanted = np.split(numbers, [len(indices)])
    result = np.zeros(len(indices), gradient.dtype)
    places = np.flatnonzero(np.isin(own, wanted))
    if len(places) != len(wanted) or (own[places] != wanted).any():
        raise InternalError(
            f"Elements of backprop_val_grad aren't all propagated. Num elements:{len(gradient)}, "
            f"used: {len(places)}"
        )
    result[places] = gradient
    return result
