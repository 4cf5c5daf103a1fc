"""The op types of conditional accumulators: dense ones on either kind of handle, and sparse ones.

What they keep is in `resources.accumulators`. Mirrors
tensorflow/core/kernels/conditional_accumulator_op.cc and conditional_accumulator_base_op.h.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor_shape import TensorShape, scalar, unknown_shape
from tinytf.resources.accumulators import (
    Accumulator,
    DenseAccumulator,
    SparseAccumulator,
    SparseGradient,
)
from tinytf.resources.handles import StringHandle, behind

_STATE = "an accumulator is state"
_DTYPE = (
    "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32,"
    " bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
)
_ATTRS = [
    _DTYPE,
    "shape: shape",
    "container: string = ''",
    "shared_name: string = ''",
    "reduction_type: {'MEAN', 'SUM'} = 'MEAN'",
]
#: The dtypes that TensorFlow can accumulate.
_KERNELS: dict[str, Iterable[Any]] = {"dtype": ["half", "float", "double"]}


def _pair_shape(c: InferenceContext) -> TensorShape:
    return TensorShape.of((2,))  # the pair of names that a handle was, once


# ConditionalAccumulator, ResourceConditionalAccumulator, SparseConditionalAccumulator -------------


def _define_accumulator(name: str, kind: type[Accumulator], is_resource: bool) -> OpCard:
    handle = "resource" if is_resource else "Ref(string)"
    card = define_op(name, f"-> handle: {handle}", *_ATTRS, stateful=True)
    card.shape(_pair_shape)
    card.not_differentiable(_STATE)

    @card.kernel(types=_KERNELS)
    def _make(
        *,
        dtype: DType,
        shape: TensorShape,
        container: bytes,
        shared_name: bytes,
        reduction_type: bytes,
        node: Any,
        resources: Any,
    ) -> Any:
        def make(own_name: str) -> Accumulator:
            return kind(own_name, dtype, shape, reduction_type == b"MEAN")

        found = find(Accumulator, make, node, resources, container, shared_name)
        if found.dtype != dtype:
            raise InvalidArgumentError(
                f"Shared accumulator '{found.name}' accumulates {found.dtype.name}, and "
                f"{dtype.name} is asked for. Use another shared_name, or none.",
            )
        return found if is_resource else StringHandle(found, container.decode() or "localhost")

    return card


def find(
    kind: type[Any],
    make: Callable[[str], Any],
    node: Any,
    resources: Any,
    container: bytes,
    shared_name: bytes,
) -> Any:
    """What a node means: its own, or the one that is shared under a name; made if need be."""
    if shared_name:
        name = shared_name.decode()
        return resources.lookup_or_create(container.decode(), name, kind, lambda: make(name))
    # As TensorFlow's private resources are called; nobody shares a name that begins so.
    return resources.of_node(
        f"_{node.name}",
        kind,
        lambda: make(f"_{resources.count()}_{node.name}"),
        container.decode(),
    )


conditional_accumulator = _define_accumulator("ConditionalAccumulator", DenseAccumulator, False)
resource_conditional_accumulator = _define_accumulator(
    "ResourceConditionalAccumulator", DenseAccumulator, True
)
sparse_conditional_accumulator = _define_accumulator(
    "SparseConditionalAccumulator", SparseAccumulator, False
)


def _accumulator(handle: Any, kind: type[Accumulator], dtype: DType | None = None) -> Any:
    found = behind(handle)
    if not isinstance(found, kind):
        what = getattr(found, "kind", type(found).__name__)
        raise InvalidArgumentError(
            f"The handle is that of a {what}, and a {kind.kind} is asked for."
        )
    if dtype is not None and found.dtype != dtype:
        raise InvalidArgumentError(
            f"The accumulator '{found.name}' accumulates {found.dtype.name}, not {dtype.name}. "
            f"tf.cast changes the dtype of a gradient.",
        )
    return found


def _number(value: Any, what: str) -> int:
    if np.ndim(value):
        raise InvalidArgumentError(
            f"Argument {what} must be scalar, but had bad shape {np.shape(value)}"
        )
    return int(value)


# AccumulatorApplyGradient, AccumulatorTakeGradient, ... and on resources --------------------------


def _define_on(prefix: str, handle: str, is_stateful: bool) -> tuple[OpCard, ...]:
    """The four op types of dense accumulators, for one kind of handle."""
    apply = define_op(
        f"{prefix}ApplyGradient",
        f"handle: {handle}, local_step: int64, gradient: dtype",
        _DTYPE,
        stateful=is_stateful,
    )
    take = define_op(
        f"{prefix}TakeGradient",
        f"handle: {handle}, num_required: int32 -> average: dtype",
        _DTYPE,
        stateful=is_stateful,
    )
    set_step = define_op(
        f"{prefix}SetGlobalStep", f"handle: {handle}, new_global_step: int64", stateful=is_stateful
    )
    count = define_op(
        f"{prefix}NumAccumulated",
        f"handle: {handle} -> num_accumulated: int32",
        stateful=is_stateful,
    )
    for card in (apply, take, set_step, count):
        card.not_differentiable(_STATE)
    apply.shape(_scalar_second)
    take.shape(_unknown_outputs)
    set_step.shape(_scalar_second)
    count.shape(lambda c: scalar())

    @apply.kernel
    def _apply(handle: Any, local_step: Any, gradient: Any, *, dtype: DType) -> tuple[()]:
        accumulator = _accumulator(handle, DenseAccumulator, dtype)
        accumulator.apply(_number(local_step, "local_step"), gradient)
        return ()

    @take.kernel(blocking=True)
    def _take(step: Any, handle: Any, num_required: Any, *, dtype: DType) -> Any:
        accumulator = _accumulator(handle, DenseAccumulator, dtype)
        return accumulator.take(_number(num_required, "num_required"), step.cancellation)

    @set_step.kernel
    def _set(handle: Any, new_global_step: Any) -> tuple[()]:
        number = _number(new_global_step, "new_global_step")
        _accumulator(handle, Accumulator).set_global_step(number)
        return ()

    @count.kernel
    def _count(handle: Any) -> Any:
        return np.int32(_accumulator(handle, Accumulator).count)

    return apply, take, set_step, count


def _scalar_second(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(1), 0)
    return []


def _unknown_outputs(c: InferenceContext) -> Any:
    with_rank(c.input(1), 0)
    return unknown_shape() if c.output_count == 1 else [unknown_shape()] * c.output_count


apply_gradient, take_gradient, set_global_step, num_accumulated = _define_on(
    "Accumulator", "Ref(string)", False
)
(
    resource_apply_gradient,
    resource_take_gradient,
    resource_set_global_step,
    resource_num_accumulated,
) = _define_on("ResourceAccumulator", "resource", True)

# SparseAccumulatorApplyGradient -------------------------------------------------------------------

sparse_apply_gradient = define_op(
    "SparseAccumulatorApplyGradient",
    "handle: Ref(string), local_step: int64, gradient_indices: int64, gradient_values: dtype, "
    "gradient_shape: int64",
    _DTYPE,
    "has_known_shape: bool",
    shape=_scalar_second,
    no_gradient=_STATE,
)


@sparse_apply_gradient.kernel
def _sparse_apply(
    handle: Any,
    local_step: Any,
    indices: Any,
    values: Any,
    shape: Any,
    *,
    dtype: DType,
    has_known_shape: bool,
) -> tuple[()]:
    accumulator = _accumulator(handle, SparseAccumulator, dtype)
    sizes = np.reshape(shape, -1).tolist() if has_known_shape else None
    accumulator.apply(_number(local_step, "local_step"), SparseGradient(indices, values, sizes))
    return ()


# SparseAccumulatorTakeGradient --------------------------------------------------------------------

sparse_take_gradient = define_op(
    "SparseAccumulatorTakeGradient",
    "handle: Ref(string), num_required: int32 -> indices: int64, values: dtype, shape: int64",
    _DTYPE,
    shape=_unknown_outputs,
    no_gradient=_STATE,
)


@sparse_take_gradient.kernel(blocking=True)
def _sparse_take(step: Any, handle: Any, num_required: Any, *, dtype: DType) -> Any:
    accumulator = _accumulator(handle, SparseAccumulator, dtype)
    return accumulator.take(_number(num_required, "num_required"), step.cancellation)
