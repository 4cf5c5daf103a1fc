"""The op types of conditional accumulators: dense ones on either kind of handle, and sparse ones.

What they keep is in `resources.accumulators`. Mirrors
tensorflow/core/kernels/conditional_accumulator_op.cc and conditional_accumulator_base_op.h.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tinytf.framework.dtypes import DType
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext, is_scalar, unknown, with_rank
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.resource_cards import WHERE, own_or_shared, string_handle, string_handle_shape
from tinytf.resources.accumulators import (
    Accumulator,
    DenseAccumulator,
    SparseAccumulator,
    SparseGradient,
)
from tinytf.resources.handles import behind

_STATE = "an accumulator is state"
_DTYPE = "dtype: numbertype"
_ATTRS = f"{_DTYPE}, shape: shape, {WHERE}, reduction_type: {{'MEAN', 'SUM'}} = 'MEAN'"
#: The dtypes that TensorFlow can accumulate.
_KERNELS: dict[str, Iterable[Any]] = {"dtype": ["half", "float", "double"]}

# ConditionalAccumulator, ResourceConditionalAccumulator, SparseConditionalAccumulator -------------


def _define_accumulator(name: str, kind: type[Accumulator], is_resource: bool) -> OpCard:
    handle = "resource" if is_resource else "Ref(string)"
    card = define_op(
        name,
        f"-> handle: {handle}",
        _ATTRS,
        stateful=True,
        shape=string_handle_shape,
        no_gradient=_STATE,
    )

    @card.kernel(types=_KERNELS)
    def _make(
        *, dtype: DType, shape: TensorShape, reduction_type: bytes, node: Any, resources: Any
    ) -> Any:
        def make(own_name: str) -> Accumulator:
            return kind(own_name, dtype, shape, reduction_type == b"MEAN")

        found = own_or_shared(Accumulator, make, node, resources)
        if found.dtype != dtype:
            raise invalid(
                f"Shared accumulator '{found.name}' accumulates {found.dtype.name}, and "
                f"{dtype.name} is asked for. Use another shared_name, or none."
            )
        return found if is_resource else string_handle(found, node)

    return card


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
        raise invalid(f"The handle is that of a {what}, and a {kind.kind} is asked for.")
    if dtype is not None and found.dtype != dtype:
        raise invalid(
            f"The accumulator '{found.name}' accumulates {found.dtype.name}, not {dtype.name}. "
            f"tf.cast changes the dtype of a gradient."
        )
    return found


def _number(value: Any, what: str) -> int:
    if np.ndim(value):
        raise invalid(f"Argument {what} must be scalar, but had bad shape {np.shape(value)}")
    return int(value)


# AccumulatorApplyGradient, AccumulatorTakeGradient, ... and on resources --------------------------


def _define_on(prefix: str, handle: str, is_stateful: bool) -> tuple[OpCard, ...]:
    """The four op types of dense accumulators, for one kind of handle."""

    def define(name: str, schema: str, attrs: str, shape: Callable[..., Any]) -> OpCard:
        schema = f"handle: {handle}{schema}"
        return define_op(
            prefix + name, schema, attrs, stateful=is_stateful, shape=shape, no_gradient=_STATE
        )

    apply = define("ApplyGradient", ", local_step: int64, gradient: dtype", _DTYPE, _scalar_second)
    take = define(
        "TakeGradient", ", num_required: int32 -> average: dtype", _DTYPE, _unknown_outputs
    )
    set_step = define("SetGlobalStep", ", new_global_step: int64", "", _scalar_second)
    count = define("NumAccumulated", " -> num_accumulated: int32", "", is_scalar)

    @apply.kernel
    def _apply(step: Any, handle: Any, local_step: Any, gradient: Any, *, node: Any) -> tuple[()]:
        accumulator = _accumulator(handle, DenseAccumulator, node.attrs["dtype"])
        number, asker = _number(local_step, "local_step"), step.resources.asker
        accumulator.apply(number, gradient, asker, node.name)
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
    return unknown(c)


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
def _sparse_apply(step: Any, handle: Any, local_step: Any, *gradient: Any, node: Any) -> tuple[()]:
    indices, values, shape = gradient
    accumulator = _accumulator(handle, SparseAccumulator, node.attrs["dtype"])
    sizes = np.reshape(shape, -1).tolist() if node.attrs["has_known_shape"] else None
    number, rows = _number(local_step, "local_step"), SparseGradient(indices, values, sizes)
    accumulator.apply(number, rows, step.resources.asker, node.name)
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
