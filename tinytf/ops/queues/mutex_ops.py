"""The op types of critical sections. Mirrors tensorflow/core/kernels/mutex_ops.cc."""

from __future__ import annotations

from typing import Any

from tinytf.framework import shape_inference
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.ops.base.resource_cards import WHERE
from tinytf.resources.handles import behind
from tinytf.resources.mutex import Mutex, MutexLock

_STATE = "a mutex is state"

# MutexV2 ------------------------------------------------------------------------------------------

mutex_v2 = define_op(
    "MutexV2",
    "-> resource: resource",
    WHERE,
    stateful=True,
    shape=shape_inference.is_scalar,
    no_gradient=_STATE,
)


@mutex_v2.kernel
def _mutex(*, container: bytes, shared_name: bytes, node: Any, resources: Any) -> Mutex:
    if not shared_name:
        return resources.of_node(node.name, Mutex, lambda: Mutex(node.name), container.decode())
    name = shared_name.decode()
    return resources.lookup_or_create(container.decode(), name, Mutex, lambda: Mutex(name))


# MutexLock ----------------------------------------------------------------------------------------

mutex_lock = define_op(
    "MutexLock",
    "mutex: resource -> mutex_lock: variant",
    stateful=True,
    shape=shape_inference.is_scalar,
    no_gradient=_STATE,
)


@mutex_lock.kernel(blocking=True)
def _lock(step: Any, mutex: Any, *, node: Any) -> Any:
    found = behind(mutex)
    if not isinstance(found, Mutex):
        raise invalid(f"The handle is not that of a mutex: {found!r}")
    return found.lock(step, node.name)


# ConsumeMutexLock ---------------------------------------------------------------------------------

consume_mutex_lock = define_op(
    "ConsumeMutexLock",
    "mutex_lock: variant",
    stateful=True,
    shape=shape_inference.no_outputs,
    no_gradient=_STATE,
)


@consume_mutex_lock.kernel
def _consume(mutex_lock: Any) -> tuple[()]:
    if not isinstance(mutex_lock, MutexLock):
        raise invalid(
            f"Expected input to be the lock of a mutex (from MutexLock), but it is {mutex_lock!r}"
        )
    mutex_lock.release()
    return ()
