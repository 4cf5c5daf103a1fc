"""Writing files so that nobody ever sees half of one; errors of the file system as `tf.errors`."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tinytf.framework import errors

_CLASSES: dict[int | None, type[errors.OpError]] = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
}


def as_op_error(error: OSError, path: Any = None) -> errors.OpError:
    """An error of the operating system as TensorFlow reports it: "path; No such file"."""
    kind = _CLASSES.get(error.errno, errors.UnknownError)
    return kind(f"{path or error.filename}; {error.strerror or error}")


@contextmanager
def op_errors(path: Any) -> Iterator[None]:
    """Inside the block, errors of the operating system become errors of TensorFlow's tree."""
    try:
        yield
    except OSError as error:
        raise as_op_error(error, path) from error


class Writing:
    """A context: `op_errors` of one file that is written, which remembers that it told of one.

    Example:
      >>> errors_of = Writing("data.txt")
      >>> with errors_of:
      ...     file.write(content)
      >>> errors_of.at_last(file.close)  # in `__del__`
    """

    __slots__ = ("has_told", "path")

    def __init__(self, path: Any):
        self.path, self.has_told = path, False

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if isinstance(error, OSError):
            self.has_told = True
            raise as_op_error(error, self.path) from error

    def at_last(self, close: Callable[[], None]) -> None:
        """Close a file that was forgotten; an error is logged: there is nobody to raise it at."""
        told = self.has_told
        try:
            close()
        except errors.OpError as error:
            if not told:  # or else it is the same again
                logging.getLogger("tinytf").error("What was written last is lost: %s", error)


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder and those around it, unless they are there; tf.errors.OpError if it fails."""
    with op_errors(path):
        os.makedirs(path or ".", exist_ok=True)


def lock_file(descriptor: int, path: str | os.PathLike[str], seconds: float) -> None:
    """Lock an open file against other processes; closing it, or the process's end, unlocks it.

    Args:
      descriptor: of the open file. path: its name, for the message. seconds: how long to wait.

    Raises:
      tf.errors.UnavailableError: if another process keeps it. tf.errors.OpError: if it cannot be
        locked at all.
    """
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES, errno.EINTR):
                raise as_op_error(error, path) from error
        if time.monotonic() > deadline:
            raise errors.UnavailableError(
                f"Another process has kept {path} locked for {seconds:g} seconds: has it been "
                f"stopped? `fuser {path}` tells which one."
            )
        pause.wait(0.002)  # nothing tells when another process unlocks


def write_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file at one stroke: readers find the old one or the new one, never a part.

    Raises:
      tf.errors.OpError: if the file system refuses; what was there before is still there then.
    """
    target = os.path.realpath(path)  # a link stays one
    if os.path.exists(target) and not os.path.isfile(target):
        with op_errors(path), open(target, "wb") as device:  # /dev/null stays what it is
            device.write(content)
        return
    folder, name = os.path.split(target)
    unfinished = os.path.join(folder, f".{name[:100]}.{os.urandom(8).hex()}")
    with op_errors(path):
        # Created as `open` would do it, for whomever umask allows.
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if os.path.exists(target):
                os.chmod(unfinished, os.stat(target).st_mode & 0o777)
            os.replace(unfinished, target)
        except BaseException:
            os.unlink(unfinished)
            raise
