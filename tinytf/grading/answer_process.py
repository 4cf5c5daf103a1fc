"""Start the process that checks an answer, with its limits, and collect what it reports."""

from __future__ import annotations

import json
import os
import re
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any

from tinytf.devices.asking import GPUS_VARIABLE, MACHINE_VARIABLE
from tinytf.grading import sandbox
from tinytf.grading.authoring import ANSWER_FILE
from tinytf.grading.exercise import Exercise

_RUNNER = "tinytf.grading.runner"
MEMORY_BYTES = 4 << 30
#: What an answer may print, or write into one file.
OUTPUT_BYTES = 16 << 20
_OUTPUT_LIMIT = 2000
#: More is never reported by checks; an answer may write what it likes.
_MOST_REPORTED = 16 << 20
#: Seconds beyond the deadline for the process to start and to say where it was.
_START_UP = 20.0


@dataclass(slots=True)
class Heard:
    """What came back.

    Attributes:
      messages: of the runner, in order. printed: the end of what the answer printed.
      ended: why the process ended before it was done, in words for whoever wrote the answer.
    """

    messages: list[dict[str, Any]] = field(default_factory=list)
    printed: str = ""
    ended: str = ""


def run(
    exercise: Exercise, source: str, symbol: str, deadline: float, hidden: bool, confined: bool
) -> Heard:
    """Have an answer checked in a process of its own.

    Args:
      exercise: whose checks. source: of the answer. symbol: the name of its function.
      deadline: in seconds. hidden: whether the hidden checks run as well.
      confined: in a sandbox; there has to be one.
    """
    token = secrets.token_hex(16)
    order = {
        "checks": exercise.checks,
        "hidden": exercise.hidden if hidden else "",
        "symbol": symbol,
        "source": source,
        "deadline": deadline,
        "started": time.monotonic(),
        "ended_after": deadline + _START_UP,
        "memory_bytes": MEMORY_BYTES,
        "output_bytes": OUTPUT_BYTES,
        "token": token,
    }
    read_end, write_end = os.pipe()
    with (
        tempfile.TemporaryDirectory(prefix="tinytf-answer-") as folder,
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as stack,  # where the answer was when its time was up
        os.fdopen(read_end, "rb", buffering=0) as reports,
    ):
        try:
            command = [sys.executable, "-m", _RUNNER, str(write_end), str(stack.fileno())]
            process = subprocess.Popen(
                sandbox.wrap(command) if confined else command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                pass_fds=(write_end, stack.fileno()),
                start_new_session=True,
                text=True,
                cwd=folder,
                env=_environment(),
            )
        finally:
            os.close(write_end)
        heard = Heard()
        timed_out = _converse(process, json.dumps(order), reports, deadline, heard.messages)
        heard.messages = [m for m in heard.messages if m.pop("token", None) == token]
        shown = [m["bytes"] for m in heard.messages if m["kind"] == "printed"]
        heard.printed = _tail(output, shown[0] if shown else None)
        stack.seek(0)
        position = stack.read(_MOST_REPORTED).decode("utf-8", "replace")
        heard.ended = _why_it_ended(heard, timed_out, process.returncode, position, deadline)
    return heard


def _environment() -> dict[str, str]:
    """The environment of the process that checks: without the notebook's simulated GPUs.

    The notebook has usually taken their memory. The process would be told so at length, and what
    it has left would decide whether an answer is right.
    """
    kept = {**os.environ, "TINYTF_GRADING": "1"}
    for name in (GPUS_VARIABLE, MACHINE_VARIABLE):
        kept.pop(name, None)
    return kept


def _converse(
    process: subprocess.Popen[str],
    order: str,
    reports: IO[bytes],
    deadline: float,
    messages: list[dict[str, Any]],
) -> bool:
    """Hand over the order; collect what the process reports until it ends or is ended.

    Returns:
      whether it had to be ended.
    """
    # What an answer has left may have the pipe, too: its end is not waited for.
    is_over, tell_over = os.pipe()
    reader = threading.Thread(target=_read, args=(reports, is_over, messages), daemon=True)
    reader.start()
    timed_out = False
    try:
        process.communicate(order + "\n", timeout=deadline + _START_UP)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        _end(process)
        os.close(tell_over)
        reader.join()
        os.close(is_over)
    return timed_out


def _end(process: subprocess.Popen[str]) -> None:
    """End what is left: its keeper does, if it can; then the whole process group."""
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_START_UP)
    with suppress(ProcessLookupError):  # all ended by themselves
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _read(reports: IO[bytes], is_over: int, messages: list[dict[str, Any]]) -> None:
    """Read lines to the end, or to what is there when `is_over` ends.

    What is no message was written by the answer, and is left out.
    """
    content = b""
    pipe = reports.fileno()
    while pipe in select.select([pipe, is_over], [], [])[0]:
        part = os.read(pipe, 1 << 16)
        content += part
        if not part or len(content) > _MOST_REPORTED:
            break
    for line in content.decode("utf-8", "replace").splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            continue
        if isinstance(message, dict) and "kind" in message:
            messages.append(message)


def _tail(output: IO[bytes], end: int | None = None) -> str:
    size = output.seek(0, os.SEEK_END) if end is None else end
    start = max(0, size - _OUTPUT_LIMIT)
    output.seek(start)
    text = output.read(size - start).decode("utf-8", "replace")
    return f"[... {start} bytes left out]\n{text}" if start else text


def _why_it_ended(heard: Heard, timed_out: bool, code: int, position: str, deadline: float) -> str:
    """Why the process ended before all was checked; `position` is its stack at the deadline."""
    stuck = next((m for m in heard.messages if m["kind"] == "stuck"), None)
    if stuck is None and not timed_out and not position:
        if code < 0:
            code = 128 - code
        name = f", {signal.Signals(code - 128).name}" if 128 < code < 160 else ""
        return f"Your answer ended the process that checked it (exit code {code}{name})."
    text = f"Your answer did not finish within {deadline:g} seconds."
    found = re.search(rf'File "{ANSWER_FILE}", line (\d+)', position)
    line = stuck["line"] if stuck is not None else (found and found.group(1))
    if line:
        text += f" It was at line {line} of your answer."
    if stuck is not None and stuck["waits"]:
        text += f"\n{stuck['waits']}"
    return text
