"""Locks that many threads take for a moment each, as often as they can.

CPython's locks make *convoys* of such threads. Who finds a lock taken sleeps, and lets go of the
interpreter's lock for that. When the lock comes free, the sleeper is given it at once, but runs
only when it has the interpreter's lock as well, for which it has to wait: the thread that let go of
the lock runs on. It comes back for the next record before the other one has begun, finds the lock
taken, and goes to sleep in its turn. From then on every record costs a hand-off between threads,
some 50 us, where a record takes 20; and it depends on chance when that begins and when it ends.

So who sees that a lock is taken gives the interpreter's lock to others until it is free, and takes
it only then. That is a courtesy: what the lock guards is as safe without.
"""

from __future__ import annotations

import threading
import time

#: So often others are let pass; whoever holds a lock for longer than that, is waited for asleep.
_TIMES = 100


def let_pass(lock: threading.Lock) -> None:
    """Come back when nobody holds a lock, or has for long; call it just before `with lock`.

    Ctrl-C may come at any line, so this does not take the lock: only `with lock` itself does so
    without a moment in which it would be taken and never given back.

    Example:
      >>> if lock.locked():
      ...     let_pass(lock)
      >>> with lock:
      ...     take_the_next()
    """
    for _ in range(_TIMES):
        time.sleep(0)  # noqa: TID251 - nothing tells when a lock is free, but having it
        if not lock.locked():
            return
