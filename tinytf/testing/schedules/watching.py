"""Does the thread that has the baton do anything? Or does it wait in something we know nothing of?

A read from a socket, a lock of a library, a lock that was made before the schedule began: then the
others have to go on without it. A thread that computes uses a processor, however long it takes; one
that has used none for a while, and does not wait for one, is outside.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tinytf.testing.schedules.baton import Baton
    from tinytf.testing.schedules.controlled import Controlled

#: How often it looks, in seconds; a thread that did nothing at so many looks is outside.
LOOK_EVERY = 0.05
LOOKS = 5
#: The same where nobody tells what a thread does: it may compute.
BLIND_LOOKS = 60
#: How many looks a wait may take for somebody who is not controlled.
PATIENT_LOOKS = 20
#: Seconds of a processor that a thread which only waits may use between two looks.
_NOTHING = 0.001


def watch(baton: Baton, stop: Any, done: Any) -> None:
    """Look at a running schedule until `stop` can be taken; runs on a thread of its own."""
    idle, before = 0, (None, 0, 0.0)
    while not stop.acquire(timeout=LOOK_EVERY):
        with baton.lock:
            holder = baton.holder
            if baton.stopping:
                continue
            if holder is None:
                idle = 0 if baton.pass_time() else idle + 1
                if idle >= PATIENT_LOOKS and not baton.is_somebody_outside():
                    baton.deadlock()
                continue
            now: Any = (holder, baton.turns, _processor_seconds(holder))
            is_idle = now[:2] == before[:2] and now[2] - before[2] < _NOTHING
            idle = idle + 1 if is_idle and _is_asleep(holder) else 0
            before = now
            if idle >= (BLIND_LOOKS if holder.processor_clock is None else LOOKS):
                idle = 0
                baton.go_outside(holder)
    done.release()


def _processor_seconds(thread: Controlled) -> float:
    if thread.processor_clock is None:
        return 0.0
    try:
        return time.clock_gettime(thread.processor_clock)
    except OSError:  # it has just ended
        return 0.0


def _is_asleep(thread: Controlled) -> bool:
    """Whether it waits, and not for a processor; True where the system does not say."""
    try:
        with open(f"/proc/{os.getpid()}/task/{thread.native}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] == "S"
    except OSError:
        return True
