"""The op types of barriers, and the class. Mirrors tensorflow/core/kernels/barrier_ops.cc.

The barrier itself is `resources.queues.barrier`. TensorFlow has the class as
`tensorflow.python.ops.data_flow_ops.Barrier`, outside of its public names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinytf.framework import dtypes as dtypes_module
from tinytf.framework import shape_inference
from tinytf.framework.constant_value import constant_value
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape, unknown_shape
from tinytf.ops.base.resource_cards import WHERE, own_or_shared, string_handle, string_handle_shape
from tinytf.ops.queues.queue_classes import shape_list, type_list
from tinytf.resources.handles import StringHandle, behind
from tinytf.resources.queues.barrier import Barrier as Resource
from tinytf.resources.queues.elements import shown

_STATE = "a barrier is state"

# Barrier ------------------------------------------------------------------------------------------

barrier = define_op(
    "Barrier",
    "-> handle: Ref(string)",
    "component_types: list(type) >= 1, shapes: list(shape) >= 0 = [], capacity: int = -1",
    WHERE,
    stateful=True,
    shape=string_handle_shape,
    no_gradient=_STATE,
)


@barrier.kernel
def _barrier(
    *,
    component_types: tuple[DType, ...],
    shapes: tuple[TensorShape, ...],
    capacity: int,
    node: Any,
    resources: Any,
) -> StringHandle:
    if capacity != -1:
        raise invalid(
            "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to "
            "enforce a limited capacity."
        )
    for shape in shapes:
        if shape.sizes is not None and None in shape.sizes:
            raise invalid(f"Shape {shown(shape.sizes)} is not fully defined")

    def make(name: str) -> Resource:
        return Resource(name, component_types, shapes)

    found = own_or_shared(Resource, make, node, resources)
    wanted = Resource("", component_types, shapes)
    for what, theirs, ours in (
        ("types", _names(found.dtypes), _names(wanted.dtypes)),
        ("shapes", _texts(found.shapes), _texts(wanted.shapes)),
    ):
        if theirs != ours:
            raise invalid(
                f"Shared barrier '{found.name}' has component {what} {theirs} but requested "
                f"component {what} were {ours}"
            )
    return string_handle(found, node)


def _names(dtypes: Sequence[DType]) -> str:
    return ", ".join(dtype.name for dtype in dtypes)


def _texts(shapes: Sequence[TensorShape]) -> str:
    return "[" + ", ".join(shown(shape.sizes or ()) for shape in shapes) + "]"


# BarrierInsertMany --------------------------------------------------------------------------------

barrier_insert_many = define_op(
    "BarrierInsertMany",
    "handle: Ref(string), keys: string, values: T",
    "T: type, component_index: int",
    no_gradient=_STATE,
)


@barrier_insert_many.shape
def _insert_shape(c: shape_inference.InferenceContext) -> list[TensorShape]:
    keys, values = (
        shape_inference.with_rank(c.input(1), 1),
        shape_inference.with_rank_at_least(c.input(2), 1),
    )
    if values.sizes is not None:
        shape_inference.merge(keys, TensorShape.of((values.sizes[0],)))
    return []


@barrier_insert_many.kernel
def _insert(handle: Any, keys: Any, values: Any, *, T: DType, component_index: int) -> tuple[()]:
    found: Resource = behind(handle)
    if 0 <= component_index < len(found.dtypes) and found.dtypes[component_index] != T:
        raise invalid(
            f"Signature mismatch, have: string_ref, string, {T.name}-> expected: string_ref, "
            f"string, {found.dtypes[component_index].name}->"
        )
    found.insert_many(component_index, keys, values)
    return ()


# BarrierTakeMany ----------------------------------------------------------------------------------

barrier_take_many = define_op(
    "BarrierTakeMany",
    "handle: Ref(string), num_elements: int32 -> "
    "indices: int64, keys: string, values: component_types",
    "component_types: list(type) >= 1, allow_small_batch: bool = false",
    "wait_for_incomplete: bool = false, timeout_ms: int = -1",
    shape=shape_inference.unknown,
    no_gradient=_STATE,
)


@barrier_take_many.kernel(blocking=True)
def _take(
    step: Any,
    handle: Any,
    num_elements: Any,
    *,
    component_types: tuple[DType, ...],
    allow_small_batch: bool,
    timeout_ms: int,
) -> Any:
    found: Resource = behind(handle)
    if timeout_ms != -1:
        raise invalid(
            f"Timeout not supported yet: timeout_ms is {timeout_ms}. "
            f"tf.RunOptions(timeout_in_ms) and ConfigProto.operation_timeout_in_ms end waits."
        )
    if np.ndim(num_elements):
        raise invalid("num_elements must be a scalar.")
    if found.dtypes != component_types:
        raise invalid(
            f"Signature mismatch, have: string_ref, int32->int64, string, "
            f"{_names(component_types)} expected: string_ref, int32->int64, string, "
            f"{_names(found.dtypes)}"
        )
    return found.take_many(int(num_elements), step.cancellation, allow_small_batch)


# BarrierClose, BarrierReadySize, BarrierIncompleteSize --------------------------------------------

barrier_close = define_op(
    "BarrierClose",
    "handle: Ref(string)",
    "cancel_pending_enqueues: bool = false",
    shape=shape_inference.no_outputs,
    no_gradient=_STATE,
)


@barrier_close.kernel
def _close(handle: Any, *, cancel_pending_enqueues: bool) -> tuple[()]:
    behind(handle).close(cancel_pending_enqueues)
    return ()


def _define_size(name: str, size: Callable[[Resource], int]) -> OpCard:
    return define_op(
        name,
        "handle: Ref(string) -> size: int32",
        shape=shape_inference.is_scalar,
        kernel=lambda handle: np.int32(size(behind(handle))),
        no_gradient=_STATE,
    )


barrier_ready_size = _define_size("BarrierReadySize", Resource.ready_size)
barrier_incomplete_size = _define_size("BarrierIncompleteSize", Resource.incomplete_size)


# The class ----------------------------------------------------------------------------------------


class Barrier:
    """Elements by key, taken when all their components have arrived.

    TensorFlow: `tensorflow.python.ops.data_flow_ops.Barrier`. Elements leave in the order in which
    their first components came.

    Args:
      types: of the components, or the only one's.
      shapes: of the components, all fully known, or the only one's. None: scalars.
      shared_name: one barrier for all sessions of a server that use the name.

    Raises:
      ValueError: for shapes without elements.

    Example:
      >>> from tinytf.python.ops.data_flow_ops import Barrier
      >>> barrier = Barrier((tf.string, tf.int32), shapes=((), ()))
      >>> first = barrier.insert_many(0, keys=["k1", "k2"], values=["a", "b"])
      >>> second = barrier.insert_many(1, keys=["k1"], values=[1])
      >>> # after both, sess.run(barrier.take_many(1)) has the keys [b"k1"]
    """

    def __init__(
        self, types: Any, shapes: Any = None, shared_name: str | None = None, name: str = "barrier"
    ):

        self._types = [dtypes_module.as_dtype(dtype) for dtype in type_list(types)]
        if shapes is None:
            self._shapes = [unknown_shape() for _ in self._types]
        else:
            self._shapes = [as_shape(shape) for shape in shape_list(shapes) or []]
            for index, shape in enumerate(self._shapes):
                if shape.num_elements() == 0:
                    raise ValueError(
                        f"Empty tensors are not supported, but received shape '{shape}' at index "
                        f"{index}"
                    )
        self._barrier_ref = barrier(
            component_types=self._types,
            shapes=self._shapes,
            shared_name=shared_name or "",
            name=name,
        )
        self._name = self._barrier_ref.op.name.split("/")[-1]

    @property
    def barrier_ref(self) -> Tensor:
        """The handle, as operations take it."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes it."""
        return self._barrier_ref.op.name

    def insert_many(
        self, component_index: int, keys: Any, values: Any, name: str | None = None
    ) -> Operation:
        """Give the elements with these keys one component; new keys begin new elements.

        Args:
          keys: a vector of strings. values: one row for each of them.

        Raises:
          When it runs: InvalidArgumentError if an element has that component already;
          CancelledError for new keys if the barrier is closed.
        """
        return barrier_insert_many(
            self._barrier_ref,
            keys,
            values,
            component_index=component_index,
            name=name or f"{self._name}_BarrierInsertMany",
        )

    def take_many(
        self,
        num_elements: Any,
        allow_small_batch: bool = False,
        timeout: int | None = None,
        name: str | None = None,
    ) -> Any:
        """Take so many complete elements; waits for them.

        Args:
          num_elements: a scalar, int32.
          allow_small_batch: a closed barrier gives what it has, if that is anything.
          timeout: not supported, as in TensorFlow: `tf.RunOptions(timeout_in_ms=...)` is.

        Returns:
          (indices, keys, values).

        Raises:
          When it runs: OutOfRangeError if the barrier is closed and will never have so many.
        """
        taken = barrier_take_many(
            self._barrier_ref,
            num_elements,
            component_types=self._types,
            allow_small_batch=allow_small_batch,
            timeout_ms=-1 if timeout is None else timeout,
            name=name or f"{self._name}_BarrierTakeMany",
        )
        count = None if allow_small_batch else constant_value(taken.indices.op.inputs[1])
        batch = TensorShape([None if count is None else int(count)])
        for output in (taken.indices, taken.keys):
            output.set_shape(batch)
        for output, shape in zip(taken.values, self._shapes):
            output.set_shape(batch.concatenate(shape))
        return taken

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Take no new keys; elements that have begun can still become complete.

        Args:
          cancel_pending_enqueues: drop these.
        """
        return barrier_close(
            self._barrier_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_BarrierClose",
        )

    def ready_size(self, name: str | None = None) -> Tensor:
        """How many elements are complete: a scalar, int32."""
        return barrier_ready_size(self._barrier_ref, name=name or f"{self._name}_BarrierReadySize")

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """How many elements lack components: a scalar, int32."""
        return barrier_incomplete_size(
            self._barrier_ref, name=name or f"{self._name}_BarrierIncompleteSize"
        )
