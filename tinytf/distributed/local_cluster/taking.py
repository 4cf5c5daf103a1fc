"""Ports for a cluster: free ones, or given ones, which may be taken."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tinytf.distributed.cluster.addresses import MAX_PORT
from tinytf.distributed.cluster.ports import Holder, end_task, holder_of, reserve
from tinytf.distributed.cluster.task_names import TaskName

CHOICES = ("error", "replace", "reuse")
#: How long a task that has to make room may take to end.
END_SECONDS = 5.0


def ports_for(
    names: Sequence[TaskName], ports: Iterable[int] | None, first_port: int | None
) -> list[int]:
    """The port of each task, 0 for one that the system chooses.

    Raises:
      ValueError: for ports that are none, too few or too many, given twice, or in both ways.
    """
    if ports is not None and first_port is not None:
        raise ValueError("Give ports=range(2221, 2226) or first_port=2221, not both.")
    if first_port is not None:
        given = list(range(first_port, first_port + len(names)))
    elif ports is not None:
        given = list(ports)
    else:
        return [0] * len(names)
    if len(given) != len(names):
        raise ValueError(
            f"{len(given)} ports for {len(names)} tasks ({', '.join(map(str, names))}): give one "
            f"for each, or only the first of them: first_port={given[0] if given else 2221}."
        )
    for port in given:
        if not isinstance(port, int) or not 0 < port <= MAX_PORT:
            raise ValueError(f"{port!r} is no port: they are numbers from 1 to {MAX_PORT}.")
    if len(set(given)) < len(given):
        raise ValueError(f"Every task needs a port of its own, got {given}.")
    return given


def take(
    names: Sequence[TaskName], ports: Sequence[int], if_taken: str, make_room: Callable[[int], bool]
) -> list[Any]:
    """Sockets that keep the ports (see `ports.reserve`), in order.

    Args:
      if_taken: "error", or "replace": end who holds a port, if it is certainly a task of this user.
      make_room: called with the pid of a holder that is of this very program; whether it has made
        it end.

    Raises:
      RuntimeError: if ports are taken; it names all their holders and says what to do.
    """
    kept: list[Any] = []
    taken: list[tuple[TaskName, int, Holder | None]] = []
    try:
        for name, port in zip(names, ports, strict=True):
            try:
                kept.append(_keep(port, if_taken, make_room))
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise RuntimeError(
                        f"Cannot listen on port {port} for {name}: {error.strerror}."
                        + (" Ports below 1024 belong to the system." if port < 1024 else "")
                    ) from None
                taken.append((name, port, holder_of(port)))
        if taken:
            raise RuntimeError(_taken(taken))
    except BaseException:
        for socket in kept:
            socket.close()
        raise
    return kept


def _keep(port: int, if_taken: str, make_room: Callable[[int], bool]) -> Any:
    try:
        return reserve(port)
    except OSError as error:
        holder = holder_of(port)
        if if_taken != "replace" or error.errno != errno.EADDRINUSE or holder is None:
            raise
        if holder.pid is not None and make_room(holder.pid):
            return reserve(port)
        if not holder.is_own_task:
            raise
    end_task(port, holder, END_SECONDS)
    return reserve(port)


def _taken(taken: list[tuple[TaskName, int, Holder | None]]) -> str:
    lines = [
        f"  port {port} (for {name}): {holder or 'a process that cannot be seen from here'}"
        for name, port, holder in taken
    ]
    holders = [holder for _, _, holder in taken]
    ways = ["take other ports (without ports= and first_port= free ones are chosen)"]
    if any(holder and holder.pid == os.getpid() for holder in holders):
        ways.append("stop the server that this program made before: server.stop()")
    if all(holder and holder.is_own_task for holder in holders):
        ways.append(
            "those are tasks of yours: if_taken='replace' (%cluster start --if-taken replace) ends "
            "them and takes their place, or open sessions on them as they are, for example "
            f"tf.Session('grpc://localhost:{taken[0][1]}')"
        )
    few = "A port is taken" if len(taken) == 1 else f"{len(taken)} ports are taken"
    return f"{few}:\n" + "\n".join(lines) + "\nYou can " + "; or ".join(ways) + "."
