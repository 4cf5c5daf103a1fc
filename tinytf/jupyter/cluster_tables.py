"""`%cluster vars|queues|containers`: what lives on the tasks, as a small table for each.

The tasks are asked all at once, over an extension of the protocol that only tinytf's servers have
(`distributed.inspection`). One that does not answer has its error in place of its table.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from tinytf.framework.errors import OpError

#: How long a task may take to answer.
SECONDS = 3.0


def _columns(words: str) -> list[tuple[str, str]]:
    """The key of each column, and its title if that is another."""
    return [(key, title or key) for key, _, title in (w.partition(":") for w in words.split())]


#: what is asked for -> (key of a row, title of the column)
COLUMNS = {
    "variables": _columns("name shape dtype bytes container initialized:initialised"),
    "queues": _columns("name type:kind size:elements capacity closed container"),
    "containers": _columns("name:container variables queues others bytes"),
}
_RIGHT = {"bytes", "elements", "capacity", "variables", "queues", "others"}


class TaskTable(NamedTuple):
    """What one task has: `rows`, or `trouble`, why it did not say."""

    task: str
    rows: list[dict[str, Any]]
    trouble: str = ""


class ClusterTable:
    """A table for each task; text, or HTML in a notebook.

    Args:
      what: "variables", "queues" or "containers". tasks: what each of them said.
    """

    def __init__(self, what: str, tasks: Sequence[TaskTable]):
        self.what, self.tasks = what, list(tasks)

    def __repr__(self) -> str:
        return "\n".join(line for task in self.tasks for line in self._text_of(task))

    def _text_of(self, task: TaskTable) -> list[str]:
        head = f"{task.task}  {self._total(task)}"
        if not task.rows:
            return [head]
        titles = [title for _, title in COLUMNS[self.what]]
        lines = [titles, *(self._cells(row) for row in task.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return [head] + ["  " + _padded(line, titles, widths) for line in lines]

    def _repr_html_(self) -> str:
        return "".join(self._html_of(task) for task in self.tasks)

    def _html_of(self, task: TaskTable) -> str:
        caption = f"<b>{html.escape(task.task)}</b> {html.escape(self._total(task))}"
        if not task.rows:
            return f"<p>{caption}</p>"
        titles = [title for _, title in COLUMNS[self.what]]
        style = ['style="text-align:right"' if t in _RIGHT else "" for t in titles]
        body = "".join(
            "<tr>"
            + "".join(
                f"<td {s}>{html.escape(cell)}</td>"
                for s, cell in zip(style, self._cells(row), strict=True)
            )
            + "</tr>"
            for row in task.rows
        )
        head = "".join(f"<th {s}>{t}</th>" for s, t in zip(style, titles, strict=True))
        return (
            f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )

    def _total(self, task: TaskTable) -> str:
        if task.trouble:
            return task.trouble
        word = self.what if len(task.rows) != 1 else self.what[:-1]
        total = f"{len(task.rows) or 'no'} {word}"
        known = [row["bytes"] for row in task.rows if isinstance(row.get("bytes"), int)]
        return f"{total}, {sum(known):,} bytes" if known else total

    def _cells(self, row: Mapping[str, Any]) -> list[str]:
        return [_shown(key, row.get(key)) for key, _ in COLUMNS[self.what]]


def look(
    what: str, addresses: Mapping[str, str], silent: Mapping[str, str] | None = None
) -> ClusterTable:
    """Ask tasks what lives on them.

    Args:
      what: "variables", "queues" or "containers". addresses: of the tasks, by name.
      silent: those that will not answer, and why: they are not asked.
    """

    def ask(task: str) -> TaskTable:
        if silent and task in silent:
            return TaskTable(task, [], silent[task])
        # grpc is not imported before a task is asked something.
        from tinytf.distributed import inspection

        try:
            found = inspection.look(addresses[task], [what], SECONDS)
        except OpError as error:
            return TaskTable(task, [], f"does not answer: {error.message.splitlines()[0]}")
        return TaskTable(task, list(found.get(what) or []))

    with ThreadPoolExecutor(max(1, len(addresses))) as pool:
        return ClusterTable(what, list(pool.map(ask, addresses)))


#: What a key's value means where there is none.
_NONE = {"container": "(default)", "capacity": "unlimited", "shape": "<unknown>"}


def _shown(key: str, value: Any) -> str:
    if value is None:
        return _NONE.get(key, "?")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):
        if key == "shape":
            return (
                "["
                + ", ".join("?" if size is None or size < 0 else str(size) for size in value)
                + "]"
            )
        return str(len(value))
    return str(value) or "(default)"


def _padded(cells: Sequence[str], titles: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(
        cell.rjust(width) if title in _RIGHT else cell.ljust(width)
        for cell, title, width in zip(cells, titles, widths, strict=True)
    ).rstrip()
