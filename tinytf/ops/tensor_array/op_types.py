"""The op types of `tf.TensorArray`.

An array is a resource of the step; `flow`, a float without meaning, passes from each write to what
must come after it: reads, later writes, the next iteration of a loop. `tensor_array.py` has the
class that people use. Mirrors tensorflow/core/kernels/tensor_array_ops.cc and
tensorflow/python/ops/tensor_array_grad.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import shape_inference
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import UnimplementedError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import (
    InferenceContext,
    brackets,
    merge,
    merge_dimension,
    with_rank,
    with_rank_at_least,
)
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, scalar, unknown_shape
from tinytf.ops.array.identity import identity
from tinytf.ops.base.shape_rules import shown
from tinytf.resources.tensor_array import TensorArray

_FLOW = np.float32(0)
_STATE = "what passes gradients on is the flow, not the array as such"
_HANDLE_SHAPE = TensorShape.of((2,))
_PASS_ON = frozenset(["Identity", "Switch", "Merge", "Enter", "Exit", "NextIteration"])
_GRADIENTS = frozenset(["TensorArrayGradV3", "TensorArrayGradWithShape"])


def _array(handle: Any, dtype: DType | None = None, wants: str = "requested") -> TensorArray:
    """The array behind a handle, of this dtype."""
    if not isinstance(handle, TensorArray):
        raise invalid(f"The handle is not that of a TensorArray: {handle!r}")
    if dtype is not None and handle.dtype is not dtype:
        raise invalid(
            f"TensorArray dtype is {_short(handle.dtype)} but Op {wants} dtype {_short(dtype)}."
        )
    return handle


def _short(dtype: DType) -> str:
    return {"float32": "float", "float64": "double"}.get(dtype.name, dtype.name)


def element_data(handle: Tensor) -> tuple[DType, TensorShape] | None:
    """Type and static shape of the elements behind a handle, as far as the graph says."""
    op = handle.op
    prepended = TensorShape(())
    while op.type in _PASS_ON or op.type in _GRADIENTS:
        if op.type == "TensorArrayGradWithShape":
            count = op.inputs[2].shape.num_elements()
            prepended = unknown_shape(count).concatenate(prepended)
        op = op.inputs[0].op
    if op.type != "TensorArrayV3":
        return None
    shape = op.attrs["element_shape"]
    if not (op.attrs["identical_element_shapes"] or shape.is_fully_defined()):
        return None
    return op.attrs["dtype"], prepended.concatenate(shape)


def _with_ranks(c: InferenceContext, **ranks: int) -> None:
    names = [argument.name for argument in c.op_def.inputs]
    for name, rank in ranks.items():
        with_rank(c.input(names.index(name)), rank)


def _returning(*shapes: TensorShape, **ranks: int) -> Callable[[InferenceContext], Any]:
    """A shape function: inputs of these ranks, outputs of these shapes."""

    def shape(c: InferenceContext) -> list[TensorShape]:
        _with_ranks(c, **ranks)
        return list(shapes)

    return shape


# TensorArrayV3 ----------------------------------------------------------------------------------

tensor_array_v3 = define_op(
    "TensorArrayV3",
    "size: int32 -> handle: resource, flow: float",
    "dtype: type, element_shape: shape = { unknown_rank: true }, dynamic_size: bool = false",
    "clear_after_read: bool = true, identical_element_shapes: bool = false",
    "tensor_array_name: string = ''",
    stateful=True,
    shape=_returning(_HANDLE_SHAPE, scalar(), size=0),
    no_gradient=_STATE,
)


@tensor_array_v3.kernel
def _array_kernel(size: Any, *, node: Operation) -> tuple[TensorArray, Any]:
    if np.ndim(size) != 0:
        raise invalid(f"TensorArray size must be scalar, but had shape: {shown(size)}")
    attrs = node.attrs
    array = TensorArray(
        attrs["tensor_array_name"].decode() or node.name,
        attrs["dtype"],
        int(size),
        attrs["element_shape"].sizes,
        attrs["dynamic_size"],
        attrs["clear_after_read"],
        attrs["identical_element_shapes"],
    )
    return array, _FLOW


# TensorArrayWriteV3, TensorArrayReadV3 ------------------------------------------------------------

tensor_array_write = define_op(
    "TensorArrayWriteV3",
    "handle: resource, index: int32, value: T, flow_in: float -> flow_out: float",
    "T: type",
    stateful=True,
)


@tensor_array_write.shape
def _write_shape(c: InferenceContext) -> TensorShape:
    _with_ranks(c, handle=1, index=0, flow_in=0)
    data = element_data(c.inputs[0])
    if data is not None:
        merge(data[1], c.input(2))
    return scalar()


@tensor_array_write.kernel
def _write_kernel(handle: Any, index: Any, value: Any, flow_in: Any, *, T: DType) -> Any:
    _array(handle, T, "is trying to write").write(_single(index), value)
    return _FLOW


def _single(index: Any) -> int:
    if index.ndim:
        raise invalid(f"TensorArray index must be scalar, but had shape: {shown(index)}")
    return int(index)


@tensor_array_write.gradient
def _write_gradient(op: Operation, flow: Tensor) -> list[Any]:
    array, flow = _gradient_after_writing(op, op.attrs["T"], flow)
    return [None, None, array.read(op.inputs[1]), flow]


tensor_array_read = define_op(
    "TensorArrayReadV3",
    "handle: resource, index: int32, flow_in: float -> value: dtype",
    "dtype: type",
    stateful=True,
)


@tensor_array_read.shape
def _read_shape(c: InferenceContext) -> TensorShape:
    _with_ranks(c, handle=1, index=0, flow_in=0)
    data = element_data(c.inputs[0])
    return unknown_shape() if data is None else data[1]


@tensor_array_read.kernel
def _read_kernel(handle: Any, index: Any, flow_in: Any, *, dtype: DType) -> Any:
    return _array(handle, dtype).read(_single(index))


@tensor_array_read.gradient
def _read_gradient(op: Operation, gradient: Tensor) -> list[Any]:
    array = _gradient_array(op, op.attrs["dtype"], gradient, op.inputs[2])
    return [None, None, array.write(op.inputs[1], gradient).flow]


# TensorArrayGatherV3, TensorArrayScatterV3 --------------------------------------------------------

tensor_array_gather = define_op(
    "TensorArrayGatherV3",
    "handle: resource, indices: int32, flow_in: float -> value: dtype",
    "dtype: type, element_shape: shape = { unknown_rank: true }",
    stateful=True,
)


@tensor_array_gather.shape
def _gather_shape(c: InferenceContext) -> TensorShape:
    _with_ranks(c, handle=1, indices=1, flow_in=0)
    data = element_data(c.inputs[0])
    count = c.input(1).sizes
    if data is None or data[1].sizes is None:
        return unknown_shape()
    return TensorShape.of((None if count is None else count[0], *data[1].sizes))


@tensor_array_gather.kernel
def _gather_kernel(
    handle: Any, indices: Any, flow_in: Any, *, dtype: DType, element_shape: TensorShape
) -> Any:
    array, numbers = _array(handle, dtype), _numbers(indices)
    if not numbers:
        known = _known_shape(element_shape, "element shape", "packing")
        return np.empty((0, *known), dtype.as_numpy_dtype)
    return _packed([array.read(index) for index in numbers], dtype)


def _numbers(indices: Any) -> list[int]:
    if indices.ndim != 1:
        raise invalid(f"Expected indices to be a vector, but received shape: {shown(indices)}")
    numbers: list[int] = indices.tolist()
    return numbers


def _known_shape(shape: TensorShape, what: str, doing: str) -> Any:
    if not shape.is_fully_defined():
        raise UnimplementedError(
            f"TensorArray has size zero, but {what} {brackets(shape)} is not fully defined. "
            f"Currently only static shapes are supported when {doing} zero-size TensorArrays."
        )
    return shape.as_list()


def _packed(values: list[Any], dtype: DType) -> Any:
    first = values[0].shape
    for number, value in enumerate(values):
        if value.shape != first:
            raise invalid(
                f"TensorArray has inconsistent shapes.  Index 0 has shape: {shown(values[0])} but "
                f"index {number} has shape: {shown(value)}"
            )
    if first:  # twice as fast as np.stack
        return np.concatenate(values).reshape(len(values), *first)
    result = np.empty(len(values), dtype.as_numpy_dtype)
    result[:] = [value[()] for value in values]
    return result


@tensor_array_gather.gradient
def _gather_gradient(op: Operation, gradient: Tensor) -> list[Any]:
    array = _gradient_array(op, op.attrs["dtype"], gradient, op.inputs[2])
    return [None, None, array.scatter(op.inputs[1], gradient).flow]


tensor_array_scatter = define_op(
    "TensorArrayScatterV3",
    "handle: resource, indices: int32, value: T, flow_in: float -> flow_out: float",
    "T: type",
    stateful=True,
)


@tensor_array_scatter.shape
def _scatter_shape(c: InferenceContext) -> TensorShape:
    _with_ranks(c, handle=1, indices=1, flow_in=0)
    value, indices = with_rank_at_least(c.input(2), 1), c.input(1).sizes
    if value.sizes is not None:
        merge_dimension(value.sizes[0], None if indices is None else indices[0])
    data = element_data(c.inputs[0])
    if data is not None and value.sizes is not None:
        merge(data[1], TensorShape.of(value.sizes[1:]))
    return scalar()


@tensor_array_scatter.kernel
def _scatter_kernel(handle: Any, indices: Any, value: Any, flow_in: Any, *, T: DType) -> Any:
    array, numbers = _array(handle, T, "is trying to write"), _numbers(indices)
    if value.ndim == 0:
        raise invalid(
            f"Input value for unpack must be at least a vector but received shape: {shown(value)}"
        )
    if len(numbers) != len(value):
        raise invalid(
            f"Expected len(indices) == values.shape[0], but saw: {len(numbers)} vs. {len(value)}"
        )
    last = max(numbers, default=-1)
    array.prepare_unpack(last + 1)
    if last >= len(array):
        array.check_open()
        raise invalid(f"Max scatter index must be < array size ({last} vs. {len(array)})")
    for index, row in zip(numbers, _rows(value), strict=True):
        array.write(index, row)
    return _FLOW


def _rows(value: Any) -> Iterable[Any]:
    if value.dtype == object and value.ndim == 1:  # single strings stay arrays
        return (value[i, ...] for i in range(len(value)))
    return value


@tensor_array_scatter.gradient
def _scatter_gradient(op: Operation, flow: Tensor) -> list[Any]:
    array, flow = _gradient_after_writing(op, op.attrs["T"], flow)
    return [None, None, array.gather(op.inputs[1]), flow]


# TensorArrayConcatV3, TensorArraySplitV3 ----------------------------------------------------------

tensor_array_concat = define_op(
    "TensorArrayConcatV3",
    "handle: resource, flow_in: float -> value: dtype, lengths: int64",
    "dtype: type, element_shape_except0: shape = { unknown_rank: true }",
    stateful=True,
    shape=_returning(unknown_shape(), TensorShape.of((None,)), handle=1, flow_in=0),
)


@tensor_array_concat.kernel
def _concat_kernel(
    handle: Any, flow_in: Any, *, dtype: DType, element_shape_except0: TensorShape
) -> tuple[Any, Any]:
    array = _array(handle, dtype)
    count = array.concat_size
    if not count:
        array.check_open()
        known = _known_shape(element_shape_except0, "element_shape_except0", "concatenating")
        return np.empty((0, *known), dtype.as_numpy_dtype), np.empty(0, np.int64)
    values = [array.read(index) for index in range(count)]
    first = values[0].shape[1:]
    for number, value in enumerate(values):
        if not value.ndim:
            raise invalid(
                f"Concat saw a scalar shape at index {number} but requires at least vectors.  Did "
                f"you mean to call pack?"
            )
        if value.shape[1:] != first:
            raise invalid(
                f"TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: "
                f"{shown(values[0][0])} but index {number} has (excepting dimension 0) shape: "
                f"{brackets(TensorShape.of(value.shape[1:]))}"
            )
    return np.concatenate(values), np.array([len(value) for value in values], np.int64)


@tensor_array_concat.gradient
def _concat_gradient(op: Operation, gradient: Tensor, _: Any) -> list[Any]:
    array = _gradient_array(op, op.attrs["dtype"], gradient, op.inputs[1])
    return [None, array.split(gradient, lengths=op.outputs[1]).flow]


tensor_array_split = define_op(
    "TensorArraySplitV3",
    "handle: resource, value: T, lengths: int64, flow_in: float -> flow_out: float",
    "T: type",
    stateful=True,
    shape=_returning(scalar(), handle=1, flow_in=0),
)


@tensor_array_split.kernel
def _split_kernel(handle: Any, value: Any, lengths: Any, flow_in: Any, *, T: DType) -> Any:
    array = _array(handle, T, "is trying to write")
    if lengths.ndim != 1:
        raise invalid(f"Expected lengths to be a vector, received shape: {shown(lengths)}")
    sizes = lengths.tolist()
    if value.ndim == 0:
        raise invalid(f"Expected value to be at least a vector, but received shape: {shown(value)}")
    if min(sizes, default=0) < 0:
        raise invalid(f"Expected lengths that are not negative, received: {sizes}")
    if sum(sizes) != len(value):
        raise invalid(
            f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
            f"{sum(sizes)} and value's shape is: {shown(value)}"
        )
    array.prepare_unpack(len(sizes))
    if len(array) != len(sizes):
        array.check_open()
        raise invalid(
            f"TensorArray's size is not equal to the size of lengths ({len(array)} vs. "
            f"{len(sizes)}), and the TensorArray is not marked as dynamically resizeable"
        )
    start = 0
    for index, size in enumerate(sizes):
        array.write(index, value[start : start + size])
        start += size
    array.mark_split(len(sizes))
    return _FLOW


@tensor_array_split.gradient
def _split_gradient(op: Operation, flow: Tensor) -> list[Any]:
    array, flow = _gradient_after_writing(op, op.attrs["T"], flow)
    return [None, array.concat(), None, flow]


# TensorArraySizeV3, TensorArrayCloseV3 ------------------------------------------------------------

tensor_array_size = define_op(
    "TensorArraySizeV3",
    "handle: resource, flow_in: float -> size: int32",
    stateful=True,
    shape=_returning(scalar(), handle=1),
    no_gradient=_STATE,
)


@tensor_array_size.kernel
def _size_kernel(handle: Any, flow_in: Any) -> Any:
    array = _array(handle)
    array.check_open()
    return np.int32(len(array))


tensor_array_close = define_op(
    "TensorArrayCloseV3",
    "handle: resource ",
    stateful=True,
    no_gradient=_STATE,
    shape=shape_inference.no_outputs,
)


@tensor_array_close.kernel
def _close_kernel(handle: Any) -> tuple[()]:
    _array(handle).close()
    return ()


# TensorArrayGradV3, TensorArrayGradWithShape ------------------------------------------------------

tensor_array_grad = define_op(
    "TensorArrayGradV3",
    "handle: resource, flow_in: float -> grad_handle: resource, flow_out: float",
    "source: string",
    stateful=True,
    shape=_returning(_HANDLE_SHAPE, scalar(), handle=1),
    no_gradient=_STATE,
)
tensor_array_grad_with_shape = define_op(
    "TensorArrayGradWithShape",
    "handle: resource, flow_in: float, shape_to_prepend: int32 -> "
    "grad_handle: resource, flow_out: float",
    "source: string",
    stateful=True,
    shape=_returning(_HANDLE_SHAPE, scalar(), handle=1),
    no_gradient=_STATE,
)


@tensor_array_grad.kernel
@tensor_array_grad_with_shape.kernel
def _grad_kernel(
    handle: Any, flow_in: Any, *shape_to_prepend: Any, source: bytes
) -> tuple[TensorArray, Any]:
    prepended = [tuple(sizes.tolist()) for sizes in shape_to_prepend]
    return _array(handle).gradient(source, *prepended), _FLOW


# What the gradients share -------------------------------------------------------------------------


def _gradient_array(op: Operation, dtype: DType, gradient: Tensor, flow: Tensor) -> Any:
    """The array of gradients, available when `flow` is: the forward array has its size then."""
    return _forward_array(op, dtype, flow).grad(_call_of_gradients(gradient), flow=flow)


def _forward_array(op: Operation, dtype: DType, flow: Tensor) -> Any:
    return ops.TensorArray(
        dtype, handle=op.inputs[0], flow=flow, colocate_with_first_write_call=False
    )


def _gradient_after_writing(op: Operation, dtype: DType, flow: Tensor) -> tuple[Any, Tensor]:
    """The array of gradients for an op that wrote, and the flow that goes on backwards."""
    source = _call_of_gradients(flow)
    # The gradient array is not made before the last write of the forward array.
    written = identity(op.outputs[0], "flow_out")
    with op.graph.control_dependencies([written]):
        flow = identity(flow, "write_barrier")
    return _forward_array(op, dtype, flow).grad(source, flow=flow), flow


def _call_of_gradients(tensor: Tensor) -> str:
    """The scope of the call of `tf.gradients` that built `tensor`: it tells gradients apart."""
    parts = tensor.name.split("/")
    found = [number for number, part in enumerate(parts) if part.startswith("gradients")]
    if not found:
        raise ValueError(
            f"Expected op/tensor name to start with gradients (excluding scope), got: "
            f"{tensor.name}. This means that a tf.gradients op with this op in its dependency path "
            f"has a custom name that does not start with 'gradients'. Please make sure all calls "
            f"to tf.gradients that have non-empty `name` arguments use names that start with "
            f"'gradients'."
        )
    return "/".join(parts[: found[-1] + 1])
