"""Ports of this machine: keeping one for a task, and who holds one that is taken."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tinytf.distributed.cluster.addresses import LOOPBACK

_PROC = Path("/proc")
_LISTENING = "0A"
#: How much of a command line a message shows.
_COMMAND_LENGTH = 120


@dataclass(frozen=True)
class Holder:
    """A process that listens on a port.

    Attributes:
      pid: its process id, None where another user's processes cannot be looked into.
      user: the number of its user. command: its command line, word by word.
    """

    pid: int | None
    user: int
    command: tuple[str, ...] = ()

    @property
    def is_own_task(self) -> bool:
        """Whether it is certainly a `tinytf serve` of this user."""
        return self.pid is not None and self.user == os.getuid() and _is_serve(self.command)

    def __str__(self) -> str:
        if self.pid is None:
            return f"a process of another user ({_user_name(self.user)})"
        if self.pid == os.getpid():
            return f"this very program (process {self.pid})"
        command = " ".join(self.command)
        if len(command) > _COMMAND_LENGTH:
            command = command[:_COMMAND_LENGTH] + " ..."
        return f"process {self.pid} ({command})" if command else f"process {self.pid}"


def reserve(port: int = 0) -> socket.socket:
    """Keep a loopback port for a server that will listen there; the socket has its number.

    The socket is bound and does not listen. While it is open the system gives the port to nobody
    who does not ask for exactly this one, and a server can listen on it nevertheless, once or
    several times.

    Args:
      port: 0: one that is free.

    Raises:
      OSError: if somebody listens there.
    """
    kept = _bound(port)
    try:
        # Two sockets may be bound to one port, but not listen; and listening cannot be undone.
        with _bound(kept.getsockname()[1]) as probe:
            probe.listen(1)
    except BaseException:
        kept.close()
        raise
    return kept


def _bound(port: int) -> socket.socket:
    result = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        result.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        result.bind((LOOPBACK, port))
    except BaseException:
        result.close()
        raise
    return result


def holder_of(port: int) -> Holder | None:
    """Who listens on a port of this machine; None if nobody does, or it cannot be known here."""
    sockets = dict(_listening_on(port))
    if not sockets:
        return None
    for process in _PROC.glob("[0-9]*"):
        if any(inode in sockets for inode in _sockets_of(process)):
            return _described(process)
    return Holder(None, next(iter(sockets.values())))


def end_task(port: int, holder: Holder, seconds: float) -> None:
    """End a process that is certainly a `tinytf serve` of this user and listens on `port`.

    First it is asked (SIGTERM), after `seconds` it is not asked any more (SIGKILL).

    Raises:
      RuntimeError: if it is no such process, or not any more.
    """
    import select

    if holder.pid is None or not hasattr(os, "pidfd_open"):
        raise RuntimeError(f"Port {port} is held by {holder}, which tinytf does not end.")
    try:
        handle = os.pidfd_open(holder.pid)
    except ProcessLookupError:
        return  # it has ended meanwhile
    try:
        # Only now does the number certainly stay that of one process: is it still the same?
        now = holder_of(port)
        if now is None:
            return
        if now != holder or not now.is_own_task:
            raise RuntimeError(f"Port {port} is held by {now}, which tinytf does not end.")
        gone = select.poll()
        gone.register(handle, select.POLLIN)
        for number in (signal.SIGTERM, signal.SIGKILL):
            signal.pidfd_send_signal(handle, number)
            if gone.poll(1000 * seconds):
                return
        raise RuntimeError(f"Port {port}: {holder} does not end.")
    finally:
        os.close(handle)


def _listening_on(port: int) -> Iterator[tuple[str, int]]:
    """The inode and the user of each socket that listens on a port."""
    for table in ("tcp", "tcp6"):
        try:
            lines = (_PROC / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue  # no such table on this system
        for line in lines:
            fields = line.split()
            if fields[3] == _LISTENING and int(fields[1].rpartition(":")[2], 16) == port:
                yield fields[9], int(fields[7])


def _sockets_of(process: Path) -> Iterator[str]:
    try:
        entries = list((process / "fd").iterdir())
    except OSError:
        return  # it has ended, or is another user's
    for entry in entries:
        try:
            link = os.readlink(entry)
        except OSError:
            continue  # closed meanwhile
        if link.startswith("socket:["):
            yield link[len("socket:[") : -1]


def _described(process: Path) -> Holder:
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")[:-1]
        user = process.stat().st_uid
    except OSError:
        return Holder(int(process.name), -1)  # it has ended meanwhile
    return Holder(int(process.name), user, tuple(word.decode(errors="replace") for word in words))


def _is_serve(command: tuple[str, ...]) -> bool:
    for index, word in enumerate(command[:-1]):
        module = word == "tinytf" and index > 0 and command[index - 1] == "-m"
        script = index <= 1 and os.path.basename(word) == "tinytf"
        if module or script:
            return command[index + 1] == "serve"
    return False


def _user_name(number: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"number {number}"
