"""Calls of functions: their bodies are plans like any other, run inside the step of the caller.

    step.call(f, arguments) --> FunctionPlans.call: the plan of f's body, compiled at the first call
        one segment          run at once, as straight-line code
        anything else        an Executor of its own, on the caller's thread, which posts to the
                             caller's queue; if it has to wait, the call returns a Pending

So a call that waits (for a queue, say) holds up nobody: the caller's executor goes on with what
else is ready, and resumes the body when the wait is over. Dead arguments make the call dead, since
it is a node like others. An operation with effects runs though no result needs it.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import InvalidArgumentError, OpError, with_operation
from tinytf.framework.function_library import Body, Function, in_function
from tinytf.framework.pending import Pending
from tinytf.runtime.executor import Executor, failure, run_plan
from tinytf.runtime.plan import Plan
from tinytf.runtime.step import Step

#: What `FunctionPlans.prepare` returns: (arguments, cancellation) to results.
PreparedCall = Callable[[Sequence[Any], CancellationManager | None], Sequence[Any]]
#: How deep calls may nest: a function that calls itself without end is found out.
MAX_DEPTH = 100


class FunctionPlans:
    """The compiled bodies of functions, for one session; see `FunctionRunner`.

    Args:
      resources: the session's state.
      compile_body: makes the plan of a body, given whether its nodes are watched, resources, and
        whether all of it is to be on the host.
    """

    def __init__(self, resources: Any, compile_body: Callable[[Body, bool, Any, bool], Plan]):
        self._resources = resources
        self._compile = compile_body
        self._lock = threading.Lock()
        #: by whether their nodes are watched, for a trace or a deadline; a function whose nodes
        #: own something has a plan for each way to it
        self._plans: dict[bool, dict[Any, Plan]] = {False: {}, True: {}}
        #: Those of functions that `prepare` got.
        self._host_plans: dict[Function, Plan] = {}

    def clear(self) -> None:
        """Forget all plans, and the constants they have on devices."""
        with self._lock:
            self._plans = {False: {}, True: {}}
            self._host_plans = {}

    def call(self, step: Step, function: Function, arguments: Sequence[Any], name: str) -> Any:
        """See `StepContext.call`."""
        if step.depth >= MAX_DEPTH:
            raise InvalidArgumentError(
                f"Calls nest more than {MAX_DEPTH} deep: does '{function.name}' call "
                f"itself without end?"
            )
        outer = step.scope
        watched = step.trace is not None or step.deadline is not None
        step.depth += 1
        try:
            if watched or function.has_own_state():
                step.scope = f"{outer}{name or function.name}/"
                plan = self._plan(function, watched, step.scope)
            else:
                plan = self._plans[False].get(function) or self._plan(function, False, "")
            values = _place(plan, function, arguments)
            if plan.straight is None:
                return self._start(plan, step, function, values)
            for segment in plan.straight:
                if step.cancellation.is_cancelled:
                    raise step.cancellation_error()
                try:
                    segment.function(step, values)
                except Exception as error:
                    raise failure(error, segment.failed_op(error.__traceback__)) from None
            return _results(plan, values)
        except OpError as error:
            raise in_function(error, function) from None
        finally:
            step.depth -= 1
            step.scope = outer

    def _start(self, plan: Plan, step: Step, function: Function, values: list[Any]) -> Any:
        if step.executor is None:  # nothing else is going on: it may wait here
            executor = Executor(plan, step, values)
            executor.run()
        else:
            executor = step.executor.for_body(plan, values)
        try:
            if executor.advance():
                executor.end()
                return _results(plan, executor.values)
        except BaseException:
            executor.end()
            raise
        executor.finished = Pending()
        executor.scope = step.scope
        returned = Pending(function.name, executor)

        def finish(done: Pending) -> None:
            try:
                done.get()
                returned.set_result(_results(plan, executor.values))
            except OpError as error:
                returned.set_error(in_function(error, function))
            except Exception as error:
                returned.set_error(error)
            finally:
                executor.end()

        executor.finished.when_done(finish)
        return returned

    def run(
        self,
        function: Function,
        arguments: Sequence[Any],
        cancellation: CancellationManager | None = None,
        name: str = "",
    ) -> list[Any]:
        """See `FunctionRunner.run`."""
        scope = f"{name}/" if name and function.has_own_state() else ""
        plan = self._plan(function, False, scope)
        values = _place(plan, function, arguments)
        step = None
        if plan.needs_step or cancellation is not None:
            step = Step(self._resources, function.body.graph, cancellation, functions=self)
            step.scope = scope
        try:
            return _results(plan, run_plan(plan, values, step))
        except OpError as error:
            raise in_function(error, function) from None
        finally:
            if step is not None:
                step.close()

    def prepare(self, function: Function) -> PreparedCall:
        """See `FunctionRunner.prepare`."""
        if function.has_own_state():
            plan = self._compile(function.body, False, self._resources.apart(), True)
        else:
            plan = self._host_plan(function)
        is_simple = plan.straight is not None and len(plan.straight) == 1 and not plan.needs_step
        if is_simple and all(fetch.take is None for fetch in plan.fetches):
            return _prepared(plan, function)

        def call(arguments: Sequence[Any], cancellation: CancellationManager | None) -> list[Any]:
            values = _place(plan, function, arguments)
            step = Step(self._resources, function.body.graph, cancellation, functions=self)
            try:
                return _results(plan, run_plan(plan, values, step))
            except OpError as error:
                raise in_function(error, function) from None
            finally:
                step.close()

        return call

    def _host_plan(self, function: Function) -> Plan:
        plan = self._host_plans.get(function)
        if plan is None:
            plan = self._compile(function.body, False, self._resources, True)
            with self._lock:
                plan = self._host_plans.setdefault(function, plan)
        return plan

    def _plan(self, function: Function, watched: bool, scope: str) -> Plan:
        own = function.has_own_state()
        key: Any = (function, scope) if own else function
        plan = self._plans[watched].get(key)
        if plan is None:
            resources = self._resources.in_call(scope) if own else self._resources
            plan = self._compile(function.body, watched, resources, False)
            with self._lock:
                plan = self._plans[watched].setdefault(key, plan)
        return plan


def _prepared(plan: Plan, function: Function) -> PreparedCall:
    """A call of a plan that is one segment which knows of no step: nothing but its code."""
    template, slots = plan.root.values, plan.feed_slots
    segment = (plan.straight or [])[0]
    run, results = segment.function, _taker([fetch.slot for fetch in plan.fetches])
    used = [(slot, index) for index, slot in enumerate(slots) if slot >= 0]
    count = len(slots)

    def call(arguments: Sequence[Any], cancellation: CancellationManager | None) -> Sequence[Any]:
        if len(arguments) != count:
            _place(plan, function, arguments)  # says what is wrong
        values = template.copy()
        for slot, index in used:
            values[slot] = arguments[index]
        try:
            run(None, values)
        except Exception as error:
            known = failure(error, segment.failed_op(error.__traceback__))
            if isinstance(known, OpError):
                known = in_function(known, function)
            raise known from None
        return results(values)

    return call


def _taker(slots: list[int]) -> Callable[[list[Any]], tuple[Any, ...]]:
    """A function that takes the values of these slots out of all."""
    if len(slots) > 1:
        return operator.itemgetter(*slots)
    if not slots:
        return lambda values: ()
    slot = slots[0]
    return lambda values: (values[slot],)


def _place(plan: Plan, function: Function, arguments: Sequence[Any]) -> list[Any]:
    slots = plan.feed_slots
    if len(arguments) != len(slots):
        raise InvalidArgumentError(
            f"Function '{function.name}': Expects {len(slots)} arguments, "
            f"but {len(arguments)} is provided"
        )
    values = plan.root.values.copy()
    for slot, value in zip(slots, arguments):
        if slot >= 0:
            values[slot] = value
    return values


def _results(plan: Plan, values: list[Any]) -> list[Any]:
    results: list[Any] = []
    for fetch in plan.fetches:
        value = values[fetch.slot]
        if value is None:
            raise InvalidArgumentError(
                f"Retval[{len(results)}] does not have value: "
                f"{fetch.tensor.name} lies on a path that was not taken.\n"
                f"{fetch.tensor.op.describe_origin()}",
                fetch.tensor.op,
            )
        if fetch.take is not None:
            try:
                value = fetch.take(value)
            except OpError as error:
                raise with_operation(error, fetch.tensor.op) from None
        results.append(value)
    values.clear()  # iterations and their frame know each other: only the collector frees them
    return results
