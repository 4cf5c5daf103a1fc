"""What a step asks when its order is decided from outside: a seeded schedule.

While `active` is set, each `sess.run` on a thread that the schedule controls runs its pruned graph
one node at a time, unoptimised, on a `ScheduledExecutor`: the ordinary executor, except that it

    lets other threads go on before each node     schedule.turn()
    is told which of several ready nodes is next   schedule.choose(count)
    says what it does                              schedule.note(...)
    waits in a way that the schedule knows of      schedule.inbox()

The schedule itself is `tinytf.testing.schedules`: which threads there are, and whose turn it is.
Without one, a step pays for a look at `active`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from tinytf.framework import waiting
from tinytf.framework.operation import Operation
from tinytf.runtime.executor import Executor
from tinytf.runtime.iterations import Iteration, Ready
from tinytf.runtime.plan import Plan, Unit
from tinytf.runtime.step import Step


class Note(Protocol):
    """One line of the schedule's trace."""

    #: what came of it: "3", for a number
    result: str


class Schedule(Protocol):
    """Decides whose turn it is; called on the threads that it controls."""

    def controls_this_thread(self) -> bool:
        """Whether the calling thread waits for its turns."""

    def turn(self) -> None:
        """Another thread may go on here; returns when it is this one's turn again."""

    def choose(self, count: int) -> int:
        """Which of `count` ready nodes is next."""

    def note(self, what: str, op: Operation | None = None) -> Note:
        """This thread does something now: for the trace."""

    def waiting(
        self, what: Callable[[], str], op: Callable[[], Operation | None]
    ) -> AbstractContextManager[None]:
        """If this thread waits inside of the block, it is for this; asked when it waits."""

    def inbox(self) -> Any:
        """A queue like `queue.SimpleQueue`, whose `get` waits as the schedule says."""


#: The schedule that is running; None nearly always.
active: Schedule | None = None


def current() -> Schedule | None:
    """The schedule that controls the calling thread, or None."""
    return active if active is not None and active.controls_this_thread() else None


class ScheduledExecutor(Executor):
    """One running step, or function, of which a schedule decides the order.

    Args:
      schedule: whom to ask. plan: compiled node by node. The others: as for `Executor`.
    """

    def __init__(
        self,
        schedule: Schedule,
        plan: Plan,
        step: Step,
        values: list[Any] | None = None,
        caller: Executor | None = None,
    ):
        super().__init__(
            plan, step, values, None, lambda ready: schedule.choose(len(ready)), caller
        )
        self._schedule = schedule
        self._is_whole_step = caller is None
        if caller is None:
            self._posted = schedule.inbox()

    _is_looked_at = False

    def for_body(self, plan: Plan, values: list[Any]) -> Executor:
        return ScheduledExecutor(self._schedule, plan, self._step, values, self)

    def _next(self) -> Ready:
        self._schedule.turn()
        if self._is_whole_step:  # what has come meanwhile is as ready as the rest
            while not self._posted.empty():
                super()._wait(None)
        return super()._next()

    def _process(self, unit: Unit, iteration: Iteration, dead: bool) -> None:
        where = ""
        if iteration.frame.parent is not None:
            where = f", iteration {iteration.index}"
        text = f"{describe(unit)}{where}{': dead, does not run' if dead else ''}"
        self._note = self._schedule.note(text, unit.ops[-1] if unit.ops else None)
        super()._process(unit, iteration, dead)

    def _done(self, unit: Unit, iteration: Iteration, results: Any, dead: bool) -> None:
        self._note.result = _short(results)
        super()._done(unit, iteration, results, dead)

    def _arrived(self, unit: Unit, iteration: Iteration, pending: Any) -> None:
        self._note = self._schedule.note(f"{describe(unit)} has what it waited for", unit.op)
        super()._arrived(unit, iteration, pending)

    def _wait(self, deadline: float | None) -> None:
        def op() -> Operation | None:
            return next((unit.op for unit in self._pending.values()), None)

        with self._schedule.waiting(self._what_for, op):
            super()._wait(deadline)

    def _what_for(self) -> str:
        return "; ".join(
            f"while {waiting.describe(wait)}"
            if wait.caller or wait.op is None
            else f"for {wait.what}, in {wait.op.name} ({wait.op.type})"
            for wait in self.waits()
        )


def describe(unit: Unit) -> str:
    """A unit as the trace names it."""
    if not unit.ops:
        return "a feed"
    name = f"{unit.ops[-1].name} ({unit.ops[-1].type})"
    return name if len(unit.ops) == 1 else f"{unit.ops[0].name} ... {name}"


def _short(results: Any) -> str:
    """The value of a single number; nothing for anything else."""
    if not isinstance(results, tuple) or len(results) != 1:
        return ""
    value = results[0]
    if not isinstance(value, np.ndarray | np.generic) or np.size(value) != 1:
        return ""
    item = np.asarray(value).reshape(-1)[0]
    kind = getattr(getattr(item, "dtype", None), "kind", "")  # a string's is plain bytes
    return str(item.item())[:24] if kind and kind in "biuf" else ""
