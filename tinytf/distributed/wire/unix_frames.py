"""Frames on a unix socket between two tasks of ours: what calls are made of, in one piece each.

    size of the message, number of the call, kind, size of the path, seconds | path | message

The path ("/tensorflow.WorkerService/RunGraph") stands in requests only; the message is, byte for
byte, the one that gRPC would carry. A request may have several answers: how many stands before its
message, and the first has the call's number, the second the next one. Nothing that arrives is
evaluated, and what does not look like a frame ends the connection. Both ends are of one user on one
machine; see `unix_paths`.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tinytf.distributed.limits import MOST_MESSAGE_BYTES

#: Of what is said here; peers that speak another one stay with gRPC.
VERSION = 1
#: What a connection begins with: that it carries one call at a time, or many.
HELLO_LINE, HELLO_STREAM = b"tinytf line 1", b"tinytf stream 1"

# Kinds of frames.
HELLO, REQUEST, CANCEL, ANSWER, ERROR, DERIVED, SEVERAL = 1, 2, 3, 4, 5, 6, 7

_HEADER = struct.Struct("<IIHHd")
#: How many answers a request of kind SEVERAL has, before its message.
COUNT = struct.Struct("<I")
MOST_ANSWERS = 1 << 16
#: What is read at a time. A longer message gets memory of its own, which its tensors go on using.
_BUFFER_BYTES = 1 << 16
_NO_MEMORY = memoryview(b"")
#: As many pieces of memory as the system writes in one go.
_MOST_PIECES = 512
_MOST_SECONDS = 1e9


class Malformed(Exception):
    """What has arrived is no frame."""


class Frame(NamedTuple):
    """What has arrived.

    Attributes:
      kind: REQUEST, ... number: of the call. path: of a request; of an error its code as text.
      message: bytes, or a read-only view of memory that nobody else has; None if it was longer than
        the reader takes.
      size: of the message. seconds: that the call may take; None: any time.
    """

    kind: int
    number: int
    path: str
    message: Any
    size: int
    seconds: float | None


def head(
    kind: int, number: int, size: int, path: bytes = b"", seconds: float | None = None
) -> bytes:
    """All of a frame but its message."""
    time = 0.0 if seconds is None else min(max(seconds, 1e-9), _MOST_SECONDS)
    return _HEADER.pack(size, number, kind, len(path), time) + path


def several_of(frame: Frame) -> tuple[int, Any]:
    """How many answers a request of kind SEVERAL has, and its message.

    Raises:
      Malformed: if it says nothing sensible.
    """
    if frame.message is None or len(frame.message) < COUNT.size:
        raise Malformed
    (count,) = COUNT.unpack_from(frame.message)
    if not 0 < count <= MOST_ANSWERS:
        raise Malformed
    return count, frame.message[COUNT.size :]


class FrameReader:
    """Takes frames from a socket; one thread at a time.

    Args:
      connection: the socket; its timeouts become errors of `read`, after which it can go on.
      most_bytes: of a message; a longer one is read and thrown away.
    """

    def __init__(self, connection: socket.socket, most_bytes: int = MOST_MESSAGE_BYTES):
        self._socket, self._most_bytes = connection, most_bytes
        self._view = _NO_MEMORY
        self._start = self._end = 0
        # A long message that has come in part: its header, its memory, how much there is.
        self._long: tuple[Frame, Any, int] | None = None

    @property
    def has_next(self) -> bool:
        """Whether the next frame has come, and all of it."""
        there = self._end - self._start
        if there < _HEADER.size:
            return False
        size, _, _, path_size, _ = _HEADER.unpack_from(self._view, self._start)
        return bool(there >= _HEADER.size + path_size + size)

    def rest(self) -> bool:
        """Give memory back until more comes; False if a part of a frame has come."""
        if self._start < self._end or self._long is not None:
            return False
        self._view = _NO_MEMORY
        return True

    def read(self) -> Frame | None:
        """The next frame; None at the end of the connection.

        Raises:
          Malformed: if something else has come. OSError: as the socket says.
        """
        while True:
            if self._long is not None:
                return self._rest_of_long()
            found = self._next()
            if found is not None:
                return found
            if self._long is None and not self._fill():
                return None

    def _fill(self) -> bool:
        """Read more; whether there was any."""
        if self._start == self._end:
            self._start = self._end = 0
            if not self._view:  # what is not written to takes no memory
                self._view = memoryview(np.empty(_BUFFER_BYTES, np.uint8))  # type: ignore[arg-type]
        elif self._end == _BUFFER_BYTES:
            rest = bytes(self._view[self._start : self._end])
            self._view[: len(rest)] = rest
            self._start, self._end = 0, len(rest)
        count = self._socket.recv_into(self._view[self._end :])
        self._end += count
        return count > 0

    def _next(self) -> Frame | None:
        """A frame that is all there; None, with `_long` if it is a long one, if there is none."""
        there = self._end - self._start
        if there < _HEADER.size:
            return None
        size, number, kind, path_size, time = _HEADER.unpack_from(self._view, self._start)
        if not HELLO <= kind <= SEVERAL or size > MOST_MESSAGE_BYTES or not 0 <= time < 1e10:
            raise Malformed
        begin = self._start + _HEADER.size + path_size
        if path_size >= _BUFFER_BYTES // 2:
            raise Malformed
        if there < begin - self._start:
            return None
        is_long = begin - self._start + size > _BUFFER_BYTES or size > self._most_bytes
        if not is_long and there < begin - self._start + size:
            return None
        try:
            path = str(self._view[begin - path_size : begin], "utf-8")
        except UnicodeDecodeError:
            raise Malformed from None
        if is_long:
            self._begin_long((kind, number, path), size, time or None, begin)
            return None
        self._start = end = begin + size
        return Frame(kind, number, path, bytes(self._view[begin:end]), size, time or None)

    def _begin_long(
        self, head: tuple[int, int, str], size: int, seconds: float | None, begin: int
    ) -> None:
        count = min(size, self._end - begin)
        memory = None
        if size <= self._most_bytes:
            memory = memoryview(np.empty(size, np.uint8))  # type: ignore[arg-type]
            memory[:count] = self._view[begin : begin + count]
        self._start = begin + count
        message = None if memory is None else memory.toreadonly()
        self._long = Frame(*head, message, size, seconds), memory, count

    def _rest_of_long(self) -> Frame | None:
        assert self._long is not None
        frame, memory, count = self._long
        while count < frame.size:
            if memory is None:  # too long: thrown away
                target = self._view[: min(_BUFFER_BYTES, frame.size - count)]
            else:
                target = memory[count:]
            read = self._socket.recv_into(target)
            if not read:
                return None
            count += read
            self._long = frame, memory, count
        self._long = None
        return frame


def size_of(pieces: Sequence[Any]) -> int:
    """The bytes of a message that is there in pieces."""
    return sum(map(len, pieces))


def send(connection: socket.socket, pieces: list[Any], flags: int = 0) -> list[Any]:
    """Write as much as the socket takes; what is left.

    Raises:
      OSError: as the socket says.
    """
    while pieces:
        try:
            count = connection.sendmsg(pieces[:_MOST_PIECES], (), flags)
        except BlockingIOError:
            return pieces
        pieces = without(pieces, count)
    return pieces


def without(pieces: list[Any], count: int) -> list[Any]:
    """The pieces without their first `count` bytes."""
    for index, piece in enumerate(pieces):
        if count < len(piece):
            rest = memoryview(piece)[count:] if count else piece
            return [rest, *pieces[index + 1 :]]
        count -= len(piece)
    return []


class FrameWriter:
    """Writes whole frames of several threads, one after the other; nobody waits for the socket.

    What the socket does not take at once is written by a thread of `later`. An interrupt from the
    keyboard, which comes to the main thread between any two steps of Python's, tears no frame: what
    is noted of a frame is a list of how much of it was written, and one call into C both writes and
    notes it. Who has a frame written also writes what others were interrupted in.

    Args:
      connection: the socket. later: runs a function on a thread that may wait.
      failed: called, once, when the connection does not take any more.
    """

    def __init__(
        self,
        connection: socket.socket,
        later: Callable[[Callable[[], None]], Any],
        failed: Callable[[], None],
    ):
        self._socket, self._later, self._failed = connection, later, failed
        #: (size, pieces, how much of it was written, in parts); what has been is taken out
        self._frames: deque[tuple[int, list[Any], list[int]]] = deque()
        self._turn: Any = threading.RLock()  # for moments; who has it writes what the socket takes
        self._waits = threading.Lock()  # of the thread that waits for the socket, and writes then
        self._is_broken = False

    def write(self, pieces: list[Any]) -> None:
        """Send a frame, or some; they must not be changed any more."""
        if self._is_broken:
            return
        self._frames.append((size_of(pieces), pieces, []))
        if self._turn._is_owned():  # the garbage collector has called, in the middle of `_send`
            return
        is_well = True
        with self._turn:
            if self._waits.locked():  # that thread looks again
                return
            try:
                self._send(socket.MSG_DONTWAIT)
            except BlockingIOError:
                is_well = self._leave()
            except OSError:
                is_well = False
        if not is_well:
            self._fail()

    def _send(self, flags: int) -> None:
        """Write what there is."""
        frames, send = self._frames, self._socket.sendmsg
        while frames and not self._is_broken:
            size, pieces, written = frames[0]
            count = sum(written)
            if count < size:
                left = without(pieces, count) if count else pieces
                written.extend(map(send, (left[:_MOST_PIECES],), ((),), (flags,)))
            else:
                frames.popleft()

    def _leave(self) -> bool:
        """Have another thread go on; False if there are none any more."""
        try:
            self._later(self._go_on)
        except RuntimeError:
            return False
        return True

    def _go_on(self) -> None:
        with self._turn:
            if not self._waits.acquire(blocking=False):
                return
        is_well, has_more = True, True
        while has_more:
            try:
                self._send(0)
            except OSError:
                is_well = False
            with self._turn:
                has_more = is_well and bool(self._frames) and not self._is_broken
                if not has_more:
                    self._waits.release()
        if not is_well:
            self._fail()

    def _fail(self) -> None:
        with self._turn:
            was_broken, self._is_broken = self._is_broken, True
            self._frames.clear()
        if not was_broken:
            self._failed()

    def close(self) -> None:
        """Write no more; returns when nobody does. The connection must have been shut down."""
        self._is_broken = True
        with self._waits, self._turn:
            self._frames.clear()
