"""What tasks print, in one notebook cell: whole lines, each under its task's name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any


class TaskOutput:
    """Lines in the order in which they come, or task by task.

    Args:
      tasks: the names. in_order: whether one task's lines come after all of those before it; what
        a notebook shows is then the same every time.
    """

    def __init__(self, tasks: Sequence[str], in_order: bool = False):
        self._tasks = tasks
        self._width = max(map(len, tasks))
        self._begun: dict[tuple[str, str], str] = {}  # lines without an end, by task and kind
        self._written: Any = None
        # The tasks whose lines must wait for the first of these to end.
        self._turns = list(tasks) if in_order else []
        self._waiting: dict[str, list[tuple[str, str]]] = {task: [] for task in tasks}
        self._ended: set[str] = set()

    def add(self, task: str, kind: str, text: str) -> None:
        """Show as many lines as are whole. `kind`: "stdout", "stderr", "result" or "error"."""
        if kind in ("result", "error"):
            self._finish_lines(task)
            self._write(task, kind, text.rstrip("\n"))
            return
        *lines, rest = (self._begun.pop((task, kind), "") + text).split("\n")
        # Progress bars go back to the line's beginning and write it anew.
        self._begun[task, kind] = _last(rest)
        if lines:
            self._write(task, kind, "\n".join(map(_last, lines)))

    def end(self, task: str) -> None:
        """A task has nothing more to say: show the line it has begun."""
        self._finish_lines(task)
        self._ended.add(task)
        while self._turns and self._turns[0] in self._ended:
            del self._turns[0]
            for kind, text in self._waiting.pop(self._turns[0]) if self._turns else ():
                self._write_now(self._turns[0], kind, text)

    def close(self) -> None:
        """Nothing more is shown, of any task."""
        for task in self._tasks:
            self.end(task)
        self.flush()

    def flush(self) -> None:
        """Let the notebook show what it got."""
        if self._written is not None:
            self._written.flush()

    def _finish_lines(self, task: str) -> None:
        for kind in ("stdout", "stderr"):
            rest = self._begun.pop((task, kind), "")
            if rest:
                self._write(task, kind, rest)

    def _write(self, task: str, kind: str, text: str) -> None:
        if self._turns and task != self._turns[0]:
            self._waiting[task].append((kind, text))
        else:
            self._write_now(task, kind, text)

    def _write_now(self, task: str, kind: str, text: str) -> None:
        stream = sys.stderr if kind in ("stderr", "error") else sys.stdout
        if self._written is not stream:
            self.flush()  # or they might be shown in another order
            self._written = stream
        prefix = f"{task:{self._width}} | "
        stream.write("".join(f"{prefix}{line}\n" for line in text.split("\n")))


def _last(line: str) -> str:
    return line.rstrip("\r").rpartition("\r")[2]
