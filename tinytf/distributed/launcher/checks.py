"""What can be said about the launch of a script before anything is started."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from tinytf.distributed.cluster.task_names import TaskName

#: Flags that every task is given: nobody else may.
FLAGS = ("--ps_hosts", "--worker_hosts", "--job_name", "--task_index")


def script_to_run(script: str | Path) -> Path:
    """The script's file; FileNotFoundError, with what is beside it, if there is none."""
    path = Path(script)
    if path.is_file():
        return path
    reason = "It is a folder." if path.is_dir() else "There is no such file."
    beside = sorted(one.name for one in (path if path.is_dir() else path.parent).glob("*.py"))
    if beside:
        reason += f" In that folder are: {', '.join(beside[:10])}."
    raise FileNotFoundError(f"Cannot start {path} once for each task: {reason}")


def interpreter(python: str) -> str:
    """The program that runs the script; FileNotFoundError if there is none."""
    if shutil.which(python) is None:
        raise FileNotFoundError(f"There is no program {python} to run the script with (python=).")
    return python


def check_arguments(arguments: Sequence[str]) -> list[str]:
    """The script's own arguments, as strings; ValueError for a flag that the launcher gives."""
    given = [str(one) for one in arguments]
    for one in given:
        flag = one.partition("=")[0]
        if flag in FLAGS:
            raise ValueError(
                f"{one}: the launcher itself gives {flag} to each task. Say how many tasks there "
                "shall be (ps=1, worker=3; --ps 1 --worker 3), and on which ports (first_port, "
                "--first-port)."
            )
    return given


def tasks_of(ps: int, worker: int, estimator: bool) -> list[TaskName]:
    """The tasks that are in the cluster; ValueError for numbers that make none.

    Args:
      estimator: whether the first worker is called the chief, as estimators want it.
    """
    for job, count in (("ps", ps), ("worker", worker)):
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise ValueError(f"{job}={count!r}: it must be the number of tasks, 0 or more.")
    if worker == 0:
        raise ValueError(
            "worker=0: nobody would train, and the launch would never end: it ends when all "
            "workers (or the client) are done. Start at least one worker."
        )
    counts = {"ps": ps, "chief": 1, "worker": worker - 1}
    counts = counts if estimator else {"ps": ps, "worker": worker}
    return [TaskName(job, index) for job, count in counts.items() for index in range(count)]


def check_limits(restarts: int, period: float, grace: float) -> None:
    """ValueError for a negative number of restarts, or spans of time that are none."""
    if not isinstance(restarts, int) or restarts < 0:
        raise ValueError(f"restarts={restarts!r}: it must be a number, 0 or more.")
    for name, seconds in (("period", period), ("grace", grace)):
        if not seconds >= 0:
            raise ValueError(f"{name}={seconds!r}: it must be a number of seconds, 0 or more.")
