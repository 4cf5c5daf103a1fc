"""Who ends what an answer leaves behind: the parent of the process that checks it.

An answer may start programs that leave their session and their parents. On Linux such orphans
become children of the nearest process that has asked for them, which is this one; it ends them when
the check is over. In the sandbox the kernel does the same when its first process ends.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

#: Of <linux/prctl.h>.
_PR_SET_CHILD_SUBREAPER = 36
#: How long it is tried to end what starts others faster than it is ended.
_PATIENCE = 5.0
_SIGNALS = {signal.SIGCHLD, signal.SIGTERM}


def keep(seconds: float) -> None:
    """Go on in a child process; this one ends with it, and takes all with it that it has left.

    Returns in the child only. Call it before there are threads.

    Args:
      seconds: after which the child is ended by force. SIGTERM ends it at once.
    """
    _adopt_orphans()
    # Blocked, so that one which comes before it is waited for is not lost.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    status = _wait_for(child, time.monotonic() + seconds)
    _end_others()
    code = os.waitstatus_to_exitcode(status)
    if code < 0:  # the same for who waits for this process
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _adopt_orphans() -> None:
    if sys.platform == "linux":  # elsewhere, only what stays in its group can be found
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _wait_for(child: int, end: float) -> int:
    """The status of a child that ends, or is ended."""
    while True:
        arrived = signal.sigtimedwait(_SIGNALS, max(end - time.monotonic(), 0.0))
        if arrived is None or arrived.si_signo == signal.SIGTERM:
            os.kill(child, signal.SIGKILL)
            return os.waitpid(child, 0)[1]
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            if found[0] == child:
                return found[1]


def _end_others() -> None:
    """End the processes that are left, and those that these leave."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return  # there is none
        for process in _children():
            try:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
            except (ProcessLookupError, ChildProcessError):
                continue  # it was quicker


def _children() -> list[int]:
    """The children of this process."""
    found, own = [], str(os.getpid()).encode()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = path.read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue  # it has ended
        if after_name[1] == own:
            found.append(int(path.parent.name))
    return found
