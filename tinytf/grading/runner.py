"""The process in which an answer is checked: `python -m tinytf.grading.runner`.

Reads one JSON object from stdin: the source of the checks and of the answer, and the limits. Writes
one JSON line to the file descriptor named in the first argument after each check, so that what was
reached before a crash or the deadline still counts, and to the one named in the second where the
answer was at the deadline. It runs the learner's own code, sent over a private pipe; nothing else
talks to it, and it needs no file but Python's and tinytf's own.
"""

from __future__ import annotations

import errno
import faulthandler
import json
import linecache
import os
import re
import resource
import sys
import threading
import time
import traceback
from contextlib import suppress
from types import ModuleType
from typing import Any

from tinytf.diagnosis import texts
from tinytf.diagnosis.picture import take_picture
from tinytf.framework import waiting
from tinytf.framework.stacks import reset_default_graph
from tinytf.framework.thread_frames import thread_frames
from tinytf.grading import collecting
from tinytf.grading.authoring import ANSWER_FILE, Check, Wrong
from tinytf.grading.calls import Calls
from tinytf.grading.guard import Guard
from tinytf.grading.keeper import keep
from tinytf.grading.report import NOT_BEGUN, SAME_CAUSE

#: The name by which hidden checks import from the visible ones.
CHECKS_MODULE = "exercise_checks"
#: Seconds after the deadline until the process is ended by force: a kernel that keeps the
#: interpreter's lock lets nobody else say anything.
_GRACE = 4.0
#: What a hidden check may tell: its message, not the whole of what the answer returned.
_HIDDEN_WORDS = 300
_MOST_WAITS = 14


class Reports:
    """The pipe back. Each line carries a token, which the answer is not given."""

    def __init__(self, descriptor: int, token: str):
        self._descriptor, self._token = descriptor, token
        self._lock = threading.Lock()

    def write(self, **message: Any) -> None:
        """One line."""
        text = json.dumps({"token": self._token, **message}) + "\n"
        with self._lock:
            os.write(self._descriptor, text.encode())


def main() -> int:
    """Check one answer; the exit code is 0 however wrong it is."""
    order = json.loads(sys.stdin.readline())
    reports = Reports(int(sys.argv[1]), order.pop("token"))
    _limit(order)
    keep(order["ended_after"])
    checks = _checks(order)
    deadline = _left(order["deadline"], time.monotonic() - order["started"])
    # Of a wait that does not end the deadline tells; the runtime's own report would say it twice.
    waiting.patience_seconds = max(waiting.patience_seconds, 2 * deadline)
    faulthandler.dump_traceback_later(deadline + _GRACE, exit=True, file=int(sys.argv[2]))
    watch = threading.Timer(deadline, _time_is_up, [reports])
    watch.daemon = True
    watch.start()
    _check(checks, order, reports)
    # At once: threads that the answer left must not keep the learner waiting.
    os._exit(0)


def _left(deadline: float, passed: float) -> float:
    """What is left of the deadline, for whoever asked has waited since the process was started.

    On a busy machine it starts slowly, and that must not be at the cost of the answer.
    """
    return deadline - min(passed, deadline / 10)


def _limit(order: dict[str, Any]) -> None:
    memory, size = int(order["memory_bytes"]), int(order["output_bytes"])
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _time_is_up(reports: Reports) -> None:
    """Say where the answer is and what it waits for, and end, whatever it is doing."""
    position = None
    for frame in thread_frames().values():
        innermost: Any = frame
        while innermost is not None and innermost.f_code.co_filename != ANSWER_FILE:
            innermost = innermost.f_back
        position = position or (innermost and innermost.f_lineno)
    picture = take_picture()
    lines = texts.of_picture(picture).splitlines() if any(a.waits for a in picture.actors) else []
    waits = "\n".join(lines[:_MOST_WAITS])
    reports.write(kind="stuck", line=position, waits=waits)
    _flush()
    os._exit(1)


def _checks(order: dict[str, Any]) -> list[tuple[Check, bool]]:
    """The checks, and whether they are hidden ones."""
    visible = load_checks(order.pop("checks"))
    hidden = load_checks(order.pop("hidden"), "hidden_checks") if order["hidden"] else []
    sys.modules.pop(CHECKS_MODULE, None)  # an answer has no business there
    return [(check, False) for check in visible] + [(check, True) for check in hidden]


def _check(checks: list[tuple[Check, bool]], order: dict[str, Any], reports: Reports) -> None:
    reports.write(kind="checks", checks=[(c.title, c.points, is_hidden) for c, is_hidden in checks])
    guard = Guard()
    answer = _load_answer(order["source"], order["symbol"], reports)
    if answer is None or _is_replaced(guard, reports):
        return
    calls, known = Calls(answer), set[str]()
    for number, (check, is_hidden) in enumerate(checks):
        if is_hidden and not checks[number - 1][1]:
            _flush()
            reports.write(kind="printed", bytes=os.fstat(1).st_size)
        reason, causes = _run(check, calls, guard)
        if is_hidden:
            reason = reason[:_HIDDEN_WORDS]
        if causes and causes <= known:
            reason = SAME_CAUSE
        known |= causes
        reports.write(kind="done", number=number, reason=reason)
    _flush()


def load_checks(source: str, name: str = CHECKS_MODULE) -> list[Check]:
    """The checks in a source text, in the order they are written.

    The module is in `sys.modules` afterwards, for others to import from.
    """
    module = ModuleType(name)
    module.__file__ = f"{name}.py"
    sys.modules[name] = module
    exec(compile(source, f"{name}.py", "exec"), vars(module))  # noqa: S102 - the course's own
    return [value for value in vars(module).values() if isinstance(value, Check)]


def _load_answer(source: str, symbol: str, reports: Reports) -> Any:
    linecache.cache[ANSWER_FILE] = (len(source), None, source.splitlines(True), ANSWER_FILE)
    namespace: dict[str, Any] = {"__name__": "answer"}
    try:
        exec(compile(source, ANSWER_FILE, "exec"), namespace)  # noqa: S102 - see the module
    except BaseException as error:
        reports.write(kind="problem", text=f"Your answer does not even load: {_explain(error)}")
        return None
    if not callable(namespace.get(symbol)):
        text = collecting.missing(symbol, collecting.functions_of(namespace))
        reports.write(kind="problem", text=text)
        return None
    return namespace[symbol]


def _is_replaced(guard: Guard, reports: Reports) -> bool:
    replaced = guard.put_back()
    if replaced:
        reports.write(kind="problem", text=_replaced(replaced))
    return bool(replaced)


def _replaced(names: list[str]) -> str:
    shown = ", ".join(names[:3]) + (" ..." if len(names) > 3 else "")
    return f"Your answer replaces {shown}, which the checks rely on. Leave it as it is."


def _run(check: Check, calls: Calls, guard: Guard) -> tuple[str, set[str]]:
    """Why the check failed; "" if it passed. Also the causes, which other checks may share.

    Nothing an answer raises gets past here.
    """
    reset_default_graph()
    calls.begin()
    failed: BaseException | None = None
    try:
        check.function(calls.answer)
    except BaseException as error:
        failed = error
    if replaced := guard.put_back():  # before anything is done with what the answer has replaced
        return _replaced(replaced), {"replaced"}
    if failed is None:
        return "", set()
    if isinstance(failed, NotImplementedError):
        return NOT_BEGUN, set()
    if isinstance(failed, Wrong):
        return _judge(failed, calls)
    text = _explain(failed)
    return text, {_cause(text)}


def _judge(wrong: Wrong, calls: Calls) -> tuple[str, set[str]]:
    """What is wrong, after what it comes from; and the causes."""
    if calls.gave_nothing():
        name = calls.answer.__name__
        return f"{name} returned None: it ended without a `return`.\n{wrong}", {"None"}
    idle, is_given = dict[str, str](), False
    with suppress(Exception):  # what an answer returns may do anything when it is looked at
        idle, is_given = calls.never_run()
    if idle:
        rest = "What this check looks at depends on it, and was not checked."
        return "\n".join([*idle.values(), rest if is_given else str(wrong)]), set(idle)
    return str(wrong), {_cause(f"{wrong.message} {wrong.expected} {wrong.got}")}


def _cause(text: str) -> str:
    """A text without what differs from call to call: numbers of names, schedules."""
    return re.sub(r"_\d+\b|\n?\(in schedule \d+\)|^schedule \d+: ", "", text)


def _explain(error: BaseException) -> str:
    """The error in one or two lines, with the line of the answer it came from."""
    text = "".join(traceback.format_exception_only(error)).strip()
    if isinstance(error, OSError) and error.errno == errno.EFBIG:
        text = "Your answer printed, or wrote to a file, more than it may."
    elif isinstance(error, SystemExit):
        text = f"SystemExit: your answer ends Python ({error.code!r}); it has to return."
    elif isinstance(error, MemoryError):
        text = "MemoryError: your answer needs more memory than it may have."
    elif isinstance(error, ModuleNotFoundError):
        text = (
            f"{text}: this package is not installed where answers are checked. An answer may use "
            f"tinytf, numpy and what comes with Python."
        )
    lines = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == ANSWER_FILE]
    if not lines:
        return text
    last = lines[-1]
    return f"{text}\nat line {last.lineno} of your answer: {last.line}"


def _flush() -> None:
    """Write out what was printed; an answer may have closed or replaced the streams."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue


if __name__ == "__main__":
    sys.exit(main())
