"""`tf.CriticalSection`. Mirrors tensorflow/python/ops/critical_section_ops.py."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tinytf.framework import dtypes, nest
from tinytf.framework.operation import Operation
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.identity import identity
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.control_flow.grouping import tuple as together
from tinytf.ops.queues.mutex_ops import consume_mutex_lock, mutex_lock, mutex_v2
from tinytf.ops.tensor_array.tensor_array import TensorArray

CRITICAL_SECTIONS = "critical_sections"
CRITICAL_SECTION_EXECUTIONS = "critical_section_executions"

_local = threading.local()


class Execution(NamedTuple):
    """One call of `execute`, as the graph's collection has it.

    Attributes:
      op: what takes the lock. handle: of the mutex.
      resources: the handles that the function uses itself.
      exclusive_resource_access: whether no other section may use them.
    """

    op: Operation
    handle: Tensor
    resources: list[Tensor]
    exclusive_resource_access: bool


class CriticalSection:
    """Parts of the graph of which one runs at a time (TensorFlow: `tf.CriticalSection`).

    All calls of `execute` of one section, in whatever step and thread they run, take turns, first
    come, first served.

    Args:
      name: of the operations. shared_name: sections of one name are one; by default, the name.

    Raises:
      ValueError: for `critical_section_def`, which is not supported.

    Example:
      >>> section, count = tf.CriticalSection(), tf.Variable(0, use_resource=True)
      >>> def take_a_number():
      ...     number = count.read_value()
      ...     with tf.control_dependencies([number]):
      ...         with tf.control_dependencies([count.assign_add(1)]):
      ...             return tf.identity(number)
      >>> first, second = section.execute(take_a_number), section.execute(take_a_number)
      >>> # sess.run([first, second]) gives 0 and 1, in either order
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ):
        if critical_section_def and name is not None:
            raise ValueError(
                f"Arguments critical_section_def={critical_section_def} and "
                f"shared_name={shared_name} are mutually exclusive. Please only specify one of "
                f"them."
            )
        if critical_section_def:
            raise ValueError("Argument `critical_section_def` is not supported.")
        graph = get_default_graph()
        with name_scope(name, "CriticalSection", []) as scope:
            shared_name = scope if shared_name is None else shared_name
            with graph.control_dependencies(None):
                self._handle = mutex_v2(shared_name=shared_name, name=scope)
        op = self._handle.op
        where = op.device or _colocation(op)
        container = op.attrs["container"].decode()
        self._signature = (container, shared_name or id(self._handle), where)
        graph.add_to_collections(CRITICAL_SECTIONS, self)

    @property
    def name(self) -> str:
        """The name of the operation that makes the mutex."""
        return self._handle.op.name

    def execute(
        self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None
    ) -> Any:
        """Build what `fn` builds so that it runs with the section's lock.

        What it uses from outside is computed before the lock is taken.

        Args:
          fn: takes nothing; returns tensors, operations or nested structures of them. Whatever it
            must have done when the lock is given back, these have to depend on.
          exclusive_resource_access: whether no other section may use the variables that it uses.

        Returns:
          what `fn` returns, each after all of it and after the lock was given back.

        Raises:
          ValueError: if `fn` enters the same section again, which would wait for itself; or if
            another section uses the same resources and one of both wants them for itself.
        """
        graph = get_default_graph()
        with name_scope(name, "critical_section_execute", []):
            with self._entered():
                lock = mutex_lock(self._handle)
                with graph._lock:  # no other thread's operations among these
                    before = len(graph.get_operations())
                    with graph.control_dependencies([lock]):
                        returned = fn()
                    created = graph.get_operations()[before:]
            _lock_after_arguments(lock.op, created)
            used = [t for op in created for t in op.inputs if t.dtype == dtypes.resource]
            used = list(dict.fromkeys(used))
            if any(map(self._is_own_handle, used)):
                raise self._nested()
            self._check_others(used, exclusive_resource_access)
            outputs = self._finish(returned, lock)
            graph.add_to_collections(
                CRITICAL_SECTION_EXECUTIONS,
                Execution(lock.op, self._handle, used, exclusive_resource_access),
            )
            return outputs

    def _finish(self, returned: Any, lock: Tensor) -> Any:
        """Give the lock back after all results; they can be had only then."""
        graph = get_default_graph()
        results = [_same(value) for value in nest.flatten(returned)]
        with graph.control_dependencies(results):
            with graph.colocate_with(self._handle.op):
                given_back = consume_mutex_lock(lock)
            gated = nest.pack_sequence_as(returned, together(nest.flatten(returned)))
        with graph.control_dependencies([given_back]):
            return nest.map_structure(_same, gated)

    @contextmanager
    def _entered(self) -> Iterator[None]:
        """Note that this thread builds inside the section."""
        entered = _local.__dict__.setdefault("entered", [])
        if self._signature in entered:
            raise self._nested()
        entered.append(self._signature)
        try:
            yield
        finally:
            entered.pop()

    def _nested(self) -> ValueError:
        return ValueError(
            f"Attempting to lock a CriticalSection (signature={self._signature}) in which we are "
            f"already running. This is illegal and may cause deadlocks. Build the inner part "
            f"without execute(): the lock is held already."
        )

    def _is_own_handle(self, handle: Tensor) -> bool:
        op, own = handle.op, self._handle.op
        return (
            op.type == "MutexV2"
            and bool(op.attrs["shared_name"])
            and op.attrs["shared_name"] == own.attrs["shared_name"]
            and (op.device == own.device or _colocation(op) == _colocation(own))
        )

    def _check_others(self, used: Iterable[Tensor], is_exclusive: bool) -> None:
        for other in get_default_graph().get_collection(CRITICAL_SECTION_EXECUTIONS):
            if self._is_own_handle(other.handle):
                continue
            if not (is_exclusive or other.exclusive_resource_access):
                continue
            both = [handle for handle in used if handle in other.resources]
            if both:
                raise ValueError(
                    f"This execution would access resources: {both}. Either this lock "
                    f"(CriticalSection: {self._handle}) or lock '{other}' (CriticalSection: "
                    f"{other.handle}) requested exclusive resource access of this resource. Did "
                    f"you mean to call execute with keyword argument "
                    f"exclusive_resource_access=False?"
                )


def _lock_after_arguments(lock: Operation, created: list[Operation]) -> None:
    """What the function uses from outside is there before the lock is taken: no deadlocks."""
    known = {*created, *lock.control_inputs, *(t.op for t in lock.inputs), lock}
    arguments = [op for new in created for op in (*(t.op for t in new.inputs), *new.control_inputs)]
    outside = [op for op in dict.fromkeys(arguments) if op not in known]
    if outside:
        lock._add_control_input(group(*outside))


def _same(value: Any) -> Any:
    if isinstance(value, TensorArray):
        return value.identity()
    return group(value) if isinstance(value, Operation) else identity(value)


def _colocation(op: Operation) -> Any:
    return op.attrs.get("_class")
