"""A sandbox for answers of people one does not know: bubblewrap, where it is installed.

What runs in it sees the system's programs and libraries, this Python and tinytf, all read-only, an
empty `/tmp`, and a network of its own with nobody in it. No file of the course, no home folder, no
gradebook, no other process. Whatever it starts ends with it.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

#: What is written in the sandbox's /tmp is memory.
SCRATCH_BYTES = 256 << 20
#: Nothing of the caller's environment but these.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LANG": "C.UTF-8", "TINYTF_GRADING": "1"}
#: Names of computers, users and time zones; no secrets, and not all systems have all.
_FILES = ("/etc/ld.so.cache", "/etc/hosts", "/etc/nsswitch.conf", "/etc/localtime")
_SECONDS = 10.0


def wrap(command: Sequence[str]) -> list[str]:
    """The command that runs `command` in a sandbox; ask `obstacle` first.

    Open files that the caller passes on stay open in it.
    """
    package = Path(__file__).resolve().parents[1]
    arguments = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    arguments += ["--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"]
    for name, value in _ENVIRONMENT.items():
        arguments += ["--setenv", name, value]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    arguments += ["--size", str(SCRATCH_BYTES), "--tmpfs", "/tmp"]
    for folder in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"):
        arguments += _folder(Path(folder))
    for file in _FILES:
        arguments += ["--ro-bind-try", file, file]
    # After /tmp, so that a Python which lives below it is there.
    for place in dict.fromkeys((sys.base_prefix, sys.prefix, str(package))):
        arguments += ["--ro-bind", place, place]
    return [*arguments, "--chdir", "/tmp", "--", *command]


def _folder(path: Path) -> list[str]:
    """A folder of the system; /lib is often a link to /usr/lib."""
    if path.is_symlink():
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)] if path.is_dir() else []


@functools.cache
def obstacle() -> str | None:
    """Why there is no sandbox here, and what to do; None if there is one. Tried, not guessed."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed (Debian, Ubuntu: sudo apt-get install bubblewrap)"
    try:
        subprocess.run(
            wrap(["/usr/bin/env", "true"]),
            check=True,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
    except subprocess.CalledProcessError as error:
        said = (error.stderr.strip().splitlines() or ["nothing was said"])[-1]
        return f"bubblewrap does not work here ({said}): are user namespaces switched off?"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not work here ({error})"
    return None
