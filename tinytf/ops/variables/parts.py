"""Parts of a variable, read and written by ops of their own: rows, slices, a counter.

`ResourceGather` reads rows without reading all of a variable; `StridedSliceAssign` is behind
`v[1:3].assign(x)`; `CountUpTo` counts a variable up to a limit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import FailedPreconditionError, OutOfRangeError, invalid
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.stacks import graph_to_build_in
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.gather import check_indices
from tinytf.ops.array.gather_nd import flat_rows
from tinytf.ops.array.reshape import expand_dims, reshape, squeeze
from tinytf.ops.array.scatter_nd import scatter_nd
from tinytf.ops.array.slice import MASKS, masks_of, resolved
from tinytf.ops.array.strided_slice import Masks
from tinytf.ops.base.shape_rules import shown, shown_list
from tinytf.ops.variables.scatter_updates import state_shape
from tinytf.ops.variables.state import NO_FUNCTION, must_exist, variable_shape
from tinytf.resources.changing import writable
from tinytf.resources.variable import Variable

# ResourceGather -----------------------------------------------------------------------------------

resource_gather = define_op(
    "ResourceGather",
    "resource: resource, indices: Tindices -> output: dtype",
    "batch_dims: int = 0, validate_indices: bool = true, dtype: type, Tindices: {int32, int64}",
    stateful=True,
)


@resource_gather.shape
def _resource_gather_shape(c: InferenceContext) -> TensorShape:
    state, indices = state_shape(c).sizes, c.input(1).sizes
    batch = c.attrs["batch_dims"]
    if state is not None and len(state) < 1 + batch:
        raise ValueError(f"Shape must be at least rank {1 + batch} but is rank {len(state)}")
    if state is None or indices is None:
        return unknown_shape()
    return TensorShape.of((*indices[:batch], *indices[batch:], *state[batch + 1 :]))


@resource_gather.kernel
def _resource_gather(resource: Variable, indices: Any, *, batch_dims: int) -> Any:
    must_exist(resource)
    value, indices = resource.read(), np.asarray(indices)
    if value.ndim < 1:
        raise invalid("params must be at least 1 dimensional")
    check_indices(indices, value.shape[batch_dims])
    if batch_dims == 0:
        return np.asarray(np.take(value, indices, 0), value.dtype)
    places = indices.reshape(*indices.shape, *[1] * (value.ndim - batch_dims - 1))
    if indices.ndim != batch_dims + 1:
        raise invalid(f"indices must have rank batch_dims + 1 = {batch_dims + 1}")
    return np.take_along_axis(value, places, batch_dims)


@resource_gather.gradient
def _resource_gather_gradient(op: Operation, gradient: Any) -> list[Any]:

    handle, indices = op.inputs
    sizes = variable_shape(handle)
    count = expand_dims(ops.size(indices), 0)
    values = reshape(gradient, concat([count, sizes[1:]], 0))  # type: ignore[index]
    return [IndexedSlices(values, reshape(indices, count), sizes), None]


# ResourceGatherNd ---------------------------------------------------------------------------------

resource_gather_nd = define_op(
    "ResourceGatherNd",
    "resource: resource, indices: Tindices -> output: dtype",
    "dtype: type, Tindices: {int32, int64}",
    stateful=True,
)


@resource_gather_nd.shape
def _resource_gather_nd_shape(c: InferenceContext) -> TensorShape:
    state, indices = state_shape(c).sizes, c.input(1).sizes
    if state is None or indices is None or indices[-1] is None:
        return unknown_shape()
    if indices[-1] > len(state):
        raise ValueError(
            f"indices.shape[-1] must be <= params.rank, but saw indices.shape: "
            f"{shown_list(indices)} and params.shape: {shown_list(state)}"
        )
    return TensorShape.of((*indices[:-1], *state[indices[-1] :]))


@resource_gather_nd.kernel
def _resource_gather_nd(resource: Variable, indices: Any, *, node: Any) -> Any:
    must_exist(resource)
    value, depth = resource.read(), indices.shape[-1]
    places = flat_rows(indices, value.shape, "param shape", f", node name: {node.name}")
    rest = value.shape[depth:]
    rows = value.reshape(math.prod(value.shape[:depth]), *rest)
    return np.asarray(rows[places].reshape(*indices.shape[:-1], *rest), value.dtype)


@resource_gather_nd.gradient
def _resource_gather_nd_gradient(op: Operation, gradient: Any) -> list[Any]:

    handle, indices = op.inputs
    sizes = variable_shape(handle, indices.dtype)
    if indices.shape.ndims == 2 and indices.shape.sizes[-1] == 1:  # type: ignore[index]
        return [IndexedSlices(gradient, squeeze(indices, axis=-1), sizes), None]

    return [scatter_nd(indices, gradient, sizes), None]


# StridedSliceAssign -------------------------------------------------------------------------------


def _strided_slice_assign_shape(c: InferenceContext) -> Any:
    return state_shape(c) if c.output_count else []


def _define_slice_assign(name: str, ref: str, output: str = "", **facets: Any) -> OpCard:
    return define_op(
        name,
        f"ref: {ref}, begin: Index, end: Index, strides: Index, value: T -> {output}",
        "T: type, Index: {int32, int64}",
        *MASKS,
        shape=_strided_slice_assign_shape,
        no_gradient=NO_FUNCTION,
        **facets,
    )


strided_slice_assign = _define_slice_assign("StridedSliceAssign", "Ref(T)", "output_ref: Ref(T)")
resource_strided_slice_assign = _define_slice_assign(
    "ResourceStridedSliceAssign", "resource", stateful=True
)


@strided_slice_assign.kernel
def _strided_slice_assign(
    ref: Variable, begin: Any, end: Any, strides: Any, value: Any, *, node: Operation
) -> Variable:
    with writable(ref) as (array,):
        found = resolved(array.shape, begin, end, strides, Masks(*masks_of(node).values()))
        sizes: Any = found.sizes
        # Dimensions of size 1 in front of what is assigned do not count.
        extra = max(np.ndim(value) - len(sizes), 0)
        part = np.reshape(value, np.shape(value)[extra:]) if _ones(value, extra) else value
        try:
            np.broadcast_to(part, sizes)
        except ValueError:
            raise invalid(
                f"Cannot broadcast input shape {shown(value)} into final shape {shown_list(sizes)}"
            ) from None
        array[found.index] = part
    return ref


def _ones(value: Any, count: int) -> bool:
    return all(size == 1 for size in np.shape(value)[:count])


@resource_strided_slice_assign.kernel
def _resource_strided_slice_assign(
    ref: Variable, begin: Any, end: Any, strides: Any, value: Any, *, node: Operation
) -> Any:
    must_exist(ref)
    _strided_slice_assign(ref, begin, end, strides, value, node=node)
    return ()


class VariableSlice(Tensor):
    """What `v[1:3]` gives: a tensor that can be assigned to.

    Example:
      >>> v = tf.Variable([1.0, 2.0, 3.0])
      >>> v[1:].assign([8.0, 9.0])  # [1., 8., 9.]
    """

    __slots__ = ("_name", "_variable")
    _name: str
    _variable: Any

    @staticmethod
    def of(part: Tensor, variable: Any, name: str | None) -> VariableSlice:
        """The output of a StridedSlice node, made assignable, in its place."""
        op = part.op
        slice_ = VariableSlice(op, 0, part.dtype, part.shape)
        slice_._variable, slice_._name = variable, f"{name}_assign"
        op.outputs[0] = slice_
        return slice_

    def assign(self, value: Any, name: str | None = None) -> Any:
        """Write into this part of the variable.

        Args:
          value: of the variable's type; its shape is broadcast to the slice's.
          name: of the operation.

        Returns:
          as the variable's own `assign`: the whole variable after it.
        """
        variable, spec, masks = self._variable, self.op.inputs[1:], masks_of(self.op)
        name = name or self._name
        if variable.dtype.is_ref:
            return strided_slice_assign(variable._ref(), *spec, value, name=name, **masks)
        with graph_to_build_in(variable.graph).as_default(), variable._ordered():
            value = convert_to_tensor(value, dtype=variable.dtype)
            op = resource_strided_slice_assign(variable.handle, *spec, value, name=name, **masks)
            return variable._lazy_read(op)


# To programs it is a tensor like any other; nobody asks for it by name.
VariableSlice.__name__ = VariableSlice.__qualname__ = "Tensor"

# CountUpTo ----------------------------------------------------------------------------------------

_count_up_to = define_op(
    "CountUpTo",
    "ref: Ref(T) -> output: T",
    "limit: int, T: {int32, int64}",
    no_gradient="counting is not a function of its inputs",
)
_resource_count_up_to = define_op(
    "ResourceCountUpTo",
    "resource: resource -> output: T",
    "limit: int, T: {int32, int64}",
    stateful=True,
    no_gradient="counting is not a function of its inputs",
)


@_count_up_to.shape
@_resource_count_up_to.shape
def _count_up_to_shape(c: InferenceContext) -> TensorShape:
    return with_rank(state_shape(c), 0)


@_count_up_to.kernel
def _count_up_to_kernel(variable: Variable, *, limit: int) -> Any:
    if not variable.is_initialized:
        raise FailedPreconditionError(
            f"Attempting to use uninitialized value {variable.name}. The epochs of an input "
            f"producer (num_epochs={limit}) are counted in a local variable, and local variables "
            f"were not initialized: run tf.local_variables_initializer(), in this session, "
            f"before the queue runners are started. (A counter of your own: "
            f"tf.global_variables_initializer().)"
        )

    def following(value: Any) -> Any:
        if value >= limit:
            raise OutOfRangeError(f"Reached limit of {limit}")
        return value + 1

    return variable.modify(following) - 1


@_resource_count_up_to.kernel
def _resource_count_up_to_kernel(resource: Variable, *, limit: int) -> Any:
    must_exist(resource)
    return _count_up_to_kernel(resource, limit=limit)


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """Increase an integer variable by 1, up to a limit (TensorFlow: `tf.count_up_to`).

    Args:
      ref: a scalar int32 or int64 variable.
      limit: once the variable has this value, the operation raises.
      name: of the operation.

    Returns:
      the value before.

    Raises:
      OutOfRangeError: "Reached limit of ...", when it runs.

    Example:
      >>> tf.count_up_to(tf.Variable(0), 3)  # 0
    """
    if ref.dtype.is_ref:
        return _count_up_to(ref, limit=limit, name=name)
    return _resource_count_up_to(ref.handle, limit=limit, T=ref.dtype, name=name)
