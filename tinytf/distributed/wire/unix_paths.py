"""Where tasks of one user on one machine meet: unix sockets in a folder of the user's.

A server that may be reached so says it to those who ask, in headers of gRPC calls that other peers
do not notice: the path of its socket. 128 random bits are in it, so who finds a socket there
reaches the very process that gRPC has reached. Who calls looks first whether folder and socket are
the own user's and nobody else's, and both ends ask the system who the other one is.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import secrets
import socket
import stat
import struct
import tempfile
import time
import weakref
from typing import Any

from tinytf.distributed.wire.unix_frames import VERSION

#: Names of headers: a caller asks, a server answers with "VERSION PATH".
ASK, OFFER = "tinytf-short-way", "tinytf-short-way"
#: Names of sockets; no others are connected to.
_NAME = re.compile(r"[0-9a-f]{32}\.sock")
_NEW = ".new"
#: As long as a socket may take from its name to its listening.
_NEW_SECONDS = 60.0
#: What the system takes as the path of a socket.
_MOST_BYTES = 107
#: So much of what was sent may wait for who reads it, if the system allows it.
_SENT_BYTES = 2 << 20
_CREDENTIALS = struct.Struct("3i")
#: The sockets of this process: a child by fork has copies, which would keep connections alive.
_open: weakref.WeakSet[socket.socket] = weakref.WeakSet()
#: The names of those that listen; removed when the process ends.
_paths: set[str] = set()


class Connection(socket.socket):
    """A socket that is closed when nobody refers to it any more, as gRPC's connections are."""

    def __del__(self) -> None:
        self.close()


def opened(connection: socket.socket) -> None:
    """A socket is this process's alone, until it is closed; the system keeps much of what it says.

    Otherwise who sends a large tensor would take turns with who reads it.
    """
    _open.add(connection)
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SENT_BYTES)


def close(connection: socket.socket) -> None:
    """Close a socket; nothing happens if it is closed."""
    _open.discard(connection)
    connection.close()


def _after_fork() -> None:
    for connection in list(_open):
        connection.close()
    _open.clear()
    _paths.clear()


def _remove_all() -> None:
    for path in list(_paths):
        remove(path)


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_remove_all)


def is_possible() -> bool:
    """Whether this system has such sockets, tells who is at their other end, and who hangs up."""
    import select

    names = hasattr(socket, "AF_UNIX") and hasattr(socket, "SO_PEERCRED")
    return names and hasattr(select, "epoll") and hasattr(os, "getuid")


def folder() -> str | None:
    """The user's folder, made if need be; None if there can be none that is only the user's."""
    base = os.environ.get("XDG_RUNTIME_DIR", "")
    path = os.path.join(base, "tinytf") if base and os.path.isdir(base) else ""
    for candidate in filter(None, (path, os.path.join(tempfile.gettempdir(), _of_user()))):
        with contextlib.suppress(OSError):
            os.mkdir(candidate, 0o700)
        is_short = len(candidate) + 48 < _MOST_BYTES
        # It travels in a header.
        if (
            is_short
            and candidate.isascii()
            and candidate.isprintable()
            and is_own_folder(candidate)
        ):
            return candidate
    return None


def _of_user() -> str:
    return f"tinytf-{os.getuid()}"


def is_own_folder(path: str) -> bool:
    """Whether a folder is this user's, and nobody else may even look into it."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and _is_private(found, 0o077)


def _is_private(found: os.stat_result, bits: int) -> bool:
    return found.st_uid == os.getuid() and not found.st_mode & bits


def listen() -> tuple[socket.socket, str] | None:
    """A socket that listens, and its path; None if there can be none here."""
    if not is_possible() or (where := folder()) is None:
        return None
    sweep(where)
    path = os.path.join(where, f"{secrets.token_hex(16)}.sock")
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # It has its name when it listens: a name without a listener is left over, see `sweep`.
        listening.bind(path + _NEW)
        os.chmod(path + _NEW, 0o600)
        listening.listen(128)
        os.rename(path + _NEW, path)
    except OSError:
        listening.close()
        remove(path + _NEW)
        return None
    opened(listening)
    _paths.add(path)
    return listening, path


def remove(path: str) -> None:
    """Forget a socket's name, if it is there."""
    _paths.discard(path)
    with contextlib.suppress(OSError):
        os.unlink(path)


def sweep(where: str | None = None) -> None:
    """Remove the sockets that processes have left behind which could not do it themselves."""
    where = where or (folder() if is_possible() else None)
    if where is None:
        return
    for name in os.listdir(where):
        path = os.path.join(where, name)
        if _NAME.fullmatch(name.removesuffix(_NEW)) and _is_left_over(path):
            remove(path)


def _is_left_over(path: str) -> bool:
    with contextlib.suppress(OSError):
        if path.endswith(_NEW) and time.time() - os.lstat(path).st_mtime < _NEW_SECONDS:
            return False  # it does not listen yet
    probe = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with probe:
        probe.setblocking(False)
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            return True
        except OSError:
            return False  # busy, or gone
    return False


def offer(path: str) -> str:
    """What a server says to those who ask."""
    return f"{VERSION} {path}"


def offered(metadata: Any) -> str | None:
    """The path that a server has offered; None: nothing that is understood here."""
    for key, value in metadata or ():
        if key == OFFER:
            version, _, path = str(value).partition(" ")
            return path if version == str(VERSION) else None
    return None


def connect(path: str) -> socket.socket | None:
    """A connection to a socket that was offered; None if it is not there, or not to be trusted."""
    where, name = os.path.split(path)
    if not _NAME.fullmatch(name) or not os.path.isabs(where) or not is_own_folder(where):
        return None
    try:
        found = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISSOCK(found.st_mode) or not _is_private(found, 0o177):
        return None
    connection = Connection(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)  # a server that is halted does not hold anybody up here
        connection.connect(path)
        connection.setblocking(True)
    except OSError:
        connection.close()
        return None
    if not is_same_user(connection):
        connection.close()
        return None
    opened(connection)
    return connection


def is_same_user(connection: socket.socket) -> bool:
    """Whether a process of this user is at the other end."""
    try:
        data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    except OSError:
        return False
    _, user, _ = _CREDENTIALS.unpack(data)
    return bool(user == os.getuid())
