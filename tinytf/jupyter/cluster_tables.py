"""`%cluster tasks|vars|queues|containers`: how tasks work and what lives on them, as small tables.

The tasks are asked all at once, over an extension of the protocol that only tinytf's servers have
(`distributed.inspection`). One that does not answer has its error in place of its table.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from tinytf.framework.errors import OpError
from tinytf.jupyter.picture import plural, short_device

#: How long a task may take to answer.
SECONDS = 3.0


def _columns(words: str) -> list[tuple[str, str]]:
    """The key of each column, and its title if that is another."""
    return [(key, title or key) for key, _, title in (w.partition(":") for w in words.split())]


#: what is asked for -> (key of a row, title of the column)
COLUMNS = {
    "tasks": [("kernel", "kernel threads"), ("blas", "BLAS threads"), ("calls", "calls")],
    "variables": _columns("name shape dtype bytes container initialized:initialised"),
    "queues": _columns("name type:kind size:elements capacity closed container"),
    "containers": _columns("name:container variables queues others bytes"),
}
_RIGHT = {"bytes", "elements", "capacity", "variables", "queues", "others"}


class TaskTable(NamedTuple):
    """What one task has: `rows`, and `words` in place of their number, or why it did not say."""

    task: str
    rows: list[dict[str, Any]]
    words: str = ""


class ClusterTable:
    """A table for each task; text, or HTML in a notebook.

    Args:
      what: one of `COLUMNS`. tasks: what each of them said.
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
        sides = ["right" if title in _RIGHT else "left" for title in titles]

        def line(tag: str, cells: Sequence[str]) -> str:
            pairs = zip(sides, map(html.escape, cells), strict=True)
            texts = (f'<{tag} style="text-align:{s}">{cell}</{tag}>' for s, cell in pairs)
            return f"<tr>{''.join(texts)}</tr>"

        body = "".join(line("td", self._cells(row)) for row in task.rows)
        head = f'<table><caption style="text-align:left">{caption}</caption>'
        return f"{head}<thead>{line('th', titles)}</thead><tbody>{body}</tbody></table>"

    def _total(self, task: TaskTable) -> str:
        if task.words:
            return task.words
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
      what: one of `COLUMNS`. addresses: of the tasks, by name.
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
        rows = list(found.get(what) or [])
        if what == "tasks":
            words = f"{plural(rows[0]['steps'], 'step')} running"
            return TaskTable(task, [at_work(rows[0])], words)
        return TaskTable(task, rows)

    with ThreadPoolExecutor(max(1, len(addresses))) as pool:
        return ClusterTable(what, list(pool.map(ask, addresses)))


def at_work(task: Mapping[str, Any]) -> dict[str, Any]:
    """How many threads a task has, and by which transport it calls others; see `server.views`."""
    calls = [f"{short_device(to)} by {way}" for to, way in task["transports"].items()]
    return {**task["threads"], "calls": ", ".join(calls) or "no other task yet"}


#: What a key's value means where there is none.
_NONE = {"container": "(default)", "capacity": "unlimited", "shape": "<unknown>"}


def _shown(key: str, value: Any) -> str:
    if value is None:
        return _NONE.get(key, "?")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list):  # a shape
        return f"[{', '.join('?' if size is None or size < 0 else str(size) for size in value)}]"
    return str(value) or "(default)"


def _padded(cells: Sequence[str], titles: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(
        cell.rjust(width) if title in _RIGHT else cell.ljust(width)
        for cell, title, width in zip(cells, titles, widths, strict=True)
    ).rstrip()
