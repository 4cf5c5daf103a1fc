"""What is said about a task that cannot be reached: which, where, how so, and what to do."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from typing import Any

from tinytf.distributed.cluster.cluster_spec import ClusterSpec, tasks_of
from tinytf.distributed.cluster.task_names import parse_task
from tinytf.framework.errors import (
    AbortedError,
    DeadlineExceededError,
    FailedPreconditionError,
    OpError,
    UnavailableError,
)

START_SERVER = "Start it (tf.train.Server, tinytf serve, %cluster start)"
#: How a task that does not answer fails to: nobody listens; no word comes; or something else.
REFUSED, SILENT, UNREACHABLE, WRONG = "refused", "silent", "unreachable", "wrong"

#: Of how many tasks that do not answer more is said than their names.
MOST_DESCRIBED = 4
#: Larger clusters are not written on a command line.
MOST_WRITTEN = 12
#: How long it is tried to connect, to tell a silent task from one that is not there.
CONNECT_SECONDS = 0.3

#: In errors of a task that does not know what an earlier process at its address knew.
_WAS_RESTARTED = "was restarted since this session began"
_SIGNS_OF_RESTART = ("Possibly, this worker", "different device incarnation")

_IN_WORDS = {
    REFUSED: "refused: nothing listens there",
    SILENT: "silent: the connection is not refused, but no answer comes (is it paused, very busy, "
    "or cut off?)",
    UNREACHABLE: "cannot be reached",
    WRONG: "answers, but not as this task",
}


def how(error: OpError) -> str:
    """In which way a task failed to answer: one of the words above."""
    details = details_of(error).lower()
    if isinstance(error, DeadlineExceededError) or "timed out" in details:
        return SILENT
    if not isinstance(error, UnavailableError):
        return WRONG
    return REFUSED if "refused" in details else UNREACHABLE


def details_of(error: OpError) -> str:
    """What the network said, of an error that it caused; else its message."""
    return getattr(error, "details", None) or error.message


def somebody_listens(address: str) -> bool:
    """Whether a connection to "host:port" can be made.

    gRPC goes on telling the first error of a name with several addresses: localhost may be refused
    at [::1], and silent at 127.0.0.1.
    """
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS):
            return True
    except (OSError, ValueError):
        return False


def in_words(state: str, details: str = "") -> str:
    """One of the words above, and what it means."""
    text = _IN_WORDS.get(state, state)
    return f"{text}: {details}" if details and state in (UNREACHABLE, WRONG) else text


def start_command(cluster: ClusterSpec, task: str) -> str:
    """The command line that starts a task.

    Example:
      >>> spec = tf.train.ClusterSpec({"ps": ["localhost:2221"], "worker": ["localhost:2222"]})
      >>> start_command(spec, "/job:ps/replica:0/task:0")
      'tinytf serve --job ps --task 0 --cluster ps=localhost:2221 worker=localhost:2222'
    """
    name = parse_task(task)
    jobs: dict[str, Any] = cluster.as_dict()
    command = f"tinytf serve --job {name.job} --task {name.index} --cluster "
    is_sparse = any(isinstance(tasks, dict) for tasks in jobs.values())  # no list has gaps
    if is_sparse or sum(map(len, jobs.values())) > MOST_WRITTEN:
        return command.replace("--cluster ", "--cluster-file CLUSTER.json")
    return command + " ".join(f"{job}={','.join(tasks)}" for job, tasks in jobs.items())


def how_to_start(cluster: ClusterSpec, task: str) -> str:
    """What to type to start a task (again)."""
    return (
        f"Start it: {start_command(cluster, task)}   (a task of a LocalCluster: "
        f"cluster.restart('{parse_task(task)}'), or %cluster restart {parse_task(task)})"
    )


def how_to_part(cluster: ClusterSpec, task: str, address: str) -> str:
    """What to do about a task at whose address another one listens."""
    same = [
        other.full
        for other, listens_at in tasks_of(cluster).items()
        if listens_at == address and other.full != task
    ]
    if same:
        return (
            f"The cluster gives {address} to {' and '.join(same)} as well: one task, one address."
        )
    return (
        f"Stop the server that listens there, or give {parse_task(task)} another address, in the "
        f"cluster of every task."
    )


def of_restart(task: str, when: str, error: OpError) -> str:
    """What is said of an error because a task is another process than before; "" of any other.

    Args:
      when: "12:34:56" if the restart was noticed, or "".
    """
    text = error.message
    if _WAS_RESTARTED in text:  # another task has said so
        return ""
    if isinstance(error, AbortedError) and any(sign in text for sign in _SIGNS_OF_RESTART):
        noticed = f" (noticed at {when})" if when else ""
        return (
            f"{task} {_WAS_RESTARTED}{noticed}: it is a new process, without "
            f"the graph, the variables and the queues of the old one. Open a new Session, and "
            f"initialise or restore the variables that lived there."
        )
    if when and isinstance(error, FailedPreconditionError) and "uninitialized" in text:
        return (
            f"Nothing on {task} has been initialised since the restart at {when}: its variables "
            f"ended with the process before. Run their initializers, or restore a checkpoint."
        )
    return ""


def silent(cluster: ClusterSpec, task: str, address: str, message: str) -> str:
    """The message about a task that has not answered in time."""
    return (
        f"{message} {task} is silent: the connection is not refused, but no answer comes. If it "
        f"was paused, let it go on (of a LocalCluster: cluster.resume('{parse_task(task)}')); if "
        f"it hangs, end it, and start it again. {how_to_start(cluster, task)}"
    )


def ended(cluster: ClusterSpec, task: str, address: str, details: str) -> str:
    """The message about a task that a call has not reached, or that went away during the call."""
    return (
        f"{task} at grpc://{address} does not answer: {details.rstrip('.')}. Its process has "
        f"ended, or the network between is cut. What it held (variables, queues) is gone with its "
        f"process. {how_to_start(cluster, task)}; then open a new Session, and initialise or "
        f"restore its variables."
    )


def of_absence(address: str, state: str = "") -> str:
    """What is said while a server is waited for.

    Args:
      state: how it is not there, if that is known: "is refused: nothing listens there".
    """
    known = f"It {state}. " if state else ""
    return (
        f"Still waiting for a server at grpc://{address}. {known}{START_SERVER}, or interrupt this "
        f"cell and check the address."
    )


def of_missing(missing: Sequence[Mapping[str, Any]]) -> str:
    """Tasks that do not answer: each with its address, seconds, details and advice."""
    lines = []
    for each in missing[:MOST_DESCRIBED]:
        lines.append(
            f"{each['task']} at {each['address']} has not answered for {each['seconds']:.1f} "
            f"seconds, {each['details']}."
        )
        lines.append(f"  {each['advice']}")
    others = [each["task"] for each in missing[MOST_DESCRIBED:]]
    if others:
        lines.append(f"Nor have {len(others)} more: {', '.join(others)}.")
    lines.append(
        "A session waits for all tasks of its cluster; tf.ConfigProto(device_filters=['/job:ps', "
        "'/job:worker/task:0']) makes it use, and wait for, those only."
    )
    return "\n".join(lines)
