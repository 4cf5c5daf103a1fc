"""Who waits for what at one moment, and who could end it.

Every thread that waits is in `waiting`'s table. Whoever does not wait may do anything sooner or
later: he is *live*. A waiting thread is live if somebody live can do what it waits for: a thread of
the user can do anything, one of a QueueRunner only what it runs. This is repeated until nothing
changes; whoever is not live then is stuck for good, in a deadlock or because nobody is there.

    main        waits for elements in q      QueueRunner 'q'    was never started
    main        waits for elements in a      Thread-1           waits for elements in b, which ...
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from tinytf.diagnosis import producers
from tinytf.diagnosis.producers import Producer
from tinytf.diagnosis.threads import line_of, matters, waits_of
from tinytf.framework import waiting
from tinytf.framework.operation import Operation
from tinytf.framework.thread_frames import thread_frames
from tinytf.framework.waiting import Blocked, Wait

_PYTHON = frozenset(["PyFunc", "PyFuncStateless", "EagerPyFunc"])


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


def take_picture() -> Picture:
    """Who waits for what at this moment, and who could end it."""
    blocked = {one.thread: waiting.whole(one) for one in waiting.blocked()}
    known = producers.known()
    runners = {thread.ident: producer for producer in known for thread in producer.threads}
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
    found = Picture(actors, known)
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
