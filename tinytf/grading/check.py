"""`check`: send an answer to a process of its own and report what came of it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import IO, Any

from tinytf.devices.asking import GPUS_VARIABLE, MACHINE_VARIABLE
from tinytf.grading import collecting
from tinytf.grading.authoring import ANSWER_FILE
from tinytf.grading.exercise import Exercise, find
from tinytf.grading.report import Outcome, Report

_RUNNER = "tinytf.grading.runner"
MEMORY_BYTES = 4 << 30
#: What an answer may print, or write into one file.
OUTPUT_BYTES = 16 << 20
_OUTPUT_LIMIT = 2000
#: Seconds beyond the deadline for the process to start and to say where it was.
_START_UP = 10.0


def check(
    exercise: str, answer: Callable[..., Any] | None = None, deadline: float | None = None
) -> Report:
    """Check an answer to an exercise, in a process of its own.

    Args:
      exercise: its name, "ch01.ex1".
      answer: the function asked for; by default the one of the right name in the notebook.
      deadline: seconds until it is given up; default: the exercise's own.

    Returns:
      a `Report`, which a notebook shows: points, and for each check why it failed.

    Raises:
      UnknownExerciseError: if there is no such exercise.

    Example:
      >>> tinytf.grading.check("ch01.ex1")  # doctest: +SKIP
    """
    found = find(exercise)
    if answer is None:
        answer = sys._getframe(1).f_globals.get(found.symbol)
    if answer is None:
        return Report(exercise, problem=f"Define a function called {found.symbol} first.")
    try:
        source = collecting.collect(answer)
    except collecting.CannotCollectError as error:
        return Report(exercise, problem=str(error))
    return check_source(found, source, deadline, symbol=answer.__name__)


def check_source(
    exercise: Exercise, source: str, deadline: float | None = None, symbol: str | None = None
) -> Report:
    """Check an answer given as source text; see `check`."""
    limit = exercise.deadline if deadline is None else deadline
    order = {
        "folder": str(exercise.folder), "symbol": symbol or exercise.symbol, "source": source,
        "deadline": limit, "memory_bytes": MEMORY_BYTES, "output_bytes": OUTPUT_BYTES,
    }  # fmt: skip
    read_end, write_end = os.pipe()
    with (
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as stack,  # where the answer was when its time was up
        os.fdopen(read_end, encoding="utf-8") as reports,
    ):
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", _RUNNER, str(write_end), str(stack.fileno())],
                stdin=subprocess.PIPE, stdout=output, stderr=output,
                pass_fds=(write_end, stack.fileno()),
                start_new_session=True, text=True, cwd=tempfile.gettempdir(),
                env=_environment(),
            )  # fmt: skip
        finally:
            os.close(write_end)
        messages, timed_out = _converse(process, json.dumps(order), reports, limit)
        printed, position = _tail(output), _tail(stack)
    ended = _why_it_ended(timed_out, process.returncode, position, limit)
    return _report(exercise, messages, ended, printed)


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
    process: subprocess.Popen[str], order: str, reports: IO[str], deadline: float
) -> tuple[list[dict[str, Any]], bool]:
    """Hand over the order; collect what the process reports until it ends or is ended."""
    messages: list[dict[str, Any]] = []
    reader = threading.Thread(
        target=lambda: messages.extend(json.loads(line) for line in reports), daemon=True
    )
    reader.start()
    timed_out = False
    try:
        process.communicate(order + "\n", timeout=deadline + _START_UP)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        # The whole process group: an answer may have started processes of its own.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # all ended by themselves
        process.wait()
        reader.join(timeout=_START_UP)
    return messages, timed_out


def _tail(output: IO[bytes]) -> str:
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - _OUTPUT_LIMIT))
    text = output.read().decode("utf-8", "replace")
    return f"[... {size - _OUTPUT_LIMIT} bytes left out]\n{text}" if size > _OUTPUT_LIMIT else text


def _report(exercise: Exercise, messages: list[dict[str, Any]], ended: str, printed: str) -> Report:
    checks: list[tuple[str, int]] = []
    reasons: dict[int, str] = {}
    problem = ""
    for message in messages:
        if message["kind"] == "checks":
            checks = [tuple(item) for item in message["checks"]]
        elif message["kind"] == "problem":
            problem = message["text"]
        else:
            reasons[message["number"]] = message["reason"]
    if (not problem and len(reasons) < len(checks)) or not checks:
        problem = ended if checks else f"The check itself failed: {printed[-300:]}"
    outcomes = [
        Outcome(title, 0 if reasons.get(i, problem) else worth, worth, reasons.get(i, problem))
        for i, (title, worth) in enumerate(checks)
    ]
    return Report(exercise.name, outcomes, problem, printed.rstrip())


def _why_it_ended(timed_out: bool, code: int, position: str, deadline: float) -> str:
    """Why the process ended before all was checked; `position` is its stack at the deadline."""
    if timed_out or position:
        text = f"Your answer did not finish within {deadline:g} seconds."
        where = re.search(rf'File "{ANSWER_FILE}", line (\d+)', position)
        return text + (f" It was at line {where.group(1)} of your answer." if where else "")
    return f"Your answer ended the process that checked it (exit code {code})."
