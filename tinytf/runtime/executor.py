"""The executor: runs a plan.

A plan that is one segment is just called. Anything else goes through a ready queue: take a unit,
run it, tell `Propagation`, append what has become ready. The thread that called `sess.run` drains
the queue; kernels that have to wait return a `Pending` and come back through `_posted`, where the
thread waits, interruptibly, when nothing else is ready.

Who may block: only `Executor.run`, in `_wait`. Completing a `Pending` from another thread appends
to `_posted` and does nothing else. A function that a kernel calls has an executor of its own
(`function_calls`), which posts to the same queue: all of a step runs on the one thread. Abort: the
first error, a cancellation or a passed deadline ends the step; whatever is pending is told through
the step's cancellation manager.
"""

from __future__ import annotations

import contextlib
import os
import queue
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tinytf.framework import waiting
from tinytf.framework.cancellation import remaining, this_thread
from tinytf.framework.errors import DeadlineExceededError, InternalError, OpError, with_operation
from tinytf.framework.operation import Operation
from tinytf.framework.pending import Pending
from tinytf.framework.rendezvous import DEAD
from tinytf.framework.tensor_value import truth
from tinytf.framework.waiting import Blocked, Wait
from tinytf.resources.variable import Variable
from tinytf.runtime.iterations import Iteration, Propagation, Ready
from tinytf.runtime.plan import Kind, Plan, Unit
from tinytf.runtime.step import Step

if TYPE_CHECKING:
    from tinytf.runtime.pools import Helpers


class Observer(Protocol):
    """Told what the executor does, in order, on the executing thread. For instruments."""

    def started(self, propagation: Propagation, ready: list[Ready]) -> None:
        """The step begins; `ready` are the units that wait for nothing."""

    def running(self, unit: Unit, iteration: Iteration, dead: bool) -> None:
        """A unit was taken from the queue."""

    def finished(
        self, unit: Unit, iteration: Iteration, results: Any, dead: bool, ready: list[Ready]
    ) -> None:
        """A unit is done, and `ready` have become ready."""


def run_plan(
    plan: Plan, values: list[Any], step: Step | None, helpers: Helpers | None = None
) -> list[Any]:
    """Run a plan to its end.

    Args:
      plan: compiled by `compile_plan`.
      values: the root frame's values with the feeds in place; changed by the call.
      step: the step context; may be None if `plan.straight` and not `plan.needs_step`.
      helpers: other threads, for plans with several devices or expensive operations.

    Returns:
      the values, of which the plan's fetches tell the slots.

    Raises:
      OpError: what the first failing kernel raised, with its operation.
    """
    if plan.may_wait and step is not None:
        if plan.runs is None:
            plan.runs = waiting.runs_of(step.graph, plan.may_wait)
        waiting.note_run(plan.runs)
    before = None if step is None else this_thread.under(step)
    try:
        if plan.straight is None:
            return _run_units(plan, values, step, helpers)
        with np.errstate(all="ignore"):
            for segment in plan.straight:
                if step is not None:
                    step.check(segment.ops[0])
                    step.began(segment.ops[0])
                try:
                    segment.function(step, values)
                except Exception as error:
                    raise failure(error, segment.failed_op(error.__traceback__)) from None
        return values
    except Exception as error:
        if plan.runs:
            waiting.note_failure(plan.runs, error)
        values.clear()
        let_go(error)
        raise
    finally:
        if step is not None:
            this_thread.manager = before


def run_observed(executor: Executor) -> list[Any]:
    """The same for a step that is watched; its values."""
    try:
        executor.run()
    except Exception as error:
        executor.values.clear()
        let_go(error)
        raise
    finally:
        executor.end()
    return executor.values


def _run_units(
    plan: Plan, values: list[Any], step: Step | None, helpers: Helpers | None
) -> list[Any]:
    if step is None:
        raise InternalError("A plan with barriers needs a step context")
    executor: Executor
    if helpers is not None and plan.is_parallel:
        from tinytf.runtime.parallel_executor import ParallelExecutor

        executor = ParallelExecutor(plan, step, values, helpers)
    else:
        executor = Executor(plan, step, values)
    try:
        executor.run()
    finally:
        executor.end()
    return executor.values


def let_go(error: BaseException | None) -> None:
    """Free what a failed step was working on, though its error is kept.

    A traceback keeps the local variables of every function it shows, and a notebook keeps the last
    error: without this the tensors of a step that ran out of memory would stay until the next one.
    Functions of the user keep theirs.
    """
    while error is not None:
        traceback = error.__traceback__
        while traceback is not None:
            frame = traceback.tb_frame
            if frame.f_code.co_filename.startswith((_PACKAGE, "<tinytf")):
                with contextlib.suppress(RuntimeError):  # it is still running
                    frame.clear()
            traceback = traceback.tb_next
        error = error.__cause__ or error.__context__


_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def failure(error: Exception, op: Operation | None) -> Exception:
    """The error a user sees for an exception in the kernel of `op`."""
    return error if op is None else with_operation(error, op)


#: A wait that is over: the executor it belongs to, and what waited.
Posted = tuple["Executor", Unit, Iteration, Pending]


class Executor:
    """One running step.

    Args:
      plan: what to run. step: its context (cancellation, deadline).
      values: the root frame's values, feeds in place; None: only constants.
      observer: told about every unit.
      choose: picks the next of several ready units, by index; default: the oldest.
      caller: the executor of the step, if this one runs the body of a function in it.
    """

    def __init__(
        self,
        plan: Plan,
        step: Step,
        values: list[Any] | None = None,
        observer: Observer | None = None,
        choose: Callable[[list[Ready]], int] | None = None,
        caller: Executor | None = None,
    ):
        self._plan = plan
        self._step = step
        self._propagation = Propagation(plan)
        self._root = self._propagation.root.iterations[0]
        if values is not None:
            self._root.values = values
        self._observer = observer
        self._choose = choose
        self._ready: deque[Ready] = deque()
        #: completed waits; None wakes the thread up. Thread-safe.
        self._posted: queue.SimpleQueue[Posted | None] = (
            queue.SimpleQueue() if caller is None else caller._posted
        )
        #: Of a function: what its caller waits for.
        self.finished: Pending | None = None
        self.scope = ""
        self._pending: dict[Pending, Unit] = {}
        self._is_traced = step.trace is not None
        #: With a trace: since when units are ready, and when those that wait began.
        self._ready_since: dict[tuple[Unit, Iteration], int] = {}
        self._waits_since: dict[Pending, tuple[int, int | None]] = {}
        self._started = False
        self._blocked: Blocked | None = None

    #: Whether a wait that lasts is looked at; where schedules are explored, time does not pass.
    _is_looked_at = True

    @property
    def values(self) -> list[Any]:
        """The values of the root frame, by slot."""
        return self._root.values

    def for_body(self, plan: Plan, values: list[Any]) -> Executor:
        """An executor for the body of a function that this one's step calls."""
        return Executor(plan, self._step, values, caller=self)

    def end(self) -> None:
        """No more will be run; `values` stay."""
        self._propagation.end()

    def feed(self, unit: Unit, value: Any) -> None:
        """In a partial run: supply a fed value."""
        self._ready.extend(self._propagation.feed_arrived(unit, value))

    def run(self) -> None:
        """Run until nothing is ready and nothing is waited for."""
        cancellation, wake = self._step.cancellation, lambda: self._posted.put(None)
        self._step.executor = self
        try:
            with cancellation.on_cancel(wake), np.errstate(all="ignore"):
                while not self.advance():
                    self._wait(self._step.deadline)
        except BaseException as error:
            if self._step.cancellation.is_cancelled and isinstance(error, Exception):
                # What fails after it, fails because of it: a closed session has no variables.
                raise self._step.cancellation_error() from None
            # Withdraw everything that still waits: queues give back what they promised.
            self._step.cancellation.start_cancel(self._step.as_reason(error))
            raise

    def advance(self) -> bool:
        """Run whatever is ready; returns whether everything is done, so that nothing is waited for.

        Call it on the thread of the step only.
        """
        if not self._started:
            self._started = True
            self._ready.extend(self._propagation.start())
            if self._is_traced:
                self._note_ready(self._ready)
            if self._observer is not None:
                self._observer.started(self._propagation, list(self._ready))
        ready, step = self._ready, self._step
        manager, deadline = step.cancellation, step.deadline
        while True:
            if manager.is_cancelled:
                raise step.cancellation_error()
            if deadline is not None and time.monotonic() >= deadline:
                raise self._deadline_exceeded(ready)
            if not ready:
                return not self._pending
            self._process(*self._next())

    def _next(self) -> Ready:
        if self._choose is None:
            return self._ready.popleft()
        index = self._choose(list(self._ready))
        chosen = self._ready[index]
        del self._ready[index]
        return chosen

    def _process(self, unit: Unit, iteration: Iteration, dead: bool) -> None:
        if self._observer is not None:
            self._observer.running(unit, iteration, dead)
        results = (
            None if dead and unit.kind is not Kind.SEND else self._execute(unit, iteration, dead)
        )
        if results is DEAD:
            results, dead = None, True
        if isinstance(results, Pending):
            self._pending[results] = unit
            results.when_done(lambda pending: self._posted.put((self, unit, iteration, pending)))
        else:
            self._done(unit, iteration, results, dead)

    def _done(self, unit: Unit, iteration: Iteration, results: Any, dead: bool) -> None:
        newly = self._propagation.done(unit, iteration, results, dead)
        self._ready.extend(newly)
        if self._is_traced:
            self._note_ready(newly)
        if self._observer is not None:
            self._observer.finished(unit, iteration, results, dead, newly)

    def _note_ready(self, ready: Iterable[Ready]) -> None:
        now = time.perf_counter_ns()
        self._ready_since.update(((unit, where), now) for unit, where, _ in ready)

    def _wait(self, deadline: float | None) -> None:
        step = self._step
        step.running = None
        blocked = self._blocked
        if blocked is None:
            blocked = self._blocked = Blocked(step.owner, self, step.graph, deadline)
        left = remaining(deadline)
        limit = blocked.patience if self._is_looked_at else left
        is_last = left is not None and (limit is None or left <= limit)
        with blocked:
            try:
                posted = self._posted.get(timeout=left if is_last else limit)
            except queue.Empty:
                if step.is_reported and not is_last:
                    waiting.look_at(step.owner)  # it has lasted: can anybody end it?
                return  # else it is the deadline: the loop reports it
        self._blocked = None
        if posted is None:
            return  # a cancellation: likewise
        executor, unit, iteration, pending = posted
        if executor is self:
            self._arrived(unit, iteration, pending)
        else:
            executor._go_on(unit, iteration, pending)

    def _go_on(self, unit: Unit, iteration: Iteration, pending: Pending) -> None:
        """In a function: a wait is over, so more of the body can run; then tell the caller."""
        if self.finished is None or self.finished.done:
            return  # the body has failed meanwhile, and its caller knows
        self._step.scope = self.scope
        try:
            self._arrived(unit, iteration, pending)
            if self.advance():
                self.finished.set_result(None)
        except Exception as error:
            self.finished.set_error(error)
        finally:
            self._step.scope = ""

    def _arrived(self, unit: Unit, iteration: Iteration, pending: Pending) -> None:
        del self._pending[pending]
        results: Any = None
        try:
            results = pending.get()
            if results is not DEAD:
                results = _as_results(unit, results)
        except Exception as error:
            raise failure(error, unit.op) from None
        finally:
            if self._is_traced:
                self._trace(unit, iteration, *self._waits_since.pop(pending), results)
        is_dead = results is DEAD
        self._done(unit, iteration, None if is_dead else results, is_dead)

    def waits(self) -> list[Wait]:
        """See `waiting.Waiter`."""
        waits = list[Wait]()
        for pending, unit in self._pending.copy().items():
            if pending.done:
                return []  # it goes on, as soon as its thread does
            if isinstance(pending.on, Executor):  # a function: what its body waits for
                where = f"{unit.op.name} ({unit.op.type}) waits for {pending.waiting_for}: "
                inside = pending.on.waits()
                if not inside:
                    return []
                waits += [replace(wait, caller=where + wait.caller) for wait in inside]
            else:
                what = pending.waiting_for or "its result"
                waits.append(Wait(what, pending.on, pending.needs, unit.op))
        return waits

    def is_in_step(self, op: Operation) -> bool:
        """See `waiting.Waiter`."""
        return any(op.name == other.name for other in self._plan.may_wait)

    def _deadline_exceeded(self, ready: deque[Ready]) -> OpError:
        if not self._pending and ready and ready[0][0].feed is None:
            return self._still_running(*ready[0])
        waits = self.waits()
        op = next((unit.op for unit in self._pending.copy().values()), None)
        text = "Timed out waiting for notification that the step has finished"
        if op is not None:
            what = "; ".join(map(waiting.describe, waits)) or f"{op.name} ({op.type})"
            text += f": {what}\n\t [[{{{{node {op.name}}}}}]]"
            inside = [wait.op for wait in waits if wait.op is not None]  # of functions: their nodes
            for each in list(dict.fromkeys([op, *inside]))[:4]:
                text += f"\n{each.describe_origin()}"
        return DeadlineExceededError(text, op)

    def _still_running(self, unit: Unit, iteration: Iteration, dead: bool) -> OpError:
        loop = ""
        if iteration.frame.parent is not None:
            loop = f", in iteration {iteration.index} of the loop {iteration.frame.name}"
        return self._step.time_is_up(unit.op, loop)

    # One unit -----------------------------------------------------------------------------------

    def _execute(self, unit: Unit, iteration: Iteration, dead: bool = False) -> Any:
        """Run a unit: None for a segment, output values for a barrier, a Pending, or `DEAD`.

        Of what is dead only Sends run: who receives it has to know.
        """
        if self._step.deadline is not None and unit.ops:
            self._step.began(unit.ops[0])
        if unit.kind is Kind.SEGMENT or unit.kind is Kind.LOOP:
            self._run_segment(unit, iteration.values)
            return None
        if self._is_traced:
            return self._execute_traced(unit, iteration, dead)
        try:
            return self._run_barrier(unit, iteration, dead)
        except Exception as error:
            raise failure(error, unit.op) from None

    def _execute_traced(self, unit: Unit, iteration: Iteration, dead: bool) -> Any:
        start, results = time.perf_counter_ns(), None
        try:
            results = self._run_barrier(unit, iteration, dead)
            return results
        except Exception as error:
            raise failure(error, unit.op) from None
        finally:
            scheduled = self._ready_since.pop((unit, iteration), None)
            if isinstance(results, Pending):
                self._waits_since[results] = start, scheduled
            else:
                self._trace(unit, iteration, start, scheduled, results)

    def _trace(
        self, unit: Unit, iteration: Iteration, start: int, scheduled: int | None, results: Any
    ) -> None:
        trace, scope, end = self._step.trace, self._step.scope_of(unit.op), time.perf_counter_ns()
        trace.add(unit.op, start, end, scope, results, scheduled, iteration.numbers)

    def _run_segment(self, unit: Unit, values: list[Any]) -> None:
        for segment in unit.functions:
            try:
                segment.function(self._step, values)
            except Exception as error:
                raise failure(error, segment.failed_op(error.__traceback__)) from None

    def _run_barrier(self, unit: Unit, iteration: Iteration, dead: bool) -> Any:
        if unit.kind is Kind.RECV:
            return self._receive(unit, iteration)
        if dead:
            return self._send(unit, iteration, DEAD)
        values = iteration.values
        if unit.kind is Kind.MERGE:
            chosen = iteration.arrived[unit.index]
            argument = unit.arguments[chosen]
            value = argument.constant if argument.slot < 0 else values[argument.slot]
            return value if argument.take is None else argument.take(value), np.int32(chosen)
        arguments = []
        for argument in unit.arguments:
            value = argument.constant if argument.slot < 0 else values[argument.slot]
            arguments.append(value if argument.take is None else argument.take(value))
        if unit.kind is Kind.SEND:
            return self._send(unit, iteration, arguments[0])
        if unit.kind is Kind.SWITCH:
            return arguments[0], 1 if truth(arguments[1]) else 0
        if unit.kind is not Kind.NODE:  # Enter, Exit, NextIteration: the value as it is
            return (arguments[0],)
        if unit.kernel is None:
            raise InternalError(f"{unit.op.name} was compiled without a kernel", unit.op)
        result = unit.kernel(self._step, *arguments) if unit.wants_step else unit.kernel(*arguments)
        return result if isinstance(result, Pending) else _as_results(unit, result)

    def _send(self, unit: Unit, iteration: Iteration, value: Any) -> Any:
        rendezvous = self._step.meeting_place(unit.op)
        rendezvous.send(unit.key + iteration.key, value, unit.op.attrs["T"])
        return DEAD if value is DEAD else ()

    def _receive(self, unit: Unit, iteration: Iteration) -> Any:
        step = self._step
        rendezvous = step.meeting_place(unit.op)
        result = rendezvous.receive(unit.key + iteration.key, step.cancellation)
        return result if result is DEAD or isinstance(result, Pending) else (result,)


def _as_results(unit: Unit, result: Any) -> Any:
    if unit.single:
        return (result,)
    return result if unit.results else ()


def read(value: Any) -> Any:
    """The value behind a reference, for fetches of reference tensors."""
    return value.read() if isinstance(value, Variable) else value
