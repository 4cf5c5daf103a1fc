"""Why am I stuck? Which waits nobody can end, and what to do about them.

Every thread that waits is in `waiting`'s table. Whoever does not wait may do anything sooner or
later: he is *live*. A waiting thread is live if somebody live can do what it waits for: a thread of
the user can do anything, one of a QueueRunner only what it runs. This is repeated until nothing
changes; whoever is not live then is stuck for good, in a deadlock or because nobody is there.

    main        waits for elements in q      QueueRunner 'q'    was never started
    main        waits for elements in a      Thread-1           waits for elements in b, which ...

A report is printed once, by the call that waits, if two looks at it, a moment apart, find the same.
`why_stuck()` shows all of it at any time. `stuck_threads` says which threads matter, `stuck_texts`
what is said.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from tinytf.framework import stuck_texts, waiting
from tinytf.framework.operation import Operation
from tinytf.framework.stuck_threads import line_of, matters, waits_of
from tinytf.framework.thread_frames import thread_frames
from tinytf.framework.waiting import Blocked, Producer, Wait

#: When Ctrl-C last ended a wait, by `time.monotonic`, and what it looked like.
_interrupted: tuple[float, str] | None = None

_reporting = threading.Lock()


@dataclass
class Actor:
    """A thread that can do something about other threads' waits.

    Attributes:
      thread: its identifier. name: of the thread.
      runs: the operations that it can run; None for any.
      blocked: its entry in `waiting`'s table; None if it has none. waits: what it waits for.
      line: of the program, which it runs. is_live: whether it does not wait, or somebody live can
        end its wait.
    """

    thread: int
    name: str
    runs: frozenset[Operation] | None = None
    blocked: Blocked | None = None
    waits: list[Wait] = field(default_factory=list)
    line: str = ""
    is_live: bool = False

    def can_do(self, wait: Wait) -> bool:
        """Whether it can do what a wait is for, if nothing keeps it."""
        if self.thread in wait.threads:
            return True
        return wait.on is not None and (
            self.runs is None or any(serves(op, wait) for op in self.runs)
        )


@dataclass
class Picture:
    """All threads at one moment, as far as waiting is concerned.

    Attributes:
      me: the thread that looks.
    """

    actors: list[Actor]
    producers: list[Producer]
    me: int = field(default_factory=threading.get_ident)
    taken: float = field(default_factory=time.monotonic)

    def actor(self, thread: int) -> Actor | None:
        """The actor of a thread."""
        return next((actor for actor in self.actors if actor.thread == thread), None)

    def find_live(self, but: int | None = None, ends: int | None = None) -> frozenset[int]:
        """The threads that go on sooner or later.

        Args:
          but: one that does nothing by itself. ends: one whose deadline does not count.
        """
        live: set[int] = set()
        for actor in self.actors:
            has_end = actor.blocked is not None and actor.blocked.deadline is not None
            # Who waits for nothing in particular is in the middle of something.
            if actor.thread != but and (not actor.waits or (has_end and actor.thread != ends)):
                live.add(actor.thread)
        changed = True
        while changed:
            changed = False
            for actor in self.actors:
                if actor.thread not in live and self._goes_on(actor, live):
                    live.add(actor.thread)
                    changed = True
        return frozenset(live)

    def _goes_on(self, actor: Actor, live: set[int]) -> bool:
        return any(self._ends(actor, wait, live) for wait in actor.waits)

    def _ends(self, waiter: Actor, wait: Wait, live: set[int]) -> bool:
        if wait.might_end:
            return True
        if wait.on is None and not wait.threads:
            return True  # nothing is known of it
        if wait.on is None:
            known = {actor.thread for actor in self.actors}
            return any(thread in live or thread not in known for thread in wait.threads)
        return any(
            actor is not waiter and actor.thread in live and actor.can_do(wait)
            for actor in self.actors
        )


class Why:
    """The text of `why_stuck()`, which is what Python and notebooks show of it."""

    def __init__(self, text: str):
        self._text = text

    def __repr__(self) -> str:
        return self._text


def serves(op: Operation, wait: Wait) -> bool:
    """Whether running an operation may end a wait.

    By its type and its handle; or as what it waits on says (`is_served_by`) where that is not how
    the operations on it are told.
    """
    if wait.on is None or op.type not in wait.on.served_by.get(wait.needs, ()):
        return False
    is_served_by = getattr(wait.on, "is_served_by", None)
    if is_served_by is not None:
        return bool(is_served_by(op))
    number = 1 if op.type.startswith("ReaderRead") else 0  # those take the queue second
    return len(op.inputs) > number and waiting.is_handle_of(op.inputs[number], wait.on)


def picture() -> Picture:
    """Who waits for what at this moment, and who could end it."""
    blocked = {one.thread: one for one in waiting.blocked()}
    producers = waiting.producers()
    runners = {thread.ident: producer for producer in producers for thread in producer.threads}
    frames = thread_frames()
    actors = []
    for thread in threading.enumerate():
        ident = thread.ident
        if ident is None:
            continue
        entry, runner, frame = blocked.get(ident), runners.get(ident), frames.get(ident)
        if entry is None and runner is None and not matters(thread, frame):
            continue
        runs = None if runner is None else what_it_runs(runner)
        waits = waits_of(frame) if entry is None else _waits_of(entry)
        line = line_of(frame) if any(wait.op is None for wait in waits) else ""
        actors.append(Actor(ident, thread.name, runs, entry, waits, line))
    found = Picture(actors, producers)
    live = found.find_live()
    for actor in actors:
        actor.is_live = actor.thread in live
    return found


def _waits_of(entry: Blocked) -> list[Wait]:
    try:
        return entry.waiter.waits()
    except RuntimeError:  # what it waits for has changed while it was asked: it goes on
        return []


def what_it_runs(producer: Producer) -> frozenset[Operation] | None:
    """The operations that a QueueRunner runs, with all that they need; None if that is unknown."""
    found: set[Operation] = set()
    left = list[Operation](producer.enqueue_ops)
    while left:
        op = left.pop()
        if op not in found:
            found.add(op)
            left += [tensor.op for tensor in op.inputs] + list(op.control_inputs)
    can_do_anything = any(op.op_def.takes_functions or op.type in _PYTHON for op in found)
    return None if can_do_anything else frozenset(found)


_PYTHON = frozenset(["PyFunc", "PyFuncStateless", "EagerPyFunc"])


def why_stuck() -> Why:
    """Who waits, what for, and who could end it, over all threads of this process.

    Call it while other threads wait; or after you have interrupted a wait: then it shows what that
    looked like.

    Returns:
      an object whose text says it: for each thread that waits, its operation, the state of the
      queue, who could serve it and where that was built, and what to type; then the QueueRunners.

    Example:
      >>> print(str(tf.why_stuck()).splitlines()[0])
      No thread waits for anything.
    """
    text = stuck_texts.of_picture(picture())
    if _interrupted is not None:
        when, before = _interrupted
        ago = time.monotonic() - when
        text += f"\n\nWhen a wait was interrupted, {ago:.1f} seconds ago, it was so:\n\n{before}"
    return Why(text)


def keep() -> None:
    """A wait of this thread is interrupted: keep what it looks like for `why_stuck`."""
    global _interrupted
    try:
        text = stuck_texts.of_picture(picture(), with_runners=False)
    except Exception as error:  # the interrupt is what counts
        text = f"Nothing could be found out: {type(error).__name__}: {error}"
    _interrupted = time.monotonic(), text


def report(thread: int) -> bool:
    """Print why a thread is stuck, if it is and nobody has said so; whether it did."""
    if not _reporting.acquire(blocking=False):
        return False  # another thread is about to
    try:
        entry = next((one for one in waiting.blocked() if one.thread == thread), None)
        if entry is None or entry.is_reported:
            return False
        try:
            text = _verdict(entry, picture())
        except Exception as error:  # who waits must not fail because of it
            entry.is_reported = True
            text = f"This wait lasts, and why could not be found out: {type(error).__name__}: "
            text += str(error)
        if text:
            print(text, flush=True)
        return bool(text)
    finally:
        _reporting.release()


def _verdict(entry: Blocked, now: Picture) -> str:
    """The report about a thread, if it is time for one."""
    thread = entry.thread
    live = now.find_live(ends=thread if entry.deadline is not None else None)
    actor = now.actor(thread)
    if actor is None or thread in live:
        entry.suspicion = None
        return ""
    stuck = [each for each in now.actors if each.thread not in live]
    found = _marks(stuck)
    if entry.suspicion != found:  # they may be about to go on: look again soon
        entry.suspicion = found
        return ""
    main = now.actor(threading.main_thread().ident or 0)
    if main in stuck and main is not actor and main.blocked is not None:
        return ""  # it will tell, where the user looks
    for each in stuck:  # who is in the same trouble need not say so again
        if each.blocked is not None:
            each.blocked.is_reported = True
    return stuck_texts.of_stuck(actor, now, stuck)


def _marks(stuck: Iterable[Actor]) -> list[tuple[int, float]]:
    return sorted(
        (each.thread, 0.0 if each.blocked is None else each.blocked.since) for each in stuck
    )
