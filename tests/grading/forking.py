"""Processes that check answers, forked off one that has everything imported.

A planted bug takes a process of its own, as any answer does, and half of its time is Python and
tinytf starting. Where it is not the start that a test is about, the process comes from here: the
same code, the same limits, environment, folder and pipes as `answer_process` gives a fresh one. In
a sandbox likewise: one sandbox for all answers then, and a folder of its own for each.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tinytf.grading import answer_process, runner, sandbox

_COMMAND = [sys.executable, "-m", "tinytf.grading.runner"]
_MOST = 1 << 20
#: More than Linux counts to: a process of the sandbox has no number out here.
_NOBODY = (1 << 22) + 1


@contextmanager
def forking(confined: bool = False) -> Iterator[types.SimpleNamespace]:
    """In the block there is a process to fork off: what `answer_process` is to use for subprocess.

    One answer after the other.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        # As text: in the sandbox, no test is to be seen.
        text = Path(__file__).read_text(encoding="utf-8")
        command = [sys.executable, "-c", text, str(theirs.fileno())]
        parent = subprocess.Popen(
            sandbox.wrap(command) if confined else command, pass_fds=[theirs.fileno()]
        )
        theirs.close()
        line = Line(ours, parent, confined)
        try:
            yield types.SimpleNamespace(
                Popen=functools.partial(Forked, line),
                PIPE=subprocess.PIPE,
                TimeoutExpired=subprocess.TimeoutExpired,
            )
        finally:
            ours.close()
            parent.wait(20)


#: What makes an nbgrader that reads it check answers so: to be added to a course's settings.
SETTINGS = """
from tests.grading.forking import fork_in_sandbox
fork_in_sandbox()
"""
_open: list[types.SimpleNamespace] = []


@contextmanager
def sandboxed() -> Iterator[None]:
    """In the block, `fork_in_sandbox` has a process to fork off, also in forks of this one."""
    with forking(confined=True) as processes:
        _open.append(processes)
        try:
            yield
        finally:
            _open.remove(processes)


def fork_in_sandbox() -> None:
    """From now on, this program checks answers in one sandbox, which is there already."""
    answer_process.subprocess = _open[0]


class Line:
    """To the process that is forked: a socket, and whose turn it is."""

    def __init__(self, socket: socket.socket, parent: subprocess.Popen[bytes], confined: bool):
        self.socket, self.parent, self.confined = socket, parent, confined
        self.turn = threading.Lock()


class Forked:
    """As much of a `subprocess.Popen` as `answer_process` uses."""

    def __init__(self, line: Line, command: Sequence[str], **options: Any):
        started = command[-5:]
        assert started[:3] == _COMMAND, f"not what is forked off: {command}"
        assert command == (sandbox.wrap(started) if line.confined else started)
        assert options.pop("stdin") == subprocess.PIPE
        assert options.pop("start_new_session")
        assert options.pop("text")
        files = [options.pop("stdout"), options.pop("stderr")]
        kept = options.pop("pass_fds")
        order = {
            "arguments": started[3:],
            "files": kept,
            "cwd": options.pop("cwd"),
            "env": options.pop("env"),
        }
        if line.confined:  # the sandbox says where and with what
            order["cwd"] = order["env"] = None
        assert not options, f"a process is started with more than is known here: {options}"
        self._line, self.args = line, command
        self.returncode: int | None = None
        read_end, self._stdin = os.pipe()
        descriptors = [read_end, *(file.fileno() for file in files), *kept]
        line.turn.acquire()
        try:
            socket.send_fds(line.socket, [json.dumps(order).encode()], descriptors)
            number = int(line.socket.recv(_MOST))
        except (OSError, ValueError) as gone:  # the next answer is not to wait for its turn
            line.turn.release()
            os.close(self._stdin)
            code = line.parent.wait(20)
            raise RuntimeError(f"no process to fork from: it ended with {code}") from gone
        finally:
            os.close(read_end)
        self.pid = _NOBODY if line.confined else number

    def communicate(self, text: str, timeout: float) -> None:
        with suppress(BrokenPipeError), os.fdopen(self._stdin, "w", encoding="utf-8") as stdin:
            stdin.write(text)
        self.wait(timeout)

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            line = self._line.socket
            if not select.select([line], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self.returncode = int(line.recv(_MOST) or -signal.SIGKILL)
            self._line.turn.release()
        return self.returncode

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def terminate(self) -> None:
        if self._line.confined:
            self._line.parent.kill()  # no answer after this one is checked
            return
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)


#: What many checks import, beside all that the runner itself imports.
_WANTED = """
    tinytf.distributed.client.remote_session tinytf.distributed.local_cluster
    tinytf.distributed.server.server tinytf.distributed.wire.grpc_server
    tinytf.distributed.wire.unix_server tinytf.devices.simulated tinytf.estimator
    tinytf.feature_column tinytf.kernels.sharding.table tinytf.runtime.parallel_executor
    tinytf.simulation tinytf.testing.schedules
""".split()


def _serve(line: socket.socket) -> None:
    """Fork once for each order, until there is nobody to give one; tell the exit code."""
    for name in _WANTED:
        importlib.import_module(name)
    sysconfig.get_config_vars()
    gc.collect()
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
    if order["env"] is not None:
        os.environ.clear()
        os.environ.update(order["env"])
    folder = order["cwd"] or tempfile.mkdtemp()
    os.chdir(folder)
    sys.argv = [str(runner.__file__), *order["arguments"]]
    sys.path[0] = folder


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
