"""Steps whose waits can hold their thread: they stay straight-line code.

A kernel that has to wait returns a `Pending`, and an executor goes on with what else is ready. In
most steps with queues nothing else is: what follows a `dequeue` needs what it gives, and the rest
can run before it. If all operations of a step that may wait come one after the other like this,
the thread may as well wait in the middle of the code, and the step costs what its kernels cost.

    read -> decode -> enqueue          one chain: in line
    a.dequeue()      b.enqueue(x)      neither needs the other: if the first waited, the second,
                                       which may be what it waits for, would not run. An executor.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Sequence
from typing import Any

from tinytf.framework import waiting
from tinytf.framework.operation import Operation
from tinytf.framework.pending import Pending
from tinytf.framework.tensor import Tensor
from tinytf.framework.waiting import Blocked, Wait
from tinytf.runtime.frames import CONTROL_FLOW
from tinytf.runtime.step import Step


def in_line(
    ops: Sequence[Operation], may_wait: frozenset[Operation], fed: frozenset[Tensor]
) -> list[Operation] | None:
    """The operations of a step in an order in which every wait may hold the thread.

    Args:
      ops: producers first. may_wait: those that may have to wait. fed: tensors with given values.

    Returns:
      what needs no wait, then the first that may wait, then what needs only that, and so on;
      None if there is no such order, or nothing that waits.
    """
    if not may_wait or any(op.op_def.takes_functions for op in may_wait):
        return None
    waits_before: dict[Operation, int] = {}
    stages: list[tuple[int, int]] = []
    count = 0
    for number, op in enumerate(ops):
        if op.type in CONTROL_FLOW:
            return None
        needed = [t.op for t in op.inputs if t not in fed] + list(op.control_inputs)
        before = max((waits_before.get(other, 0) for other in needed), default=0)
        if op in may_wait:
            if before != count:
                return None  # it does not need the one that waited last
            count += 1
            stages.append((2 * before + 1, number))
            waits_before[op] = count
        else:
            stages.append((2 * before, number))
            waits_before[op] = before
    return [ops[number] for _, number in sorted(stages)]


class _Here:
    """The wait of a step in the middle of its code; a `waiting.Waiter`."""

    def __init__(self, pending: Pending, op: Operation, others: frozenset[str]):
        self._pending, self._op, self._others = pending, op, others

    def waits(self) -> list[Wait]:
        pending = self._pending
        if pending.done:
            return []  # it goes on, as soon as its thread does
        what = pending.waiting_for or "its result"
        return [Wait(what, pending.on, pending.needs, self._op)]

    def is_in_step(self, op: Operation) -> bool:
        return op.name in self._others


def waits_here(
    kernel: Callable[..., Any], op: Operation, wants_step: bool, others: frozenset[str]
) -> Callable[..., Any]:
    """A kernel that may wait as one that holds the thread until its value is there.

    Args:
      wants_step: whether it takes the step first; the result always does.
      others: the names of all operations of the step that may wait.
    """

    def run(step: Step, *inputs: Any) -> Any:
        result = kernel(step, *inputs) if wants_step else kernel(*inputs)
        if type(result) is Pending:
            return _wait(step, result, op, others)
        return result

    return run


def _wait(step: Step, pending: Pending, op: Operation, others: frozenset[str]) -> Any:
    """The value of a `Pending`; Ctrl-C and a cancellation withdraw it."""
    arrived: queue.SimpleQueue[Pending | None] = queue.SimpleQueue()
    blocked = Blocked(step.owner, _Here(pending, op, others), step.graph)
    try:
        with step.cancellation.on_cancel(lambda: arrived.put(None)):
            pending.when_done(arrived.put)
            while not pending.done and not step.cancellation.is_cancelled:
                with blocked:
                    try:
                        arrived.get(timeout=blocked.patience)
                    except queue.Empty:
                        if step.is_reported:
                            waiting.look_at(step.owner)
        if step.cancellation.is_cancelled:
            raise step.cancellation_error()
        return pending.get()
    except BaseException as error:
        step.cancellation.start_cancel(step.as_reason(error))  # queues give back what they promised
        raise
