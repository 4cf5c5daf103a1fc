"""Why am I stuck? Reports of waits that nobody can end, and `why_stuck()`, which shows all of them.

A report is printed once, by the call that waits, if two looks at it, a moment apart, find the same:
the runtime asks for them by `waiting.look_at`, which finds this module by `waiting.diagnosed_by`.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable

from tinytf.diagnosis import texts
from tinytf.diagnosis.picture import Actor, Picture, take_picture
from tinytf.framework import waiting
from tinytf.framework.waiting import Blocked

#: When Ctrl-C last ended a wait, by `time.monotonic`, and what it looked like.
_interrupted: tuple[float, str] | None = None

_reporting = threading.Lock()


class Why:
    """The text of `why_stuck()`, which is what Python and notebooks show of it."""

    def __init__(self, text: str):
        self._text = text

    def __repr__(self) -> str:
        return self._text


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
    text = texts.of_picture(take_picture())
    if _interrupted is not None:
        when, before = _interrupted
        ago = time.monotonic() - when
        text += f"\n\nWhen a wait was interrupted, {ago:.1f} seconds ago, it was so:\n\n{before}"
    return Why(text)


def keep() -> None:
    """A wait of this thread is interrupted: keep what it looks like for `why_stuck`."""
    global _interrupted
    try:
        text = texts.of_picture(take_picture(), with_runners=False)
    except Exception as error:  # the interrupt is what counts
        text = f"Nothing could be found out: {type(error).__name__}: {error}"
    _interrupted = time.monotonic(), text


def report(thread: int) -> bool:
    """Print why a thread is stuck, if it is and nobody has said so; whether it did."""
    if not _reporting.acquire(blocking=False):
        return False  # another thread is about to
    try:
        entry = waiting.blocked_in(thread)
        entry = entry and waiting.whole(entry)
        if entry is None or entry.is_reported:
            return False
        try:
            text = _verdict(entry, take_picture())
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
    return texts.of_stuck(actor, now, stuck)


def _marks(stuck: Iterable[Actor]) -> list[tuple[int, float]]:
    return sorted(
        (each.thread, 0.0 if each.blocked is None else each.blocked.since) for each in stuck
    )


waiting.diagnosed_by(sys.modules[__name__])
