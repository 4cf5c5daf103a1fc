"""The end of a unix socket that calls: a server of this user on this machine.

A call that is waited for has a line, a connection of its own: the calling thread writes the request
and reads the answer itself, so nothing goes from thread to thread. To withdraw it, in time or by an
interrupt at any moment, is to hang up, which hurts no other call. Lines are used again.

A call whose answer is given to a callback has a stream, which a thread of its own reads: all calls
share one whose handlers never wait; others have one for themselves, as long as they last.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from tinytf.distributed.wire import deadlines, unix_frames, unix_paths
from tinytf.distributed.wire.requests import QUICK
from tinytf.runtime.thread_pool import ElasticPool

#: So many connections of each kind stay open when nobody uses them.
MOST_IDLE = 8
#: What gRPC says of a server that goes while it is asked, and of one that does not answer in time.
CUT_OFF = "Socket closed"
LATE = "Deadline Exceeded"


class Outcome(NamedTuple):
    """What became of a call: the answer's bytes, or the code and text of what failed.

    Attributes:
      is_derived: another task tells the cause. is_lost: the network failed, not the method.
      is_withdrawn: by who called.
    """

    answer: Any
    code: int = 0
    text: str = ""
    is_derived: bool = False
    is_lost: bool = False
    is_withdrawn: bool = False


_UNAVAILABLE, _DEADLINE, _CANCELLED = 14, 4, 1
LOST = Outcome(None, _UNAVAILABLE, CUT_OFF, is_lost=True)
CLOSED = Outcome(None, _CANCELLED, "The connection was closed.")
TOO_LATE = Outcome(None, _DEADLINE, LATE, is_lost=True)
_UNKNOWN = Outcome(None, is_lost=True)
WITHDRAWN = Outcome(None, _CANCELLED, "", is_withdrawn=True)


class Unreachable(Exception):
    """There is no connection, and nothing was sent."""


def _outcome(frame: unix_frames.Frame | None) -> Outcome:
    if frame is None or frame.message is None:
        return LOST
    if frame.kind == unix_frames.ANSWER:
        return Outcome(frame.message)
    if frame.kind in (unix_frames.ERROR, unix_frames.DERIVED) and frame.path.isdecimal():
        text = bytes(frame.message).decode(errors="replace")
        return Outcome(None, int(frame.path), text, frame.kind == unix_frames.DERIVED)
    return LOST


class UnixClient:
    """Calls to one server; may be used by several threads.

    Args:
      path: of its socket.
    """

    _is_closed = True  # until it is made

    def __init__(self, path: str):
        self.path = path
        self._process = os.getpid()
        self._lines: deque[_Line] = deque()  # those that nobody uses, the latest at the end
        self._streams: deque[_Stream] = deque()  # likewise
        self._shared: _Stream | None = None
        self._lock = threading.Lock()
        self._open: weakref.WeakSet[Any] = weakref.WeakSet()  # all lines and streams
        self._is_closed = False

    def call(self, path: str, pieces: list[Any], seconds: float | None) -> Outcome:
        """Send a request and wait for what becomes of it.

        Raises:
          Unreachable: if there is no connection; then nothing was sent. An interrupt from the
          keyboard withdraws the call.
        """
        line = self._taken(self._lines) or self._new_line()
        try:
            outcome = line.call(path, pieces, seconds)
        except BaseException:
            line.close()
            raise
        self._give_back(line, self._lines)
        return CLOSED if outcome is LOST and self._is_closed else outcome

    def start(self, path: str, pieces: list[Any], seconds: float | None) -> UnixCall:
        """Send a request; see `UnixCall` for what becomes of it.

        Raises:
          Unreachable: as `call`.
        """
        if path in QUICK:
            return self._shared_stream().start(path, pieces, seconds)
        stream = self._taken(self._streams) or self._new_stream(unix_frames.HELLO_LINE)
        over = partial(self._give_back, stream, self._streams)
        return stream.start(path, pieces, seconds, over)

    def start_several(
        self, path: str, message: bytes, count: int, arrived: Callable[[int, Outcome], None]
    ) -> UnixCalls:
        """Send a request that has several answers, to one of `QUICK`.

        Args:
          arrived: is given the index of each answer, and what became of it, on any thread.

        Raises:
          Unreachable: as `call`.
        """
        return self._shared_stream().start_several(path, message, count, arrived)

    def __del__(self) -> None:
        if not self._is_closed:
            self.close()

    def close(self) -> None:
        """Close the connections; calls under way end as if the server had gone."""
        self._is_closed = True
        self._lines.clear()
        self._streams.clear()
        for connection in list(self._open):
            connection.hang_up()

    @property
    def is_there(self) -> bool:
        """Whether this process made it, and it was not closed."""
        return not self._is_closed and self._process == os.getpid()

    def _connect(self, hello: bytes) -> socket.socket:
        connection = None if not self.is_there else unix_paths.connect(self.path)
        if connection is None:
            raise Unreachable
        head = unix_frames.head(unix_frames.HELLO, 0, len(hello))
        try:
            unix_frames.send(connection, [head, hello])
        except OSError:
            unix_paths.close(connection)
            raise Unreachable from None
        return connection

    def _new_line(self) -> _Line:
        line = _Line(self._connect(unix_frames.HELLO_LINE))
        self._open.add(line)
        return line

    def _new_stream(self, hello: bytes) -> _Stream:
        try:
            stream = _Stream(self._connect(hello))
        except RuntimeError:  # there are no more threads
            raise Unreachable from None
        self._open.add(stream)
        return stream

    def _shared_stream(self) -> _Stream:
        with self._lock:
            if self._shared is None or not self._shared.is_alive:
                self._shared = self._new_stream(unix_frames.HELLO_STREAM)
            return self._shared

    @staticmethod
    def _taken(pool: deque[Any]) -> Any:
        """A connection that nobody uses and whose server is there; None if there is none."""
        while True:
            try:
                found = pool.pop()
            except IndexError:
                return None
            if found.is_alive:
                return found
            found.close()

    def _give_back(self, connection: Any, pool: deque[Any]) -> None:
        if connection.is_closed or len(pool) >= MOST_IDLE or not self.is_there:
            connection.close()
            return
        pool.append(connection)
        if self._is_closed:  # just now
            self.close()


class _Line:
    """A connection with one call at a time; one thread at a time uses it."""

    def __init__(self, connection: socket.socket):
        self._socket = connection
        self._reader = unix_frames.FrameReader(connection)
        self._numbers = itertools.count(1)
        self.is_closed = False

    @property
    def is_alive(self) -> bool:
        """Whether it is open at both ends, and nothing is on it."""
        return not self.is_closed and _is_silent(self._socket)

    def call(self, path: str, pieces: list[Any], seconds: float | None) -> Outcome:
        """Send a request and wait for what becomes of it."""
        end = None if seconds is None else time.monotonic() + seconds
        number, size = next(self._numbers) & 0xFFFF_FFFF, unix_frames.size_of(pieces)
        head = unix_frames.head(unix_frames.REQUEST, number, size, path.encode(), seconds)
        try:
            if end is None:
                unix_frames.send(self._socket, [head, *pieces])
                frame = self._reader.read()
            else:
                frame = self._in_time([head, *pieces], end)
        except TimeoutError:
            self.close()
            return TOO_LATE
        except (OSError, unix_frames.Malformed, MemoryError):
            frame = None
        outcome = LOST if frame is None or frame.number != number else _outcome(frame)
        if outcome is LOST:
            self.close()
        return outcome

    def _in_time(self, pieces: list[Any], end: float) -> unix_frames.Frame | None:
        """The same until a moment; TimeoutError if it has come."""
        while pieces:
            self._set_timeout(end)
            pieces = unix_frames.without(pieces, self._socket.sendmsg(pieces[:512]))
        self._set_timeout(end)
        frame = self._reader.read()
        self._socket.settimeout(None)
        return frame

    def _set_timeout(self, end: float) -> None:
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)

    def hang_up(self) -> None:
        """End it, from any thread: who waits for an answer is told that there is none."""
        _hang_up(self._socket)

    def close(self) -> None:
        """Hang up, by the thread that has it."""
        self.is_closed = True
        _hang_up(self._socket)
        unix_paths.close(self._socket)


def _is_silent(connection: socket.socket) -> bool:
    """Whether the other end is there, and has said nothing yet."""
    try:
        connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _hang_up(connection: socket.socket) -> None:
    """Also for copies of the socket that processes by fork have."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


class UnixCall:
    """A call on a stream; ends once, with an `Outcome`."""

    def __init__(self, stream: _Stream, number: int, over: Callable[[], None] | None):
        self._stream, self._number, self._over = stream, number, over
        self._lock = threading.Lock()
        self._callback: Callable[[Any], None] | None = None  # guarded by self._lock
        self.late: deadlines.Deadline | None = None
        self.outcome = _UNKNOWN  # guarded by self._lock

    @property
    def is_alone(self) -> bool:
        """Whether it has its stream for itself."""
        return self._over is not None

    def cancel(self) -> None:
        """Withdraw it, unless it is over."""
        self._stream.withdraw([self._number], WITHDRAWN)

    def be_late(self) -> None:
        """Its time is up."""
        self._stream.withdraw([self._number], TOO_LATE)

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        """Call `callback(self)` when it is over, on any thread; or now if it is."""
        with self._lock:
            if self.outcome is _UNKNOWN:
                self._callback = callback
                return
        callback(self)

    def end(self, outcome: Outcome) -> None:
        """It is over; called once, by the stream."""
        if self.late is not None:
            self.late.cancel()
        with self._lock:
            self.outcome = outcome
            callback, self._callback = self._callback, None
        if self._over is not None:
            self._over()
        if callback is not None:
            callback(self)


class UnixCalls:
    """A call on a stream with several answers."""

    def __init__(self, stream: _Stream, numbers: range):
        self._stream, self._numbers = stream, numbers

    def cancel(self) -> None:
        """Withdraw it: the answers that have not come end so."""
        self._stream.withdraw(self._numbers, WITHDRAWN)


class _OneOfSeveral:
    """One of the answers of such a call."""

    __slots__ = ("_arrived", "_index")
    is_alone = False

    def __init__(self, index: int, arrived: Callable[[int, Outcome], None]):
        self._index, self._arrived = index, arrived

    def end(self, outcome: Outcome) -> None:
        """As of `UnixCall`."""
        self._arrived(self._index, outcome)


class _Stream:
    """A connection with any number of calls, read by a thread of its own."""

    def __init__(self, connection: socket.socket):
        self._socket = connection
        self._reader = unix_frames.FrameReader(connection)
        self._writer = unix_frames.FrameWriter(connection, _later, self.hang_up)
        self._number = 1  # the next call's; guarded by self._numbering
        self._numbering = threading.Lock()
        self._calls: dict[int, UnixCall | _OneOfSeveral] = {}  # who takes one out ends it
        self._is_over = False
        self._closing = threading.Lock()
        threading.Thread(target=self._read, name="tinytf-unix-answers", daemon=True).start()

    @property
    def is_closed(self) -> bool:
        """Whether one of the ends is closed: its thread notices."""
        return self._is_over

    @property
    def is_alive(self) -> bool:
        """Whether it is open at both ends."""
        return not self._is_over

    def start(
        self,
        path: str,
        pieces: list[Any],
        seconds: float | None,
        over: Callable[[], None] | None = None,
    ) -> UnixCall:
        """Send a request.

        Args:
          over: called when the call is over, before who called is told.
        """
        number, size = self._next_numbers(1).start, unix_frames.size_of(pieces)
        call = self._calls[number] = UnixCall(self, number, over)
        if seconds is not None:
            call.late = deadlines.at(time.monotonic() + seconds, call.be_late)
        head = unix_frames.head(unix_frames.REQUEST, number, size, path.encode(), seconds)
        self._writer.write([head, *pieces])
        if self._is_over:
            self._end_all()
        return call

    def start_several(
        self, path: str, message: bytes, count: int, arrived: Callable[[int, Outcome], None]
    ) -> UnixCalls:
        """See `UnixClient.start_several`."""
        numbers, size = self._next_numbers(count), len(message) + unix_frames.COUNT.size
        head = unix_frames.head(unix_frames.SEVERAL, numbers.start, size, path.encode())
        several = UnixCalls(self, numbers)
        try:
            self._calls.update(
                (number, _OneOfSeveral(index, arrived)) for index, number in enumerate(numbers)
            )
            self._writer.write([head + unix_frames.COUNT.pack(count) + message])
        except BaseException:  # an interrupt
            several.cancel()
            raise
        if self._is_over:
            self._end_all()
        return several

    def _next_numbers(self, count: int) -> range:
        with self._numbering:
            if self._number + count >= 1 << 32:
                self._number = 1
            first = self._number
            self._number += count
        return range(first, first + count)

    def withdraw(self, numbers: Iterable[int], outcome: Outcome) -> None:
        """End those calls that are not over, and tell the server."""
        calls = {number: call for number in numbers if (call := self._calls.pop(number, None))}
        if any(call.is_alone for call in calls.values()):
            self.hang_up()
        elif calls:
            # Of each: it may be that the server has answered one of several, and not the others.
            self._writer.write([unix_frames.head(unix_frames.CANCEL, n, 0) for n in calls])
        for call in calls.values():
            call.end(outcome)

    def _read(self) -> None:
        try:
            while (frame := self._reader.read()) is not None:
                outcome, call = _outcome(frame), self._calls.pop(frame.number, None)
                if outcome is LOST:  # it is no answer
                    self.hang_up()
                if call is not None:
                    call.end(outcome)
                del frame, outcome, call  # what came is theirs who asked for it
        except (OSError, unix_frames.Malformed, MemoryError):
            pass
        finally:
            self.hang_up()
            self._end_all()
            self._writer.close()  # nobody may write to what has the number of the socket next
            with self._closing:
                unix_paths.close(self._socket)

    def _end_all(self) -> None:
        for number in list(self._calls):
            call = self._calls.pop(number, None)
            if call is not None:
                call.end(LOST)

    def hang_up(self) -> None:
        """End it; calls under way end as if the server had gone."""
        self._is_over = True
        with self._closing:
            _hang_up(self._socket)

    close = hang_up  # its thread closes the socket


_pool = ElasticPool("tinytf-unix-writes")


def _after_fork() -> None:
    global _pool
    _pool = ElasticPool("tinytf-unix-writes")


os.register_at_fork(after_in_child=_after_fork)


def _later(function: Callable[[], None]) -> Any:
    return _pool.submit(function)
