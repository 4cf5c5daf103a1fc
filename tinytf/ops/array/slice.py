"""Parts of tensors: slices, and Python's brackets."""

from __future__ import annotations

import builtins
import numbers
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import Dimension, TensorShape, unknown_shape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.constant import constant
from tinytf.ops.array.fill import ones_like
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.shape import rank, shape
from tinytf.ops.array.stack import stack
from tinytf.ops.array.strided_slice import Masks, Resolved, resolve
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shape_from_input, shown, shown_list
from tinytf.ops.math.cast import cast

#: A new dimension of size 1 in brackets: `x[:, tf.newaxis]`.
newaxis = None

# Slice --------------------------------------------------------------------------------------------

_slice = define_op(
    "Slice", "input: T, begin: Index, size: Index -> output: T", "T: type, Index: {int32, int64}"
)


@_slice.shape
def _slice_shape(c: InferenceContext) -> TensorShape:
    lengths = merge(with_rank(c.input(1), 1), with_rank(c.input(2), 1))
    source, count = c.input(0), lengths.sizes[0] if lengths.sizes else None
    if count is not None:
        source = with_rank(source, count)
    if source.sizes is None:
        return unknown_shape()
    size = c.constant(2)
    if size is None:
        found = c.shape_value(2)
        return found if found.ndims == len(source.sizes) else unknown_shape(len(source.sizes))
    starts = c.shape_value(1).sizes or (None,) * len(source.sizes)
    sizes: list[int | None] = []
    for whole, start, length in zip(source.sizes, starts, size.tolist()):
        if length != -1:
            if length < -1:
                raise ValueError(f"Invalid value in tensor used for shape: {length}")
            sizes.append(length)
        elif whole is None or start is None:
            sizes.append(None)
        else:
            if start > whole:
                raise ValueError(
                    f"Negative dimension size caused by subtracting {start} from {whole}"
                )
            sizes.append(whole - start)
    return TensorShape.of(tuple(sizes))


@_slice.kernel
def _slice_kernel(value: Array, begin: Array, size: Array) -> Array:
    if begin.ndim != 1 or size.ndim != 1 or not len(begin) == len(size) == value.ndim:
        raise invalid(
            f"Expected begin and size arguments to be 1-D tensors of size {value.ndim}, but got "
            f"shapes {shown(begin)} and {shown(size)} instead."
        )
    index = []
    for dim, (whole, start, length) in enumerate(zip(value.shape, begin.tolist(), size.tolist())):
        if not 0 <= start <= whole:
            raise invalid(f"Expected begin[{dim}] in [0, {whole}], but got {start}")
        stop = whole if length == -1 else start + length
        if not start <= stop <= whole:
            raise invalid(f"Expected size[{dim}] in [0, {whole - start}], but got {length}")
        index.append(builtins.slice(start, stop))
    return value[(*index, ...)]


@_slice.gradient
def _slice_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    value, begin = op.inputs[:2]
    value_rank = rank(value)
    size = shape(op.outputs[0], out_type=begin.dtype)
    column = stack([value_rank, 1])
    before = reshape(begin, column)
    behind = ops.subtract(shape(value, out_type=begin.dtype), size, name="sub")
    after = reshape(ops.subtract(behind, begin, name="sub"), column)
    return [ops.pad(gradient, concat([before, after], 1)), None, None]


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """A block of a tensor (TensorFlow: `tf.slice`).

    Args:
      input_: of any shape and dtype.
      begin: an int32 or int64 vector: where the block starts, from 0.
      size: likewise: how large it is; -1 is "to the end".
      name: of the operation.

    Raises:
      InvalidArgumentError: if the block is not inside the tensor.

    Example:
      >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [2, -1])  # [[2, 3], [5, 6]]
    """
    return _slice(input_, begin, size, name=name)


# StridedSlice -------------------------------------------------------------------------------------

#: the mask attributes of all ops on strided slices
MASKS = [
    "begin_mask: int = 0",
    "end_mask: int = 0",
    "ellipsis_mask: int = 0",
    "new_axis_mask: int = 0",
    "shrink_axis_mask: int = 0",
]
_MASK_NAMES = tuple(text.partition(":")[0] for text in MASKS)

_strided_slice = define_op(
    "StridedSlice",
    "input: T, begin: Index, end: Index, strides: Index -> output: T",
    "T: type, Index: {int16, int32, int64}",
    *MASKS,
)


def masks_of(op: Any) -> dict[str, Any]:
    """The five mask attributes of a node."""
    return {name: op.attrs[name] for name in _MASK_NAMES}


@_strided_slice.shape
def _strided_slice_shape(c: InferenceContext) -> TensorShape:
    begin_shape = with_rank(c.input(1), 1)
    merge(merge(begin_shape, with_rank(c.input(2), 1)), with_rank(c.input(3), 1))
    source, strides = c.input(0).sizes, c.constant(3)
    if source is None or strides is None:
        return unknown_shape()
    begin, end = c.constant(1), c.constant(2)
    found = resolve(
        source,
        None if begin is None else begin.tolist(),
        None if end is None else end.tolist(),
        strides.tolist(),
        Masks(*masks_of(c).values()),
    )
    return TensorShape.of(found.sizes)


@_strided_slice.kernel
def _strided_slice_kernel(
    value: Array,
    begin: Array,
    end: Array,
    strides: Array,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Array:
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    # With "..." even a single element stays an array; strings need that.
    return value[(*resolved(value.shape, begin, end, strides, masks).index, ...)]


def resolved(sizes: Any, begin: Any, end: Any, strides: Any, masks: Masks) -> Resolved:
    """`strided_slices.resolve` for a kernel: arrays in, InvalidArgumentError if they do not fit."""
    if begin.ndim != 1 or not begin.shape == end.shape == strides.shape:
        raise invalid(
            f"Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
            f"{shown(begin)}, {shown(end)}, and {shown(strides)} instead."
        )
    try:
        return resolve(sizes, begin.tolist(), end.tolist(), strides.tolist(), masks)
    except ValueError as error:
        raise invalid(str(error)) from None


@_strided_slice.gradient
def _strided_slice_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    value, *spec = op.inputs
    parts: list[Any] = []
    for tensor in (shape(value, out_type=spec[0].dtype), *spec):
        known = constant_value(tensor)
        parts.append(tensor if known is None else known)
    return [_strided_slice_grad(*parts, gradient, **masks_of(op)), None, None, None]


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """The node behind Python's brackets (TensorFlow: `tf.strided_slice`).

    Args:
      input_: of any shape and dtype.
      begin, end, strides: vectors with a number for each index; strides are 1 by default.
      begin_mask: bit i: begin[i] is left out, as in `x[:5]`.
      end_mask: bit i: end[i] is left out.
      ellipsis_mask: bit i: index i is "...".
      new_axis_mask: bit i: index i adds a dimension of size 1.
      shrink_axis_mask: bit i: index i is a single number, whose dimension goes away.
      var: the variable that `input_` was read from, if it was: the result has an `assign` then.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: for an index out of range, or too many of them.

    Example:
      >>> tf.strided_slice([1, 2, 3, 4], [3], [0], [-2])  # [4, 2]
    """
    if strides is None:
        strides = ones_like(begin)
    part = _strided_slice(
        input_,
        begin,
        end,
        strides,
        name=name,
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
    )
    if var is None:
        return part

    return ops.VariableSlice.of(part, var, name)


# StridedSliceGrad ---------------------------------------------------------------------------------

_strided_slice_grad = define_op(
    "StridedSliceGrad",
    "shape: Index, begin: Index, end: Index, strides: Index, dy: T -> output: T",
    "T: type, Index: {int32, int64}",
    *MASKS,
    shape=lambda c: shape_from_input(c, 0),
)


@_strided_slice_grad.kernel
def _strided_slice_grad_kernel(
    sizes: Array, begin: Array, end: Array, strides: Array, dy: Array, *, node: Operation
) -> np.ndarray:
    masks = Masks(*masks_of(node).values())
    found = resolved(tuple(sizes.tolist()), begin, end, strides, masks)
    if dy.shape != found.sizes:
        raise invalid(f"shape of dy was {shown(dy)} instead of {shown_list(found.sizes or ())}")
    result = np.zeros(sizes.tolist(), dy.dtype)
    result[found.index] = dy
    return result


@_strided_slice_grad.gradient
def _strided_slice_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    _, begin, end, strides, _ = op.inputs
    part = strided_slice(gradient, begin, end, strides, **masks_of(op))
    return [None, None, None, None, part]


# Python's brackets --------------------------------------------------------------------------------

_INDEX_TYPES = (dtypes.int16, dtypes.int32, dtypes.int64)


def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Tensor:
    """`tensor[slice_spec]` (TensorFlow: `Tensor.__getitem__`).

    Args:
      tensor: of any shape and dtype.
      slice_spec: an int, slice, `...`, `tf.newaxis` or scalar integer tensor, or several; or a
        mask of bools (see `boolean_mask`).
      var: the variable that `tensor` was read from, if it was.

    Raises:
      TypeError: for any other index. ValueError: for one out of range.

    Example:
      >>> tf.constant([[1, 2, 3], [4, 5, 6]])[:, 1:]  # [[2, 3], [5, 6]]
    """
    if not isinstance(tensor, Tensor):
        tensor = convert_to_tensor(tensor)
    if _is_mask(slice_spec):
        return ops.boolean_mask(tensor, slice_spec)
    entries = slice_spec if isinstance(slice_spec, list | tuple) else [slice_spec]
    spec = _Spec()
    for entry in entries:
        spec.add(entry)
    with op_scope(None, "strided_slice", (tensor, *spec.begin, *spec.end, *spec.strides)) as name:
        begin, end, strides = spec.vectors()
        return strided_slice(tensor, begin, end, strides, var=var, name=name, **spec.masks)


def _is_mask(spec: Any) -> bool:
    kind = getattr(spec, "dtype", None)
    return isinstance(spec, bool) or (kind is not None and dtypes.as_dtype(kind).is_bool)


class _Spec:
    """The indices between brackets, collected as vectors and masks."""

    def __init__(self) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.masks = dict.fromkeys(_MASK_NAMES, 0)

    def add(self, entry: Any) -> None:
        """Append one index."""
        bit = 1 << len(self.begin)
        if isinstance(entry, builtins.slice):
            self._add_range(entry, bit)
        elif entry is Ellipsis:
            self._add(0, 0, 1, ellipsis_mask=bit)
        elif entry is newaxis:
            self._add(0, 0, 1, new_axis_mask=bit)
        else:
            self._add_single(entry, bit)

    def _add(self, begin: Any, end: Any, stride: Any, **masks: int) -> None:
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)
        for name, bit in masks.items():
            self.masks[name] |= bit

    def _add_range(self, entry: builtins.slice, bit: int) -> None:
        kind = _index_type(entry)
        parts: list[Any] = []
        masks: dict[str, int] = {}
        for part, default, mask in (
            (entry.start, 0, "begin_mask"),
            (entry.stop, 0, "end_mask"),
            (entry.step, 1, None),
        ):
            if part is None or (isinstance(part, Dimension) and part.value is None):
                parts.append(default if kind is None else constant(default, kind))
                if mask is not None:
                    masks[mask] = bit
            else:
                _check_index(part)
                parts.append(part)
        self._add(*parts, **masks)

    def _add_single(self, entry: Any, bit: int) -> None:
        _check_index(entry)
        stride: Any = 1
        if isinstance(entry, Tensor):
            after = ops.add(entry, 1, name="add")
            if entry.dtype.base_dtype in (dtypes.int16, dtypes.int64):
                stride = constant(1, entry.dtype.base_dtype)
        else:
            after = entry + 1
        self._add(entry, after, stride, shrink_axis_mask=bit)

    def vectors(self) -> tuple[Tensor, Tensor, Tensor]:
        """begin, end and strides as tensors of one dtype."""
        if not self.begin:
            empty = constant([], dtype=dtypes.int32)
            return empty, empty, empty
        begin, end, strides = stack(self.begin), stack(self.end), stack(self.strides)
        kinds = [tensor.dtype for tensor in (begin, end, strides)]
        if dtypes.int64 in kinds and kinds.count(dtypes.int64) < 3:
            begin, end, strides = (cast(t, dtypes.int64) for t in (begin, end, strides))
        return begin, end, strides


def _index_type(entry: builtins.slice) -> dtypes.DType | None:
    """The widest integer type of the tensors in a slice; None if there are none."""
    kinds = [
        part.dtype.base_dtype
        for part in (entry.start, entry.stop, entry.step)
        if isinstance(part, Tensor)
    ]
    return max(kinds, key=lambda kind: kind.size) if kinds else None


def _check_index(index: Any) -> None:
    if isinstance(index, numbers.Integral | Dimension):
        return
    kind = getattr(index, "dtype", None)
    if (
        kind is None
        or dtypes.as_dtype(kind).base_dtype not in _INDEX_TYPES
        or len(np.shape(index) if not hasattr(index, "get_shape") else _static(index)) == 1
    ):
        raise TypeError(
            f"Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
            f"tf.int32/tf.int64 tensors are valid indices, got {index!r}"
        )


def _static(tensor: Any) -> tuple[Any, ...]:
    return tensor.get_shape().sizes or ()
