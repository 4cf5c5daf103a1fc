"""Processes of this computer: whether one lives, since when, what it is called.

A number alone does not name a process, since numbers are used again. Together with the moment at
which the process started it does.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from pathlib import Path


def started(pid: int) -> str:
    """When a process started, as a text that is only to be compared; "" if there is none.

    Linux tells it in ticks since it was booted. Elsewhere `ps` is asked, which tells seconds. A
    process that has ended, and for which only its parent has still to ask, is none.
    """
    if pid <= 0:
        return ""
    if Path("/proc/self/stat").exists():
        try:
            text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        # The name of the program, in parentheses, may have spaces and parentheses of its own.
        fields = text.rpartition(")")[2].split()
        return "" if fields[0] in "ZX" else fields[19]
    return _started_by_ps(pid)


def _started_by_ps(pid: int) -> str:
    import subprocess

    command = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        found = subprocess.run(
            command, capture_output=True, text=True, env=environment, check=False
        )
    except OSError:  # there is no ps: then what is known is whether it can be sent a signal
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return ""
        except PermissionError:
            return "alive"
        return "alive"
    state, _, since = found.stdout.strip().partition(" ")
    return "" if state.startswith("Z") else "_".join(since.split()).replace(":", ".")


def name_of_this() -> str:
    """What this process is called in lists: a notebook's or a script's file, or "python"."""
    notebook = os.environ.get("JPY_SESSION_NAME", "")
    if notebook and "ipykernel_launcher" in sys.argv[0]:
        return os.path.basename(notebook)
    script = os.path.basename(sys.argv[0]) if sys.argv else ""
    if script == "__main__.py":  # python -m package
        package = os.path.basename(os.path.dirname(sys.argv[0]))
        return " ".join([package, *sys.argv[1:6]])
    return script if script not in ("", "-", "-c", "-m") else "python"


@functools.cache
def computer() -> str:
    """Eight letters that tell apart where numbers of processes mean something.

    They are different on another computer with the same home folder, in another container, and
    after the computer has been started again.
    """
    parts = [os.uname().nodename]
    for path in ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"):
        try:
            parts.append(os.readlink(path) if "ns" in path else Path(path).read_text().strip())
        except OSError:
            parts.append("")  # not Linux
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]
