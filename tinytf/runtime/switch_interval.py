"""A shorter switch interval of the interpreter lock while servers or queue runners live.

A thread that waits for the lock asks for it after the switch interval (5 ms by default). A busy
Python thread then makes every hand-off between threads cost most of that; at 0.1 ms
the same hand-off costs a few hundred microseconds. The interval belongs to the whole process, so
users are counted, and the last one puts back what the first one found.
"""

from __future__ import annotations

import sys
import threading

SECONDS = 1e-4

_lock = threading.Lock()
_users = 0  # guarded by _lock
_found = 0.0  # guarded by _lock; what to put back


def shorten() -> None:
    """Shorten the interval; call `restore` once for every call of this."""
    global _users, _found
    with _lock:
        _users += 1
        if _users == 1:
            _found = sys.getswitchinterval()
            _set(min(SECONDS, _found))


def restore() -> None:
    """Undo one `shorten`; the interval comes back when nobody needs the short one any more."""
    global _users
    with _lock:
        if _users == 0:
            raise RuntimeError("restore() without shorten()")
        _users -= 1
        if _users == 0:
            _set(_found)


def _set(seconds: float) -> None:
    # Python cuts off at microseconds: 100 of them are 9.999999999999999e-05 s, and came back as 99.
    sys.setswitchinterval(seconds + 5e-7)
