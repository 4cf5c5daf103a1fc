"""Commands of nbgrader, forked off one process that has everything imported.

nbgrader takes seconds to start, and a chapter takes two of its commands. Where it is not the start
that a test is about, the command comes from here: a process of its own all the same, with the same
arguments, environment and folder as `Course` gives a fresh one.
"""

from __future__ import annotations

import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
import types
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.grading import forking

_ROOT = Path(__file__).resolve().parents[2]
_COMMAND = [sys.executable, "-W", "ignore", "-m", "nbgrader"]
_MOST = 1 << 20
#: A command that takes longer is stuck.
_SECONDS = 300.0


@contextmanager
def nbgrader_forking() -> Iterator[types.SimpleNamespace]:
    """In the block there is an nbgrader to fork off: what `course` is to use for subprocess.

    One command after the other. All answers that are checked with `forking.SETTINGS` come from one
    process as well.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        parent = subprocess.Popen(
            [*_COMMAND[:3], "-m", __name__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
            start_new_session=True,
        )
        theirs.close()

        def run(command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
            return _run(ours, command, **options)

        try:
            yield types.SimpleNamespace(run=run)
        finally:
            ours.close()
            try:
                parent.wait(20)
            except subprocess.TimeoutExpired:  # a command that is stuck
                os.killpg(parent.pid, signal.SIGKILL)
                parent.wait()


def _run(
    line: socket.socket,
    command: Sequence[str],
    *,
    cwd: Path,
    env: dict[str, str],
    capture_output: bool,
    text: bool,
    check: bool,
) -> subprocess.CompletedProcess[str]:
    """As much of `subprocess.run` as `course` uses."""
    assert list(command[:5]) == _COMMAND, f"not what is forked off: {command}"
    assert capture_output
    assert text
    assert not check
    order = {"arguments": list(command[5:]), "cwd": str(cwd), "env": env}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        socket.send_fds(line, [json.dumps(order).encode()], [out.fileno(), err.fileno()])
        assert select.select([line], [], [], _SECONDS)[0], f"nbgrader is stuck: {command}"
        code = int(line.recv(_MOST))
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(list(command), code, out.read(), err.read())


def _serve(line: socket.socket) -> None:
    """Fork once for each order, until there is nobody to give one; tell the exit code."""
    while True:
        content, descriptors, *_ = socket.recv_fds(line, _MOST, 2)
        if not content:
            return
        child = os.fork()
        if child == 0:
            line.close()
            os._exit(_become(json.loads(content), descriptors))
        for descriptor in descriptors:
            os.close(descriptor)
        line.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _become(order: dict[str, Any], descriptors: list[int]) -> int:
    """Be `python -m nbgrader` with these arguments; return its exit code."""
    for number, descriptor in enumerate(descriptors, start=1):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    sys.argv = ["nbgrader", *order["arguments"]]
    code: Any = 0
    try:
        runpy.run_module("nbgrader", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    return code if isinstance(code, int) else int(code is not None)


def _import_all() -> None:
    """What a release and a grading would import, each time."""
    warnings.simplefilter("ignore")

    import tinytf.grading.course.preprocessors  # noqa: F401


if __name__ == "__main__":
    _import_all()
    with forking.sandboxed():
        _serve(socket.socket(fileno=int(sys.argv[1])))
