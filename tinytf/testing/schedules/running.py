"""One run of a program under one schedule."""

from __future__ import annotations

import _thread
import contextlib
import threading
from collections.abc import Callable, Generator
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.runtime import schedule
from tinytf.testing.schedules.baton import Baton
from tinytf.testing.schedules.choices import Choices, Seed, as_text, unusual
from tinytf.testing.schedules.controlled import Controlled, ScheduleEnded, State
from tinytf.testing.schedules.patching import patched
from tinytf.testing.schedules.primitives import Inbox
from tinytf.testing.schedules.trace import Line, place, show

#: Lines of a trace that a report shows.
LAST = 40
MAX_TURNS = 100_000

_one_at_a_time = _thread.allocate_lock()

HEADER = (
    "One line for each turn. Each sess.run runs its pruned graph one node at a time, unoptimised."
)


class ScheduledRun:
    """What came of a program under one schedule.

    Attributes:
      seed: what it was run with. passed: whether nothing broke.
      value: what the program returned; None if it broke.
      error: the error that nobody caught; None if there was none.
      broken: what broke, as text; "" if nothing did.
      choices: the schedule as text, for `run_with_seed`: what it did differently from seed 0.
      switches: how many times a thread that could have gone on lost its turn.
      left: names of threads that could not be ended.

    Example:
      >>> run = tinytf.testing.run_with_seed(lambda: 3, seed=1)
      >>> run.passed, run.value
      (True, 3)
    """

    def __init__(self, seed: Seed, baton: Baton, value: Any, left: list[str]):
        self.seed = seed
        self.value = value
        self.left = left
        self._broken = baton.broken
        self._lines = baton.lines
        self._taken = unusual(baton.choices.taken)
        self.switches = baton.switches

    @property
    def passed(self) -> bool:
        """Whether nothing broke."""
        return self._broken is None

    @property
    def broken(self) -> str:
        """What broke, as text; "" if nothing did."""
        return "" if self._broken is None else self._broken.text

    @property
    def error(self) -> BaseException | None:
        """The error that nobody caught."""
        return None if self._broken is None else self._broken.error

    @property
    def choices(self) -> str:
        """The schedule as text."""
        return as_text(self._taken)

    @property
    def trace(self) -> str:
        """All that happened, one line for each turn; "-->" marks where it broke.

        A line is: the number of the turn, the thread, what it did, and the line of the program.
        """
        return show(self._lines, None)

    def report(self, last: int | None = LAST) -> str:
        """What broke, and the last lines of the trace; all of them for None."""
        what = self.broken or "Nothing broke."
        text = f"{what}\n\n{HEADER}\n{show(self._lines, last)}"
        if self.left:
            text += f"\n\nThreads that could not be ended: {', '.join(self.left)}"
        return text

    def __repr__(self) -> str:
        return self.report()


class Turns:
    """A baton as executors see it; see `tinytf.runtime.schedule.Schedule`."""

    def __init__(self, baton: Baton):
        self._baton = baton

    def controls_this_thread(self) -> bool:
        """See `Schedule`."""
        return self._baton.me() is not None

    def turn(self) -> None:
        """See `Schedule`."""
        self._baton.turn()

    def choose(self, count: int) -> int:
        """See `Schedule`."""
        return self._baton.choices.node(count)

    def note(self, what: str, op: Operation | None = None) -> Line:
        """See `Schedule`."""
        frames = () if op is None else op._frames
        return self._baton.note(what, frames[0] if frames else place())

    @contextlib.contextmanager
    def waiting(
        self, what: Callable[[], str], op: Callable[[], Operation | None]
    ) -> Generator[None]:
        """See `Schedule`."""
        me = self._baton.me()
        if me is None:
            yield
            return
        before = me.doing, me.op
        me.doing, me.op = what, op
        try:
            yield
        finally:
            me.doing, me.op = before

    def inbox(self) -> Inbox:
        """See `Schedule`."""
        return Inbox(self._baton)


def run_with_seed(
    program: Callable[[], Any], seed: Seed, *, max_turns: int = MAX_TURNS
) -> ScheduledRun:
    """Run a program with threads so that the seed alone decides who goes on when.

    The program, on the calling thread, and the threads that it starts run one at a time. They
    take turns before each node of a `sess.run`, where they wait, where threads start and are
    joined, and at `time.sleep` and the locks, events and queues of `threading` and `queue`. Sleeps
    and timeouts take no time: a clock of the run's own goes on when nobody else can. The same seed
    gives the same run, as long as the program does not depend on the real time, on random
    numbers without a seed, or on what earlier runs have left: it should make what it uses.

    Args:
      program: a function without arguments; best it builds its graph and its session.
      seed: an int; 0 is the calm schedule, where everybody goes on as long as they can. Or the
        `choices` of an earlier run.
      max_turns: a program that takes more is said to have no end.

    Returns:
      a `ScheduledRun`. What breaks the program, an error that it does not catch on any thread or
      a deadlock, is told there, not raised.

    Raises:
      TypeError, ValueError: for a seed that is none. RuntimeError: if another run is under way.

    Example:
      >>> import threading
      >>> def program():
      ...     seen = []
      ...     threads = [threading.Thread(target=seen.append, args=[i]) for i in range(3)]
      ...     for thread in threads:
      ...         thread.start()
      ...     for thread in threads:
      ...         thread.join()
      ...     return seen
      >>> tinytf.testing.run_with_seed(program, seed=0).value
      [0, 1, 2]
      >>> first = tinytf.testing.run_with_seed(program, seed=5)
      >>> first.value == tinytf.testing.run_with_seed(program, seed=5).value
      True
    """
    baton = Baton(Choices(seed), max_turns)
    if not _one_at_a_time.acquire(blocking=False):
        raise RuntimeError("A schedule is running already: it has all of the process's threads.")
    value, left = None, []
    try:
        with patched(baton):
            me = baton.add(threading.current_thread().name, daemon=False)
            schedule.active = Turns(baton)
            try:
                value = program()
                _wait_for_the_others(baton)
            except ScheduleEnded:
                pass
            except Exception as error:
                baton.fail(me, error)
            finally:
                try:
                    left = [thread.name for thread in baton.stop()]
                finally:
                    schedule.active = None
                    baton.end(me)
    finally:
        _one_at_a_time.release()
    return ScheduledRun(seed, baton, None if baton.broken else value, left)


def _wait_for_the_others(baton: Baton) -> None:
    """As Python does at its end: daemons may go on for ever."""
    for thread in list(baton.threads[1:]):
        if not thread.daemon:
            _wait_for(baton, thread)


def _wait_for(baton: Baton, thread: Controlled) -> None:
    baton.wait_until(
        lambda: thread.state is State.ENDED,
        thread.joiners,
        lambda: f"for {thread.name} to end: the program has",
    )
