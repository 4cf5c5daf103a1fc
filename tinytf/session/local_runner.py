"""What runs one signature in this process, again and again.

Plans are compiled when they are first needed: a plain one, and one whose nodes are watched, for a
trace or a deadline. Runs that its `Learner` wants to look at are measured; what it learns decides
what plans are compiled for.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import CancelledError
from tinytf.framework.rendezvous import Rendezvous
from tinytf.runtime import schedule
from tinytf.runtime.executor import run_plan
from tinytf.runtime.learning import SEQUENTIAL, Cost, Learner, Parallelism, proposals
from tinytf.runtime.plan import Plan
from tinytf.runtime.preparation import Signature
from tinytf.runtime.python_functions import functions_apart
from tinytf.runtime.step import Step
from tinytf.runtime.tracing import Trace
from tinytf.session.backend import Runner
from tinytf.session.results import finish, place_feeds
from tinytf.session.scheduled_runner import ScheduledRunner

if TYPE_CHECKING:
    from tinytf.session.local import LocalBackend

_NEVER = sys.maxsize


class Plans:
    """The plans of one signature, by whether their nodes are watched.

    Args:
      backend: whose session it is.
    """

    def __init__(self, backend: LocalBackend, signature: Signature):
        self._backend = backend
        self._signature = signature
        #: What they were compiled for, and they.
        self._plans: dict[bool, tuple[Parallelism, Plan]] = {}
        self._generation = backend.placer.generation
        self.learner = Learner() if backend.can_learn else None
        #: Operations that are units of their own, whatever is learned.
        self._apart: frozenset[str] = frozenset()
        #: The run that is looked at: one at a time. Not a lock: whoever is interrupted while
        #: taking that would not know whether it has it.
        self.looking: dict[str, object] = {}
        self.runs, self.next_look = 0, _NEVER

    def get(self, watched: bool) -> Plan:
        """The plan, compiled if need be."""
        placer = self._backend.placer
        if placer.by_cost is not None and placer.generation != self._generation:
            self._plans = {}
            self._generation = placer.generation
        how = SEQUENTIAL if self.learner is None else self.learner.parallelism
        found, plan = self._plans.get(watched, (None, None))
        if found is not how or plan is None:
            form = how
            if self._apart:
                form = replace(how, apart=how.apart | self._apart, side_by_side=True)
            plan = self._backend.compiled(self._signature, watched, parallelism=form, alone=True)
            self._plans[watched] = how, plan
        return plan

    def set_apart(self, names: frozenset[str]) -> None:
        """These operations are units of their own from now on."""
        if names:
            self._apart, self._plans = names, {}


def make_runner(backend: LocalBackend, signature: Signature) -> Runner:
    """A function that runs a signature; see `Backend.compile`."""
    timed = backend.config.operation_timeout_in_ms > 0
    placer = backend.placer
    plans = Plans(backend, signature)
    # A GPU runs one kernel at a time anyhow, and a plan that is dropped would leave its constants
    # in the memory of the GPU until the garbage collector comes.
    plan = plans.get(timed)
    if any(plan.is_stream):
        plans.learner = None
    elif backend.pools.of_step(None) is not None:
        plans.set_apart(functions_apart(plan.ops, plan.ops_in_loops()))
    learner = plans.learner
    if learner is not None:
        plans.next_look = learner.next_look
    scheduled = ScheduledRunner(backend, signature)

    def run(
        values: list[Any],
        options: Any,
        metadata: Any,
        cancellation: CancellationManager | None = None,
        rendezvous: Rendezvous | None = None,
    ) -> list[Any]:
        if schedule.active is not None and (turns := schedule.current()) is not None:
            return scheduled.run(turns, values, options, cancellation)
        plans.runs = runs = plans.runs + 1
        if runs >= plans.next_look and (options is None or _asks_for_nothing(options)):
            this = object()
            try:
                if plans.looking.setdefault("run", this) is this:
                    return _look(
                        backend, plans, runs, values, options, metadata, cancellation, rendezvous
                    )
            finally:
                if "run" in plans.looking and plans.looking["run"] is this:
                    assert learner is not None
                    plans.next_look = learner.next_look
                    del plans.looking["run"]
        trace, watched = None, timed
        if options is not None:
            if options.trace_level > 0 and metadata is not None:
                trace = Trace()
            watched = timed or trace is not None or options.timeout_in_ms > 0
        if placer.by_cost is not None and placer.is_measuring:
            trace, watched = trace or Trace(), True
        plan = plans.get(watched)
        if options is None and trace is None and not plan.needs_step:
            return _run_straight(backend, plan, values)
        results = backend.run_step(plan, values, options, metadata, trace, cancellation, rendezvous)
        if trace is not None and learner is not None and learner.knows_nothing:
            learner.taught(runs, _trials(backend, plan, trace))
            plans.next_look = learner.next_look
        return results

    run.__dict__["again"] = partial(_again, backend, plans)
    return run


def _again(backend: LocalBackend, plans: Plans, step: Step | None) -> Step | Literal[False] | None:
    """A run without feeds, options and results, in the context of the one before if it is given.

    Returns:
      the context, if it will do for the next one; else it is closed. False if nothing was run: this
      one is for the runner.
    """
    timed, by_cost = backend.config.operation_timeout_in_ms > 0, backend.placer.by_cost
    is_watched = timed or schedule.active is not None or by_cost is not None
    plan = plans.get(timed)
    is_plain = plan.straight is not None and plan.needs_step and not plan.holds_blas
    if is_watched or not is_plain or plans.runs + 1 >= plans.next_look:
        if step is not None:
            step.close()
        return False
    plans.runs += 1
    goes_on = False
    if step is None:
        step = backend.new_step(None)
    try:
        run_plan(plan, place_feeds(plan, []), step)
        step.cancellation.check()  # the session was closed meanwhile
        goes_on = step.begin_again()
    except CancelledError:
        raise  # it says itself by what
    except Exception:
        backend.check_open()  # a closed session's plans are empty
        raise
    finally:
        if not goes_on:
            step.close()
    return step if goes_on else None


def _run_straight(backend: LocalBackend, plan: Plan, values: list[Any]) -> list[Any]:
    """A run without a context: nothing in it can wait, or is watched."""
    try:
        results = finish(plan, run_plan(plan, place_feeds(plan, values), None))
    except Exception:
        backend.check_open()
        raise
    backend.check_open()  # it may have been closed meanwhile
    return results


def _asks_for_nothing(options: Any) -> bool:
    """Whether a `RunOptions` leaves a step as it is; it may choose a pool."""
    return not (options.trace_level or options.timeout_in_ms or options.output_partition_graphs)


def _look(
    backend: LocalBackend,
    plans: Plans,
    run: int,
    values: list[Any],
    options: Any,
    metadata: Any,
    cancellation: CancellationManager | None,
    rendezvous: Rendezvous | None,
) -> list[Any]:
    """A run that is measured: as a whole, or each of its nodes."""
    learner = plans.learner
    assert learner is not None
    if learner.wants_costs:
        trace, plan = Trace(), plans.get(watched=True)
        results = backend.run_step(plan, values, options, metadata, trace, cancellation, rendezvous)
        learner.learned(run, _trials(backend, plan, trace))
    else:
        plan = plans.get(watched=False)
        start = time.perf_counter()
        if plan.needs_step or options is not None:
            results = backend.run_step(
                plan, values, options, metadata, None, cancellation, rendezvous
            )
        else:
            results = _run_straight(backend, plan, values)
        learner.took(run, time.perf_counter() - start)
    return results


def _trials(backend: LocalBackend, plan: Plan, trace: Trace) -> list[Any]:
    costs: dict[str, Cost] = {}
    for event in trace.events:
        # What a function runs is a part of its call; a wait costs nobody anything.
        if event.name == event.op.name and event.op not in plan.may_wait:
            cost = costs.setdefault(event.name, Cost())
            cost.runs += 1
            cost.seconds += (event.end - event.start) * 1e-9
    pools = backend.pools
    inter_op = pools.of_step(None)
    return proposals(
        plan.ops,
        costs,
        1 if inter_op is None else inter_op.threads,
        pools.intra_op_pool_for(plan.ops),
        plan.ops_in_loops(),
    )
