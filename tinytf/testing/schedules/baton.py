"""One thread at a time: who has the baton runs, everybody else waits for it.

A controlled thread gives the baton away at its switching points only (`turn`, and `wait_until` if
it has to wait), so Python code between them runs undisturbed. Whoever gives it away decides, by
`Choices`, who is next. If nobody can go on, that is a deadlock, known at once.

    READY      can go on                      RUNNING   has the baton
    WAITING    until something is true, or until its timeout in virtual time
    SLEEPING   until a virtual time           OUTSIDE   blocked in something we know nothing of
    ENDED

Time is virtual. It goes on when nobody is ready: then to the earliest sleeper or timeout. And now
and then, by choice, to a sleeper while others are ready: a sleep promises no more than a minimum.
All fields are guarded by one real lock. A kernel or a lock of somebody else that blocks the thread
with the baton is noticed by `watch`, which goes by the processor time that the thread uses.
"""

from __future__ import annotations

import _thread
import time
from collections.abc import Callable
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.testing.schedules import trace
from tinytf.testing.schedules.choices import Choices
from tinytf.testing.schedules.controlled import (
    NEVER,
    Broken,
    Controlled,
    ScheduleEnded,
    State,
    closed_gate,
    open_gate,
)
from tinytf.testing.schedules.watching import watch

#: How long threads that are told to end may take, in real seconds.
PATIENCE = 2.0
#: How long Ctrl-C may go unnoticed, in seconds.
SIGNALS_EVERY = 0.1
#: The lock is never held so long.
_ORPHANED = 0.5
#: Virtual time that each look at the clock takes: who loops until a moment gets there.
TICK = 1e-6
#: How likely a sleeper goes on before its time has come for everybody.
EARLY = 0.1
MAX_LINES = 20_000


class Baton:
    """See the module. `Schedule` for the executor is `tinytf.testing.schedules.turns`."""

    def __init__(self, choices: Choices, max_turns: int):
        self.choices = choices
        self.threads: list[Controlled] = []
        self.lines: list[trace.Line] = []
        self.turns = 0
        self.clock = 0.0
        self.broken: Broken | None = None
        self.lock = _thread.allocate_lock()
        self._max_turns = max_turns
        self._by_identity: dict[int, Controlled] = {}
        self.holder: Controlled | None = None
        self.stopping = False
        #: whether another thread of the process has completed a wait
        self.has_outsiders = False
        self._watching: Any = None
        #: how many times a thread that could have gone on lost its turn
        self.switches = 0
        self._locks = 0

    # Threads --------------------------------------------------------------------------------------

    def me(self) -> Controlled | None:
        """The calling thread, if it is controlled."""
        thread = self._by_identity.get(_thread.get_ident())
        return None if thread is None or thread.bypass else thread

    def number_of_lock(self) -> int:
        """Locks are numbered as the program makes them."""
        self._locks += 1
        return self._locks

    def add(self, name: str, daemon: bool) -> Controlled:
        """A new thread; the first one is the caller, and has the baton."""
        with self.lock:
            thread = Controlled(len(self.threads), name, daemon, self.choices.weight())
            self.threads.append(thread)
            if len(self.threads) == 1:
                thread.state, self.holder = State.RUNNING, thread
                self.enter(thread)
            elif self._watching is None:
                self._watching = closed_gate()
                self._watch_done = closed_gate()
                arguments = self, self._watching, self._watch_done
                _thread.start_new_thread(watch, arguments)
            return thread

    def enter(self, thread: Controlled) -> None:
        """Called on the thread itself, before anything else."""
        thread.begin()
        self._by_identity[thread.identity] = thread

    def first_turn(self, thread: Controlled) -> None:
        """A new thread waits for its first turn."""
        self.enter(thread)
        thread.gate.acquire()
        if self.stopping:
            thread.is_ending = True
            raise ScheduleEnded

    def end(self, thread: Controlled) -> None:
        """Called on the thread itself, when it has nothing more to do."""
        self.lock.acquire()
        was_running = self.holder is thread
        thread.state = State.ENDED
        self._wake(thread.joiners)
        self._by_identity.pop(thread.identity, None)
        if was_running:
            self.holder = None
        if self.holder is None and not self.stopping:
            self.dispatch(None)
        self.lock.release()
        thread.ended.release()

    def stop(self) -> list[Controlled]:
        """End all threads but the caller's, one after the other; those that did not."""
        self.stopping = True  # from now on nobody takes the lock again and again
        if not self.lock.acquire(timeout=_ORPHANED):
            pass  # Ctrl-C has come while this thread had it: nobody else will give it back
        self.lock.release()
        left = []
        for thread in self.threads[1:]:
            if thread.state is State.ENDED:
                continue
            open_gate(thread.gate)
            if not thread.ended.acquire(timeout=PATIENCE):
                left.append(thread)
        if self._watching is not None:
            self._watching.release()
            self._watch_done.acquire()
        return left

    # Switching points -----------------------------------------------------------------------------

    def turn(self) -> None:
        """Others may go on here."""
        me = self.me()
        if me is None or (len(self.threads) == 1 and not self.stopping):
            return
        self.lock.acquire()
        me.state = State.READY
        self._switch(me)

    def sleep(self, seconds: float) -> None:
        """`time.sleep`, in virtual time."""
        me = self.me()
        assert me is not None
        if seconds == 0:
            self.note("sleeps 0 s: lets others go on", trace.place())
            self.turn()
            return
        self.lock.acquire()
        me.wake_at = self.clock + max(0.0, seconds)
        me.where = trace.place()
        me.waits_for = lambda: f"sleeps until {me.wake_at:.6g} s"
        self.log(me, f"sleeps {seconds:g} s, until {me.wake_at:.6g} s", me.where)
        me.state = State.SLEEPING
        self._switch(me)

    def wait_until(
        self,
        attempt: Callable[[], bool],
        waiters: list[Any],
        what: Callable[[], str],
        timeout: float | None = None,
        is_gentle: bool = False,
    ) -> bool:
        """Wait until `attempt()`, called with the lock held, succeeds; False after the timeout.

        Args:
          waiters: who waits for this; `wake(waiters)` when it is worth another attempt.
          what: what it waits for, if the thread has not said it better.
          is_gentle: whether it succeeds at once when the schedule has ended.
        """
        me = self.me()
        if me is None:
            return self._wait_outside(attempt, waiters, timeout)
        wake_at = NEVER if timeout is None else self.clock + max(0.0, timeout)
        has_said = False
        self.lock.acquire()
        if self.holder is not me and not self.stopping:  # it comes back from outside
            me.state = State.READY
            self._switch(me)
            self.lock.acquire()
        while not attempt():
            if self.stopping:
                self.lock.release()
                if is_gentle:
                    return True
                raise ScheduleEnded
            if me.timed_out or (timeout is not None and timeout <= 0):
                me.timed_out = False
                self.lock.release()
                return False
            me.waits_for = me.doing or what
            if not has_said:
                has_said = True
                me.where = _place_of(me.op()) or trace.place()
                until = "" if wake_at == NEVER else f" (until {wake_at:.6g} s at most)"
                self.log(me, f"waits {me.waits_for()}{until}", me.where)
            me.wake_at = wake_at
            me.state = State.WAITING
            waiters.append(me)
            try:
                self._switch(me)
            finally:
                if me in waiters:
                    waiters.remove(me)
            self.lock.acquire()
        me.timed_out = False
        self.lock.release()
        return True

    def wake(self, waiters: list[Any]) -> None:
        """Those who wait may try again; never a switching point."""
        with self.lock:
            self._wake(waiters)

    def _wake(self, waiters: list[Any]) -> None:
        for waiter in waiters:
            if isinstance(waiter, Controlled):
                if waiter.state is State.WAITING:
                    waiter.state = State.READY
                    waiter.wake_at = NEVER
            else:
                open_gate(waiter)
        waiters.clear()
        if _thread.get_ident() not in self._by_identity:
            self.has_outsiders = True
            if self.holder is None and not self.stopping:
                self.dispatch(None)

    def _wait_outside(
        self, attempt: Callable[[], bool], waiters: list[Any], timeout: float | None
    ) -> bool:
        """The same for a thread that is not controlled: in real time."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            with self.lock:
                if attempt():
                    return True
                gate = closed_gate()
                waiters.append(gate)
            left = -1.0 if end is None else max(0.0, end - time.monotonic())
            if not gate.acquire(timeout=left):
                return False

    def go_outside(self, thread: Controlled) -> None:
        """The thread is blocked in something we know nothing of. The lock is held."""
        if not any(t.state is not State.ENDED and t is not thread for t in self.threads):
            return  # nobody waits for it
        thread.where = trace.place_of_thread(thread.identity)
        what = "waits for something outside of the schedule; the others go on. "
        what += "From here the order is not only the seed's"
        self.log(thread, what, thread.where)
        thread.state = State.OUTSIDE
        thread.waits_for = lambda: "for something outside of the schedule"
        self.holder = None
        self.dispatch(None)

    def pass_time(self) -> bool:
        """Somebody is outside, and nobody is ready: time goes on by and by. The lock is held."""
        timed = [t for t in self.threads if t.state is not State.ENDED and t.wake_at < NEVER]
        if not timed:
            return False
        chosen = self.time_comes(min(timed, key=lambda t: (t.wake_at, t.number)))
        chosen.state, self.holder = State.RUNNING, chosen
        open_gate(chosen.gate)
        return True

    # The baton: the lock is held ------------------------------------------------------------------

    def _switch(self, me: Controlled) -> None:
        """Give the baton away, and wait for it; releases the lock."""
        if not self.stopping:
            if self.holder is me:
                self.holder = None
            if self.holder is None:
                self.dispatch(me)
        if self.holder is me and not self.stopping:
            self.lock.release()
            return
        may_end = self.stopping and (me.number == 0 or me.is_ending)
        self.lock.release()
        # A signal that comes just before a lock is waited for does not end that wait.
        while not may_end and not me.gate.acquire(timeout=SIGNALS_EVERY if me.number == 0 else -1):
            pass
        if self.stopping:
            me.is_ending = True
            raise ScheduleEnded

    def dispatch(self, me: Controlled | None) -> None:
        """Decide who is next and give it the baton; `me` gives it away and need not be woken."""
        chosen = self._pick(me)
        if chosen is None:
            return
        chosen.state = State.RUNNING
        self.holder = chosen
        if chosen is not me:
            open_gate(chosen.gate)

    def _pick(self, me: Controlled | None) -> Controlled | None:
        alive = [t for t in self.threads if t.state is not State.ENDED]
        timed = [t for t in alive if t.wake_at < NEVER and t.state is not State.READY]
        timed.sort(key=lambda t: (t.wake_at, t.number))
        candidates = [t for t in alive if t.state is State.READY]
        candidates += [t for t in timed if t.wake_at <= self.clock]
        if not candidates:
            outside = self.is_somebody_outside()
            if timed and not outside:
                return self.time_comes(timed[0])
            if alive and not timed and not outside and not self.has_outsiders:
                self.deadlock()
            return None  # `watching` goes on
        if me in candidates:
            candidates.remove(me)
            candidates.insert(0, me)
        weights = [t.weight for t in candidates]
        later = [t for t in timed if t.wake_at > self.clock and t.state is State.SLEEPING]
        if later:
            candidates.append(later[0])
            weights.append(EARLY)
        chosen = candidates[self.choices.thread(weights, candidates[0] is me)]
        self.switches += candidates[0] is me and chosen is not me
        return chosen if chosen.state is State.READY else self.time_comes(chosen)

    def time_comes(self, thread: Controlled) -> Controlled:
        """The moment that a thread waits for is there. The lock is held."""
        self.clock = max(self.clock, thread.wake_at)
        thread.timed_out = thread.state is State.WAITING
        thread.wake_at = NEVER
        return thread

    def is_somebody_outside(self) -> bool:
        """Whether a thread is blocked in something we know nothing of."""
        return any(t.state is State.OUTSIDE for t in self.threads)

    def deadlock(self) -> None:
        """Nobody can go on. The lock is held."""
        alive = [t for t in self.threads if t.state is not State.ENDED]
        width = max(len(t.name) for t in alive)
        lines = ["Deadlock: nobody can go on."]
        for thread in alive:
            lines.append(f"  {thread.name:<{width}}  waits {thread.waits_for()}")
            if thread.where is not None:
                lines.append(f"  {'':<{width}}    at {trace.show_place(thread.where)}")
            last = next((x for x in reversed(self.lines) if x.thread == thread.name), None)
            if last is not None:
                last.is_failure = True
        self._break(Broken("deadlock", "\n".join(lines), alive[0].name))

    # What happened --------------------------------------------------------------------------------

    def note(self, what: str, where: trace.Place | None) -> trace.Line:
        """The calling thread does something."""
        me = self.me()
        assert me is not None
        with self.lock:
            line = self.log(me, what, where)
        if self.stopping:
            self.turn()  # ends it
        return line

    def log(
        self,
        thread: Controlled,
        what: str,
        where: trace.Place | None = None,
        is_failure: bool = False,
    ) -> trace.Line:
        """A line more. The lock is held."""
        self.turns += 1
        line = trace.Line(self.turns, thread.name, what, where, "", is_failure)
        self.lines.append(line)
        if len(self.lines) > MAX_LINES:
            del self.lines[: MAX_LINES // 2]
        if self.turns > self._max_turns and self.broken is None:
            text = (
                f"It has not ended after {self._max_turns} turns: does a thread wait in a loop for "
                f"something that no other does? (max_turns=... allows more)"
            )
            line.is_failure = True
            self._break(Broken("endless", text, thread.name))
        return line

    def fail(self, thread: Controlled, error: BaseException) -> None:
        """The thread has raised an error that nobody caught."""
        with self.lock:
            if self.broken is None:
                first = str(error).partition("\n")[0]
                thread.where = _place_of_error(error) or thread.where
                raised = f"raises {type(error).__name__}: {first}".rstrip(": ")
                self.log(thread, raised, thread.where, is_failure=True)
                text = f"{thread.name} raised {type(error).__name__}: {error}".rstrip(": ")
                if not first:  # a bare assertion
                    text += f" at {trace.show_place(thread.where)}"
                self._break(Broken("error", text, thread.name, error))

    def _break(self, broken: Broken) -> None:
        """The lock is held. The first thread ends first, and lets the others end."""
        self.broken = self.broken or broken
        self.stopping = True
        self.holder = None
        open_gate(self.threads[0].gate)


def _place_of(op: Operation | None) -> trace.Place | None:
    return op._frames[0] if op is not None and op._frames else None


def _place_of_error(error: BaseException) -> trace.Place | None:
    found, traceback = None, error.__traceback__
    while traceback is not None:
        if trace.is_program(traceback.tb_frame, ()):
            found = (traceback.tb_frame.f_code, traceback.tb_lasti)
        traceback = traceback.tb_next
    return found
