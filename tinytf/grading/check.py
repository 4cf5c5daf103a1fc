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

from tinytf.grading import collecting
from tinytf.grading.authoring import ANSWER_FILE
from tinytf.grading.exercise import Exercise, find
from tinytf.grading.report import Outcome, Report

MEMORY_BYTES = 4 << 30
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
      >>> tinytf.grading.check("ch01.ex1")
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
        "deadline": limit, "memory_bytes": MEMORY_BYTES,
    }  # fmt: skip
    read_end, write_end = os.pipe()
    with tempfile.TemporaryFile() as output, os.fdopen(read_end, encoding="utf-8") as reports:
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "tinytf.grading.runner", str(write_end)],
                stdin=subprocess.PIPE, stdout=output, stderr=output, pass_fds=(write_end,),
                start_new_session=True, text=True, cwd=tempfile.gettempdir(),
                env={**os.environ, "TINYTF_GRADING": "1"},
            )  # fmt: skip
        finally:
            os.close(write_end)
        messages, timed_out = _converse(process, json.dumps(order), reports, limit)
        printed = _tail(output)
    timed_out = timed_out or "Timeout (" in printed  # as the process itself reports its deadline
    return _report(exercise, messages, timed_out, process.returncode, printed, limit)


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


def _report(
    exercise: Exercise, messages: list[dict[str, Any]], timed_out: bool, code: int, printed: str,
    deadline: float,
) -> Report:  # fmt: skip
    checks: list[tuple[str, int]] = []
    reasons: dict[int, str] = {}
    started: int | None = None
    problem = ""
    for message in messages:
        if message["kind"] == "checks":
            checks = [tuple(item) for item in message["checks"]]
        elif message["kind"] == "problem":
            problem = message["text"]
        elif message["kind"] == "started":
            started = message["number"]
        else:
            reasons[message["number"]] = message["reason"]
            started = None
    if (not problem and len(reasons) < len(checks)) or not checks:
        problem = _why_it_ended(timed_out, code, printed, deadline, started is not None)
        printed = "" if timed_out else printed
    outcomes = [
        Outcome(title, 0 if reasons.get(i, problem) else worth, worth, reasons.get(i, problem))
        for i, (title, worth) in enumerate(checks)
    ]
    return Report(exercise.name, outcomes, problem, printed.rstrip())


def _why_it_ended(timed_out: bool, code: int, printed: str, deadline: float, in_check: bool) -> str:
    if timed_out:
        text = f"Your answer did not finish within {deadline:g} seconds."
        where = re.search(rf'File "{ANSWER_FILE}", line (\d+)', printed)
        return text + (f" It was at line {where.group(1)} of your answer." if where else "")
    if in_check:
        return f"Your answer ended the process that checked it (exit code {code})."
    return f"The check itself failed (exit code {code}): {printed[-300:]}"
