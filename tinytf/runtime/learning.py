"""What is expensive, learned from measured costs: which operations get threads of their own.

Running a step on several threads costs something, too: units that run alone are scheduled, and
handed from thread to thread. So every signature begins as straight-line code on one thread. Its
first runs are timed as a whole; a step long enough to be worth it is measured once, node by node,
and then compiled anew in up to two ways: with the expensive kernels splitting their work over the
intra-op pool, and with the expensive operations as units of their own besides, which run side by
side. Each is tried for a few runs, and the fastest stays. Whichever runs gives the same values, to
the last bit. Steps that take less than a few hundred microseconds never pay for any of this.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tinytf.framework.operation import Operation

if TYPE_CHECKING:
    from tinytf.kernels.sharding import ShardPool

#: A step that takes less is left as it is.
WORTH_LEARNING = 300e-6
#: An operation that takes less is never a unit of its own, nor are its kernels split.
EXPENSIVE = 100e-6
#: The iteration of a loop must take so long before its operations are scheduled one by one.
EXPENSIVE_IN_LOOP = 500e-6
#: What must be saved, as a part of the step, for another form of the plan to be tried, or kept.
_WORTH_TRYING, _WORTH_KEEPING = 0.10, 0.03
#: How well a split kernel uses further threads.
_SHARDED_EFFICIENCY = 0.8
#: What scheduling a unit of its own costs.
_UNIT_COST = 10e-6
#: Runs for which a form of the plan is tried; the first warms up. Runs until the first look, and
#: between looks afterwards.
_TRIAL, _FIRST_LOOK, _NEXT_LOOK = 5, 1, 200
#: So many runs after the first trials all is tried again; then after twice as many, and so on.
_AGAIN = 25
#: A step that takes so long is learned at once: nothing else on the machine makes a step of it, and
#: nobody wants to wait for ten of them. Its trials have as many runs.
_LONG, _LONG_TRIAL = 20e-3, 3
#: Between these shares of the time it took when it was learned, a step is as it was.
_AS_BEFORE = (0.5, 1.5)
#: How many looks in a row must find it otherwise.
_SURPRISES = 2


@dataclass(frozen=True, slots=True)
class Parallelism:
    """What a plan is compiled for.

    Attributes:
      costs: seconds for each operation, by name, of those that ran; empty if nothing is known.
      apart: operations that are units of their own.
      apart_in_loops: those in loops, whose loops are not compiled as one piece of code, so that
        several iterations may be under way at once.
      sharded: operations whose kernels split their work over `pool`.
      side_by_side: whether several threads run units of one device at once.
    """

    costs: Mapping[str, float] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()
    apart_in_loops: frozenset[str] = frozenset()
    sharded: frozenset[str] = frozenset()
    pool: ShardPool | None = None
    side_by_side: bool = False


SEQUENTIAL = Parallelism()


@dataclass(slots=True)
class Cost:
    """Of one operation in one step: how often it ran, and how many seconds that took in all."""

    runs: int = 0
    seconds: float = 0.0


def proposals(
    ops: Sequence[Operation],
    costs: Mapping[str, Cost],
    threads: int,
    pool: ShardPool | None,
    in_loops: frozenset[Operation] = frozenset(),
) -> list[Parallelism]:
    """Forms of a plan that may be faster than one thread, by estimate.

    Args:
      ops: of the plan, producers first. costs: of those that ran, by name.
      threads: of the inter-op pool. pool: for shards; None if kernels may not split.
      in_loops: operations inside of loops.
    """
    seconds = {name: cost.seconds for name, cost in costs.items()}
    total = sum(seconds.values())
    expensive = {
        op for op in ops if op.name in costs and _mean(costs[op.name]) >= _threshold(op, in_loops)
    }
    sharded = shardable(expensive, pool)
    found = []
    best = total
    if sharded:
        assert pool is not None
        part = sum(seconds[name] for name in sharded)
        split = total - part + part / (1 + (pool.threads - 1) * _SHARDED_EFFICIENCY)
        if split < total * (1 - _WORTH_TRYING):
            best = split
            found.append(Parallelism(seconds, sharded=sharded, pool=pool))
    looping = frozenset(op.name for op in _overlapping(expensive & in_loops, ops, in_loops))
    if threads > 1 and (looping or len(expensive) > 1):
        apart = frozenset(op.name for op in expensive - in_loops)
        if looping or makespan(ops, seconds, apart, threads) < best * (1 - _WORTH_TRYING):
            found.append(Parallelism(seconds, apart | looping, looping, sharded, pool, True))
    return found


def shardable(ops: Iterable[Operation], pool: ShardPool | None) -> frozenset[str]:
    """The names of those whose kernels could split their work over a pool; None: none could."""
    if pool is None:
        return frozenset()
    from tinytf.kernels.sharding import is_shardable  # few programs come so far

    return frozenset(op.name for op in ops if is_shardable(op, pool))


def _overlapping(
    expensive: Iterable[Operation], ops: Sequence[Operation], in_loops: frozenset[Operation]
) -> list[Operation]:
    """Those of which several iterations could run at once: that do not lead to themselves."""
    readers: dict[Operation, list[Operation]] = {}
    for op in ops:
        for producer in (*(t.op for t in op.inputs), *op.control_inputs):
            readers.setdefault(producer, []).append(op)
    found = []
    for op in expensive:
        reached, front = set[Operation](), [op]
        while front:
            new = [r for r in readers.get(front.pop(), ()) if r in in_loops and r not in reached]
            reached.update(new)
            front += new
        if op not in reached:
            found.append(op)
    return found


def _mean(cost: Cost) -> float:
    return cost.seconds / cost.runs if cost.runs else 0.0


def _threshold(op: Operation, in_loops: Iterable[Operation]) -> float:
    return EXPENSIVE_IN_LOOP if op in in_loops else EXPENSIVE


def makespan(
    ops: Sequence[Operation], seconds: Mapping[str, float], apart: Iterable[str], threads: int
) -> float:
    """How long a step takes if so many threads take what is ready, first come, first served.

    Operations that are not `apart` run with those that made them ready, as parts of segments.
    """
    apart = set(apart)
    place = {op: number for number, op in enumerate(ops)}
    users: list[list[int]] = [[] for _ in ops]
    waits_for, ready = [0] * len(ops), [0.0] * len(ops)
    for number, op in enumerate(ops):
        before = {place.get(p, number) for p in (*(t.op for t in op.inputs), *op.control_inputs)}
        for producer in before:
            if producer < number:  # what comes later leads back, in a loop
                users[producer].append(number)
                waits_for[number] += 1
    # The oldest first, whatever the plan's order: branches are often built one after the other.
    queue = [(0.0, number) for number, count in enumerate(waits_for) if not count]
    workers, end = [0.0] * threads, 0.0
    while queue:
        since, number = heapq.heappop(queue)
        done = since + seconds.get(ops[number].name, 0.0)
        if ops[number].name in apart:
            done += max(heapq.heappop(workers) - since, 0.0) + _UNIT_COST
            heapq.heappush(workers, done)
        end = max(end, done)
        for user in users[number]:
            ready[user] = max(ready[user], done)
            waits_for[user] -= 1
            if not waits_for[user]:
                heapq.heappush(queue, (ready[user], user))
    return end


class Learner:
    """Decides for one signature, run by run, what to try; see the module.

    `next_look` is the number of the run that wants to be looked at; a run before it is not touched.

    Example:
      >>> learner = Learner()
      >>> learner.next_look
      1
    """

    def __init__(self) -> None:
        self.next_look = _FIRST_LOOK
        #: What plans are to be compiled for now.
        self.parallelism = SEQUENTIAL
        #: Whether the next look wants the costs of the nodes.
        self.wants_costs = False
        #: What was ever tried, and what is still to be tried now.
        self._forms: list[Parallelism] = []
        self._trials: list[Parallelism] = []
        self._until_next_look = _NEXT_LOOK
        self._surprises = 0
        self._left = 0  # runs of the present trial
        self._is_long = self._is_warm = False
        self._best = float("inf")
        self._asked_after = float("inf")  # seconds of the run that made it ask for costs
        self._fastest = SEQUENTIAL
        self._fastest_time = float("inf")
        self._before = 0.0  # the same before all was tried again
        self._looks = 0

    def took(self, run: int, seconds: float) -> bool:
        """A run that was looked at took so long; whether plans are to be compiled anew."""
        if self._left:
            return self._tried(run, seconds)
        self._looks += 1
        is_known = _is_as_before(seconds, self._fastest_time)
        if seconds < WORTH_LEARNING or is_known:
            self._surprises = 0
            if is_known and len(self._forms) > 1:
                return self._try_all_again(run)
            self.next_look = min(run * 8, run + self._until_next_look)
            return False
        self.next_look = run + 1
        self._surprises += 1
        if self._surprises < _SURPRISES and not (
            self._looks == 1 and seconds >= _LONG
        ):  # something else may have kept the machine busy
            return False
        self._surprises = 0
        self.wants_costs, self._asked_after = True, seconds
        return self._use(SEQUENTIAL)

    @property
    def knows_nothing(self) -> bool:
        """Whether the costs were never known so far."""
        return self._fastest_time == float("inf") and not self._left

    def taught(self, run: int, trials: list[Parallelism]) -> None:
        """The costs are known, from a run that the user had traced: what seems best runs next."""
        if trials:
            self._asked_after = sum(trials[0].costs.values())
            self.learned(run, trials, is_measured=True)

    def learned(self, run: int, trials: list[Parallelism], is_measured: bool = False) -> bool:
        """The costs are known, and so is what to try; whether plans are to be compiled anew.

        Args:
          is_measured: whether it is known how long the sequential form takes; that of a long step
            always is.
        """
        self.wants_costs = False
        self._is_long = self._asked_after >= _LONG
        is_measured = is_measured or self._is_long or not trials
        if trials and not self._forms:
            self._until_next_look = _AGAIN
        self._forms = [SEQUENTIAL, *trials]
        self._trials = trials if is_measured else self._forms.copy()
        self._fastest = SEQUENTIAL
        self._fastest_time = self._asked_after if is_measured else float("inf")
        return self._next_trial(run)

    def _try_all_again(self, run: int) -> bool:
        """Each form gets another chance: when it was tried, the machine may have been busy."""
        others = [form for form in self._forms if form is not self._fastest]
        self._trials = [self._fastest, *others]
        self._before, self._fastest_time = self._fastest_time, float("inf")
        return self._next_trial(run)

    def _next_trial(self, run: int) -> bool:
        if not self._trials:
            if self._before and not _is_as_before(self._fastest_time, self._before):
                self._fastest_time = self._before  # the step has changed, not only its form
            self._before = 0.0
            self.next_look = run + self._until_next_look
            self._until_next_look *= 2  # on a busy machine times vary: do not try for ever
            return self._use(self._fastest)
        self._left, self._best = _LONG_TRIAL if self._is_long else _TRIAL, float("inf")
        self._is_warm = False
        self.next_look = run + 1
        return self._use(self._trials.pop(0))

    def _tried(self, run: int, seconds: float) -> bool:
        self._left -= 1
        self.next_look = run + 1
        if self._is_warm:  # the first run compiled it
            self._best = min(self._best, seconds)
        self._is_warm = True
        if self._left:
            return False
        # Of a long step few runs were timed: in doubt, the estimate was right.
        share = 1 + _WORTH_KEEPING if self._is_long else 1 - _WORTH_KEEPING
        if self._best < self._fastest_time * share:
            self._fastest, self._fastest_time = self.parallelism, self._best
        return self._next_trial(run)

    def _use(self, parallelism: Parallelism) -> bool:
        changed = parallelism is not self.parallelism
        self.parallelism = parallelism
        return changed


def _is_as_before(seconds: float, before: float) -> bool:
    return before * _AS_BEFORE[0] < seconds < before * _AS_BEFORE[1]
