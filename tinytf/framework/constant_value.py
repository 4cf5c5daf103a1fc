"""Values that are known while the graph is still being built.

Shape functions need them: the result of `reshape(x, shape)` depends on the *value* of `shape`.
As TensorFlow does, small stateless subgraphs of constants are evaluated with their own kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tinytf.framework import registry
from tinytf.framework.handle_data import handle_data
from tinytf.framework.kernel_binding import bind
from tinytf.framework.tensor_shape import TensorShape, unknown_shape

if TYPE_CHECKING:
    from tinytf.framework.tensor import Tensor

_MAX_NODES = 64
_MAX_ELEMENTS = 10_000
_OPAQUE = {"resources", "step"}
#: What these pass on depends on the branch taken, on the iteration, or on what is fed.
_CONTROL_FLOW = set(
    """
    PlaceholderWithDefault Switch RefSwitch Merge RefMerge Enter RefEnter Exit RefExit
    NextIteration RefNextIteration
    """.split()
)


def constant_value(tensor: Tensor) -> np.ndarray | None:
    """The value of a tensor if it depends on nothing but constants and static shapes, else None.

    TensorFlow: `tf.get_static_value` and, for shape functions, `EvaluateConstantTensor`.

    Example:
      >>> tf.get_static_value(tf.shape(tf.zeros([2, 3])))  # [2, 3]
    """
    return _evaluate(tensor, [_MAX_NODES])


def _evaluate(tensor: Tensor, budget: list[int]) -> np.ndarray | None:
    op = tensor.op
    if op.type == "Const":
        return op.attrs["value"]
    budget[0] -= 1
    known = _from_static_shape(tensor)
    if known is not None:
        return known
    if budget[0] < 0 or op.op_def.is_stateful or tensor.dtype.is_ref:
        return None
    if not op.inputs or op.type in _CONTROL_FLOW:
        return None
    size = tensor.shape.num_elements()
    if size is not None and size > _MAX_ELEMENTS:
        return None
    kernel = registry.find_kernel(op.type, "CPU", op.attrs)
    if kernel is None or kernel.blocking or kernel.wants_step:
        return None
    if _OPAQUE.intersection(kernel.bound_parameters):
        return None
    values = []
    for source in op.inputs:
        value = _evaluate(source, budget)
        if value is None or value.size > _MAX_ELEMENTS:
            return None
        values.append(value)
    try:
        with np.errstate(all="ignore"):
            result = bind(kernel, op)(*values)
            return np.asarray(result if op.op_def.single_output else result[tensor.value_index])
    except Exception:  # a faulty constant expression fails when it is run, not while it is built
        return None


def _from_static_shape(tensor: Tensor) -> np.ndarray | None:
    op = tensor.op
    if op.type == "StridedSlice":
        return _size_from_static_shape(tensor)
    if op.type not in ("Shape", "ShapeN", "Size", "Rank", "VariableShape"):
        return None
    shape = _measured_shape(tensor)
    if op.type == "Rank":
        return None if shape.ndims is None else np.array(shape.ndims, np.int32)
    if not shape.is_fully_defined():
        return None
    numpy_dtype = tensor.dtype.as_numpy_dtype
    if op.type == "Size":
        return np.array(shape.num_elements(), numpy_dtype)
    return np.array(shape.sizes, numpy_dtype)


def _size_from_static_shape(tensor: Tensor) -> np.ndarray | None:
    """`tf.shape(x)[i]`, where x has an unknown shape but for that one size."""
    op, attrs = tensor.op, tensor.op.attrs
    source = op.inputs[0].op
    single = attrs["shrink_axis_mask"] == 1 and not (
        attrs["begin_mask"] or attrs["ellipsis_mask"] or attrs["new_axis_mask"]
    )
    if source.type != "Shape" or not single:
        return None
    sizes, begin = source.inputs[0].shape.sizes, constant_value(op.inputs[1])
    if sizes is None or begin is None or not -len(sizes) <= begin[0] < len(sizes):
        return None
    size = sizes[int(begin[0])]
    return None if size is None else np.array(size, tensor.dtype.as_numpy_dtype)


def _measured_shape(tensor: Tensor) -> TensorShape:
    """The static shape of what a Shape, ShapeN, Size, Rank or VariableShape measures."""
    source = tensor.op.inputs[tensor.value_index]  # the only one, but for ShapeN
    if tensor.op.type != "VariableShape":
        return source.shape
    data = handle_data(source)
    return unknown_shape() if data is None else data.shape


def constant_value_as_shape(tensor: Tensor) -> TensorShape:
    """The shape that an integer vector holds, with None for elements that are not known.

    Sees through `Shape`, `ShapeN`, `Pack`, `ConcatV2`, `Cast`, and one-dimensional slices, so that
    `tf.stack([tf.shape(x)[0], 10])` gives `(?, 10)`. An element of -1 means unknown.
    """
    op = tensor.op
    if op.type in ("Shape", "ShapeN", "VariableShape"):
        return _measured_shape(tensor)
    value = constant_value(tensor)
    if value is not None:
        if value.ndim == 0:
            return unknown_shape()  # -1: "of any shape"
        return TensorShape.of(tuple(int(v) if v >= 0 else None for v in value.tolist()))
    if op.type == "Cast":
        return constant_value_as_shape(op.inputs[0])
    if op.type == "Pack":
        sizes = []
        for part in op.inputs:
            element = constant_value(part)
            known = element is not None and element.ndim == 0 and element >= 0
            sizes.append(int(element) if known and element is not None else None)
        return TensorShape.of(tuple(sizes))
    if op.type == "ConcatV2":
        shape = TensorShape.of(())
        for part in op.inputs[:-1]:
            shape = shape.concatenate(constant_value_as_shape(part))
        return shape
    if op.type == "StridedSlice":
        sliced = _sliced_shape(tensor)
        if sliced is not None:
            return sliced
    length = tensor.shape.sizes
    return unknown_shape(length[0] if length is not None and len(length) == 1 else None)


def _sliced_shape(tensor: Tensor) -> TensorShape | None:
    """`shape[a:b:c]` of a shape that is partly known; None where the slice itself is not."""
    op = tensor.op
    begin, end, stride = (constant_value(t) for t in op.inputs[1:4])
    if begin is None or end is None or stride is None or begin.size != 1:
        return None
    if op.attrs["ellipsis_mask"] or op.attrs["new_axis_mask"] or op.attrs["shrink_axis_mask"]:
        return None
    source = constant_value_as_shape(op.inputs[0])
    if source.sizes is None:
        return None
    start = None if op.attrs["begin_mask"] & 1 else int(begin[0])
    stop = None if op.attrs["end_mask"] & 1 else int(end[0])
    return TensorShape.of(source.sizes[slice(start, stop, int(stride[0]))])
