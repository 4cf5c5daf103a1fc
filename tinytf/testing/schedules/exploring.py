"""A program under many schedules: the first one that breaks it, made small."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tinytf.testing.schedules.choices import Seed, as_text
from tinytf.testing.schedules.controlled import Broken
from tinytf.testing.schedules.running import LAST, MAX_TURNS, ScheduledRun, run_with_seed

#: What making the schedule smaller may cost.
SHRINK_RUNS = 200
SHRINK_SECONDS = 3.0


class BrokenSchedule(AssertionError):
    """A schedule has broken the program; the text of the error is the report.

    Attributes:
      run: the `ScheduledRun` of the seed. seed: which.
      smallest: the run of the smallest schedule found that breaks it in the same way.

    Example:
      >>> try:
      ...     tinytf.testing.explore(lambda: 1 / 0, seeds=3)
      ... except tinytf.testing.BrokenSchedule as broken:
      ...     print(broken.seed, type(broken.run.error).__name__)
      0 ZeroDivisionError
    """

    def __init__(self, run: ScheduledRun, smallest: ScheduledRun, passed: int, remark: str):
        self.run, self.smallest = run, smallest
        self.seed = run.seed
        before = f", after {passed} that did not" if passed else ""
        again = f"run_with_seed(program, {self.seed!r})"
        if smallest is not run:
            switches = f"{smallest.switches} switch{'es' * (smallest.switches != 1)} of thread"
            again += (
                f"\nThe smallest schedule that does the same ({switches}) is below:  "
                f"run_with_seed(program, {smallest.seed!r})"
            )
        super().__init__(
            f"Seed {self.seed} breaks the program{before}.{remark}\n"
            f"To see it again:  {again}\n\n{smallest.report(LAST)}"
        )


class Exploration:
    """All seeds have passed.

    Attributes:
      passed: how many. schedules: how many of them were different.
      values: what the program returned, for each seed.

    Example:
      >>> tinytf.testing.explore(lambda: None, seeds=3)
      3 seeds passed: 1 schedule.
    """

    def __init__(self, runs: list[ScheduledRun]):
        self.passed = len(runs)
        self.schedules = len({run.choices for run in runs})
        self.values = [run.value for run in runs]

    def __repr__(self) -> str:
        kinds = f"{self.schedules} different schedules" if self.schedules > 1 else "1 schedule"
        return f"{self.passed} seed{'s' * (self.passed != 1)} passed: {kinds}."


def explore(
    program: Callable[[], Any],
    seeds: int | Iterable[Seed] = 100,
    *,
    same_result: bool = False,
    shrink: bool = True,
    max_turns: int = MAX_TURNS,
) -> Exploration:
    """Run a program under many schedules, until one breaks it.

    Args:
      program: a function without arguments; see `run_with_seed`. It is run once for each seed.
      seeds: how many, from 0; or the seeds.
      same_result: whether every schedule must return what the first one did.
      shrink: whether to look for a smaller schedule that breaks it in the same way.
      max_turns: a program that takes more is said to have no end.

    Returns:
      an `Exploration`: how many seeds passed.

    Raises:
      BrokenSchedule: with the trace of the first schedule that breaks the program: by an error
        that nobody catches (a failed assertion is one), by a deadlock, by not ending, or by
        another result, if these must be the same.

    Example:
      >>> import threading, time
      >>> def program():
      ...     counter = [0]
      ...     def count():
      ...         now = counter[0]
      ...         time.sleep(0.001)
      ...         counter[0] = now + 1
      ...     threads = [threading.Thread(target=count) for _ in range(2)]
      ...     [thread.start() for thread in threads]
      ...     [thread.join() for thread in threads]
      ...     assert counter == [2], f"lost an update: {counter}"
      >>> try:
      ...     tinytf.testing.explore(program)
      ... except tinytf.testing.BrokenSchedule as broken:
      ...     print(broken.run.error)
      lost an update: [1]
    """
    runs: list[ScheduledRun] = []

    def attempt(seed: Seed) -> ScheduledRun:
        run = run_with_seed(program, seed, max_turns=max_turns)
        if same_result and run.passed and runs and not is_equal(run.value, runs[0].value):
            _mark_as_different(run, runs[0])
        return run

    for seed in range(seeds) if isinstance(seeds, int) else seeds:
        run = attempt(seed)
        if not run.passed:
            smallest = _smaller(run, attempt) if shrink else run
            again = smallest if smallest is not run else attempt(seed)
            remark = ""
            if again.passed:
                remark = (
                    " But not the second time: something else than the seed decides, too (state "
                    "that runs leave to each other, random numbers, the real time)."
                )
            raise BrokenSchedule(run, smallest, len(runs), remark) from run.error
        runs.append(run)
    return Exploration(runs)


def _mark_as_different(run: ScheduledRun, first: ScheduledRun) -> None:
    text = (
        f"Another result than with seed {first.seed}:\n  now:    {run.value!r}\n"
        f"  before: {first.value!r}"
    )
    run._broken = Broken("different result", text, "")
    if run._lines:
        run._lines[-1].is_failure = True


def _smaller(run: ScheduledRun, attempt: Callable[[Seed], ScheduledRun]) -> ScheduledRun:
    """Leave out choices as long as it breaks in the same way: half of them, a quarter, ... one."""
    best, kept = run, dict(run._taken)
    end = time.monotonic() + SHRINK_SECONDS
    attempts, size = 0, len(kept)
    while size >= 1:
        position = 0
        while position < len(kept):
            if attempts == SHRINK_RUNS or time.monotonic() > end:
                return best
            attempts += 1
            items = sorted(kept.items())
            fewer = dict(items[:position] + items[position + size :])
            found = attempt(as_text(fewer))
            if run._broken is not None and run._broken.is_like(found._broken):
                best, kept = found, fewer
                best.seed = as_text(fewer)
            else:
                position += size
        size //= 2
    return best


def is_equal(one: Any, other: Any) -> bool:
    """Whether two results are the same: nested as they may be, NaN is NaN."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_equal(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple) and type(one) is type(other):
        return len(one) == len(other) and all(map(is_equal, one, other))
    if isinstance(one, np.ndarray | np.generic | float):
        first, second = np.asarray(one), np.asarray(other)
        nan = first.dtype.kind in "fc" and second.dtype.kind in "fc"
        return first.dtype == second.dtype and np.array_equal(first, second, equal_nan=nan)
    return bool(one == other)
