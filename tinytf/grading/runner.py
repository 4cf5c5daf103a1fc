"""The process in which an answer is checked: `python -m tinytf.grading.runner`.

Reads one JSON object from stdin: the folder of the exercise, the name of the function, and the
source of the answer. Writes one JSON line to the file descriptor named in the first argument after
each check, so that what was reached before a crash or the deadline still counts, and to the one
named in the second where the answer was at the deadline. It runs the learner's
own code, sent over a private pipe by the learner's own kernel; nothing else talks to it.
"""

from __future__ import annotations

import errno
import faulthandler
import importlib.util
import json
import linecache
import os
import resource
import sys
import traceback
from pathlib import Path
from typing import Any, TextIO

from tinytf.framework.stacks import reset_default_graph
from tinytf.grading.authoring import ANSWER_FILE, Check, Wrong


def main() -> int:
    """Check one answer; the exit code is 0 however wrong it is."""
    order = json.loads(sys.stdin.readline())
    with os.fdopen(int(sys.argv[1]), "w", encoding="utf-8") as reports:
        limit = int(order["memory_bytes"])
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        size = int(order["output_bytes"])
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        # If the deadline passes: say where the answer was, and end, whatever it is doing.
        faulthandler.dump_traceback_later(
            float(order["deadline"]), exit=True, file=int(sys.argv[2])
        )
        _check(order, reports)
    return 0


def _check(order: dict[str, Any], reports: TextIO) -> None:
    checks = load_checks(Path(order["folder"]))
    _write(reports, kind="checks", checks=[(c.title, c.points) for c in checks])
    answer = _load_answer(order["source"], order["symbol"], reports)
    if answer is None:
        return
    for number, check in enumerate(checks):
        reason = _run(check, answer)
        _write(reports, kind="done", number=number, reason=reason)


def load_checks(folder: Path) -> list[Check]:
    """The checks of an exercise, in the order they are written."""
    spec = importlib.util.spec_from_file_location("exercise_checks", folder / "checks.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(folder / "checks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [value for value in vars(module).values() if isinstance(value, Check)]


def _load_answer(source: str, symbol: str, reports: TextIO) -> Any:
    linecache.cache[ANSWER_FILE] = (len(source), None, source.splitlines(True), ANSWER_FILE)
    namespace: dict[str, Any] = {"__name__": "answer"}
    try:
        exec(compile(source, ANSWER_FILE, "exec"), namespace)  # noqa: S102 - see the module
    except BaseException as error:
        _write(reports, kind="problem", text=f"Your answer does not even load: {_explain(error)}")
        return None
    return namespace[symbol]


def _run(check: Check, answer: Any) -> str:
    """Why the check failed; "" if it passed. Nothing an answer raises gets past here."""
    reset_default_graph()
    try:
        check.function(answer)
    except Wrong as wrong:
        return str(wrong)
    except NotImplementedError:
        return "Not done yet."
    except BaseException as error:
        return _explain(error)
    return ""


def _explain(error: BaseException) -> str:
    """The error in one or two lines, with the line of the answer it came from."""
    text = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, OSError) and error.errno == errno.EFBIG:
        text = "Your answer printed, or wrote to a file, more than it may."
    lines = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == ANSWER_FILE]
    if not lines:
        return text
    last = lines[-1]
    return f"{text}\nat line {last.lineno} of your answer: {last.line}"


def _write(reports: TextIO, **message: Any) -> None:
    reports.write(json.dumps(message) + "\n")
    reports.flush()


if __name__ == "__main__":
    sys.exit(main())
