"""Processes that check answers, forked off one that has everything imported.

A planted bug takes a process of its own, as any answer does, and half of its time is Python and
tinytf starting. Where it is not the start that a test is about, the process comes from here: the
same code, the same limits, environment, folder and pipes as `answer_process` gives a fresh one.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tinytf.grading import runner

ROOT = Path(__file__).resolve().parents[2]
_COMMAND = [sys.executable, "-m", "tinytf.grading.runner"]
_MOST = 1 << 20


@contextmanager
def forking() -> Iterator[types.SimpleNamespace]:
    """In the block there is a process to fork off: what `answer_process` is to use for subprocess.

    One answer at a time, not confined.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        parent = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno())],
            cwd=ROOT,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        try:
            yield types.SimpleNamespace(
                Popen=lambda command, **options: Forked(ours, command, **options),
                PIPE=subprocess.PIPE,
                TimeoutExpired=subprocess.TimeoutExpired,
            )
        finally:
            ours.close()
            parent.wait(20)


class Forked:
    """As much of a `subprocess.Popen` as `answer_process` uses."""

    def __init__(self, line: socket.socket, command: Sequence[str], **options: Any):
        assert command[:3] == _COMMAND, f"not what is forked off: {command}"
        assert options.pop("stdin") == subprocess.PIPE
        assert options.pop("start_new_session")
        assert options.pop("text")
        files = [options.pop("stdout"), options.pop("stderr")]
        kept = options.pop("pass_fds")
        order = {
            "arguments": command[3:],
            "files": kept,
            "cwd": options.pop("cwd"),
            "env": options.pop("env"),
        }
        assert not options, f"a process is started with more than is known here: {options}"
        self._line, self.args = line, command
        self.returncode: int | None = None
        read_end, self._stdin = os.pipe()
        descriptors = [read_end, *(file.fileno() for file in files), *kept]
        socket.send_fds(line, [json.dumps(order).encode()], descriptors)
        os.close(read_end)
        self.pid = int(line.recv(_MOST))

    def communicate(self, text: str, timeout: float) -> None:
        with suppress(BrokenPipeError), os.fdopen(self._stdin, "w", encoding="utf-8") as stdin:
            stdin.write(text)
        self.wait(timeout)

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._line], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self.returncode = int(self._line.recv(_MOST))
        return self.returncode

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def terminate(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)


def _serve(line: socket.socket) -> None:
    """Fork once for each order, until there is nobody to give one; tell the exit code."""
    gc.freeze()  # what is never looked at is never copied
    while True:
        content, descriptors, *_ = socket.recv_fds(line, _MOST, 8)
        if not content:
            return
        child = os.fork()
        if child == 0:
            line.close()
            _become(json.loads(content), descriptors)
            os._exit(runner.main())
        for descriptor in descriptors:
            os.close(descriptor)
        line.send(str(child).encode())
        line.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _become(order: dict[str, Any], descriptors: list[int]) -> None:
    """Make this process what the order describes: as if it had been started so."""
    os.setsid()
    numbers = [0, 1, 2, *order["files"]]
    # First out of the way of the numbers that others are to have.
    moved = [os.dup(descriptor) for descriptor in descriptors]
    above = max(*moved, *numbers) + 1
    kept = []
    for offset, descriptor in enumerate(moved):
        os.dup2(descriptor, above + offset)
        kept.append(above + offset)
    os.closerange(3, above)
    for descriptor, number in zip(kept, numbers, strict=True):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.argv = [str(runner.__file__), *order["arguments"]]
    sys.path[0] = order["cwd"]


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
