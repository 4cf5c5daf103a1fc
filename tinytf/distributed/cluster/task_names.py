"""Names of tasks, as people write them: "worker:1", "/job:worker/task:1"."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME = re.compile(r"(?:/job:)?([A-Za-z][\w.-]*)(?:/replica:0)?(?:/task:|:)(\d+)")


@dataclass(frozen=True)
class TaskName:
    """One task of a cluster: its job and its index. `str` gives "worker:1"."""

    job: str
    index: int

    @property
    def full(self) -> str:
        """The name of its devices' task, "/job:worker/replica:0/task:1"."""
        return f"/job:{self.job}/replica:0/task:{self.index}"

    def __str__(self) -> str:
        return f"{self.job}:{self.index}"


def parse_task(text: str) -> TaskName:
    """The task that a name means; ValueError if it is no name of a task.

    Example:
      >>> parse_task("/job:worker/task:1") == parse_task("worker:1")
      True
    """
    found = _NAME.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"{text!r} is not the name of a task. Write it like worker:1 or /job:worker/task:1."
        )
    return TaskName(found[1], int(found[2]))
