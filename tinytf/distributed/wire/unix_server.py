"""The end of a unix socket that serves: connections of this user's processes on this machine.

A connection carries one call at a time (a line), which its thread answers itself, or many (a
stream), whose thread only answers what needs no waiting: `RecvTensor`, whose answer may come later
from the thread that has the tensor, and what just forgets something. On a stream everything else
goes to a thread of its own.

    accept --> [ connection: reads, answers ] --idle--> parked, without a thread
                      ^ hangs up: its calls are withdrawn

One more thread accepts, notices who hangs up while a call is answered, and wakes the parked ones.
See `unix_frames` for what travels and `unix_paths` for who may connect.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import threading
import time
from functools import partial
from typing import Any

from tinytf.distributed.limits import MOST_MESSAGE_BYTES
from tinytf.distributed.wire import deadlines, unix_frames, unix_paths
from tinytf.distributed.wire.dispatch import Dispatch, Failure, withdraw
from tinytf.distributed.wire.requests import QUICK
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import ResourceExhaustedError
from tinytf.runtime.thread_pool import ElasticPool

#: After so long without a call a connection gives its thread back.
IDLE_SECONDS = 5.0
#: Who calls gives up in time by itself; one that is halted is given up so much later.
GRACE_SECONDS = 1.0
#: A pause before one more connection is accepted, if one could not be.
_PAUSE_SECONDS = 0.1
#: More connections are refused.
MOST_CONNECTIONS = 4096
_HANGS_UP = select.EPOLLRDHUP | select.EPOLLONESHOT if hasattr(select, "EPOLLRDHUP") else 0
_SAYS_SOMETHING = _HANGS_UP | select.EPOLLIN if _HANGS_UP else 0


class UnixServer:
    """A listening unix socket.

    Args:
      dispatch: what answers.

    Attributes:
      path: of the socket. is_stopping: whether no more calls are taken.
    """

    def __init__(self, dispatch: Dispatch, listening: socket.socket, path: str):
        self.dispatch, self._listening, self.path = dispatch, listening, path
        self._process = os.getpid()
        self.pool = ElasticPool("tinytf-unix")
        self._epoll = select.epoll()
        self._bell, self._rope = socket.socketpair()
        for each in (listening, self._bell):
            each.setblocking(False)
            self._epoll.register(each, select.EPOLLIN)
        self._changed = threading.Condition()
        # Guarded by self._changed.
        self._connections: dict[int, _Connection] = {}
        self.is_stopping = False
        self._is_full = False  # whether there was no number for one more connection
        self._thread = threading.Thread(target=self._watch, name="tinytf-unix", daemon=True)

    @staticmethod
    def open(dispatch: Dispatch) -> UnixServer | None:
        """A server, which does not serve yet; None where there can be none."""
        found = unix_paths.listen()
        return None if found is None else UnixServer(dispatch, *found)

    def start(self) -> None:
        """Begin to answer calls."""
        self._thread.start()

    def stop(self, grace_seconds: float | None) -> None:
        """Refuse new calls, give running ones some time, end the rest; returns at the end."""
        if self._process != os.getpid():
            return  # a child by fork: it is the parent's
        unix_paths.remove(self.path)
        with self._changed:
            self.is_stopping = True
            connections = list(self._connections.values())
        for connection in connections:
            connection.close_if_idle()
        with self._changed:
            self._changed.wait_for(
                lambda: not any(each.is_busy for each in self._connections.values()),
                grace_seconds or 0.0,
            )
            connections = list(self._connections.values())
        for connection in connections:
            connection.close()
        self._rope.close()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        else:
            self._close_listening()
        self.pool.shutdown()

    # The watch ----------------------------------------------------------------------------------

    def _watch(self) -> None:
        try:
            while True:
                found = self._epoll.poll(_PAUSE_SECONDS if self._is_full else None)
                if self._is_full:
                    self._is_full = False
                    self._epoll.modify(self._listening, select.EPOLLIN)
                for number, event in found:
                    if number == self._bell.fileno():
                        return
                    if number == self._listening.fileno():
                        self._accept()
                    else:
                        self._heard(number, event)
        finally:
            self._close_listening()

    def _close_listening(self) -> None:
        unix_paths.close(self._listening)
        self._bell.close()
        with self._changed:
            self._epoll.close()

    def _accept(self) -> None:
        try:
            accepted, _ = self._listening.accept()
        except BlockingIOError:
            return  # who called has gone
        except OSError:  # there are no more numbers for files: look again after a while
            self._is_full = True
            self._epoll.modify(self._listening, 0)
            return
        accepted.setblocking(True)
        unix_paths.opened(accepted)
        with self._changed:
            is_full = self.is_stopping or len(self._connections) >= MOST_CONNECTIONS
            connection = None
            if not is_full and unix_paths.is_same_user(accepted):
                connection = self._connections[accepted.fileno()] = _Connection(self, accepted)
                self._epoll.register(accepted, _HANGS_UP)
        if connection is None:
            unix_paths.close(accepted)
        else:
            self._serve(connection)

    def _heard(self, number: int, event: int) -> None:
        with self._changed:
            connection = self._connections.get(number)
        if connection is None:
            return
        if event & (select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR):
            connection.hung_up()
        if connection.take_from_parking():
            self._serve(connection)

    def _serve(self, connection: _Connection) -> None:
        """Give a connection a thread."""
        try:
            self.pool.submit(connection.serve)
        except RuntimeError:  # there are no more
            connection.end()

    def park(self, number: int, is_parked: bool = True) -> bool:
        """Wake a connection when something is said, or no more; False at the end."""
        with self._changed:
            if not self._epoll.closed:
                self._epoll.modify(number, _SAYS_SOMETHING if is_parked else _HANGS_UP)
            return not self._epoll.closed

    def forget(self, number: int) -> None:
        """A connection is over."""
        with self._changed:
            if self._connections.pop(number, None) is not None and not self._epoll.closed:
                self._epoll.unregister(number)
            self._changed.notify_all()

    def answered(self) -> None:
        """A call is over, for which `stop` may wait."""
        with self._changed:
            self._changed.notify_all()

    @property
    def most_bytes(self) -> int:
        """What a request may have."""
        return self.dispatch.limits.message_bytes


class _Connection:
    """One connection; see the module."""

    def __init__(self, server: UnixServer, connection: socket.socket):
        self._server, self._socket = server, connection
        self._number = connection.fileno()
        seconds = struct.pack("ll", int(IDLE_SECONDS), int(IDLE_SECONDS % 1 * 1e6))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, seconds)
        self._reader = unix_frames.FrameReader(
            connection, min(server.most_bytes, MOST_MESSAGE_BYTES)
        )
        self._writer = unix_frames.FrameWriter(connection, server.pool.submit, self.close)
        self._is_stream: bool | None = None
        self._answers: list[Any] = []  # that the thread that reads has, and has not written yet
        self._thread: int | None = None  # the one that reads
        self._lock = threading.Lock()
        # Guarded by self._lock.
        self._calls: dict[int, CancellationManager] = {}
        self._is_gone = self._is_closed = self._is_parked = False

    @property
    def is_busy(self) -> bool:
        """Whether a call is being answered."""
        return bool(self._calls)

    # Reading ------------------------------------------------------------------------------------

    def serve(self) -> None:
        """Answer what is asked, until the connection is idle or over."""
        is_over = True
        self._thread = threading.get_ident()
        try:
            while not self._server.is_stopping or self._calls:
                try:
                    frame = self._reader.read()
                except BlockingIOError:  # the time is up
                    if self._reader.rest() and self._park():
                        is_over = False
                        return
                    continue
                if frame is None or not self._take(frame):
                    return
                if self._answers and not self._reader.has_next:
                    together, self._answers = self._answers, []
                    self._writer.write(together)  # as what they answer came together
        except (OSError, unix_frames.Malformed, MemoryError, RuntimeError):
            return  # or the pool takes nothing any more
        finally:
            if is_over:
                self.end()

    def _park(self) -> bool:
        """Give the thread back, if nobody says anything."""
        with self._lock:
            self._is_parked = not self._is_closed and self._server.park(self._number)
            return self._is_parked

    def take_from_parking(self) -> bool:
        """Whether it was parked; it is no more."""
        with self._lock:
            was_parked, self._is_parked = self._is_parked, False
            if was_parked and not self._is_closed:
                self._server.park(self._number, is_parked=False)
            return was_parked

    def _take(self, frame: unix_frames.Frame) -> bool:
        """Do what a frame says; whether more may follow."""
        if self._is_stream is None:
            self._is_stream = frame.message == unix_frames.HELLO_STREAM
            hello = unix_frames.HELLO_STREAM, unix_frames.HELLO_LINE
            return frame.kind == unix_frames.HELLO and frame.message in hello
        if frame.kind == unix_frames.CANCEL:
            with self._lock:
                withdrawn = self._calls.get(frame.number)
            if withdrawn is not None:
                withdraw(withdrawn)
            return True
        if frame.kind == unix_frames.SEVERAL:
            return frame.path in QUICK and self._answer_several(frame)
        if frame.kind != unix_frames.REQUEST:
            return False
        if self._is_stream and frame.path not in QUICK:
            self._server.pool.submit(self._answer, frame)
        else:
            self._answer(frame)
        return True

    # Answering ----------------------------------------------------------------------------------

    def _begin(self, numbers: range) -> CancellationManager | None:
        """What is cancelled when the calls are withdrawn; None if they are not to be answered."""
        withdrawn = CancellationManager()
        with self._lock:
            if self._is_closed or not self._calls.keys().isdisjoint(numbers):
                return None
            self._calls.update(dict.fromkeys(numbers, withdrawn))
            is_gone = self._is_gone
        if is_gone:
            withdraw(withdrawn)
        return withdrawn

    def _answer_several(self, frame: unix_frames.Frame) -> bool:
        """Answer what is known not to wait; whether the frame is one."""
        count, message = unix_frames.several_of(frame)
        numbers = range(frame.number, frame.number + count)
        withdrawn = self._begin(numbers)
        if withdrawn is not None:
            replies = [partial(self._reply, number) for number in numbers]
            self._server.dispatch.answer_several(frame.path, message, withdrawn, replies)
        return True

    def _answer(self, frame: unix_frames.Frame) -> None:
        number = frame.number
        withdrawn = self._begin(range(number, number + 1))
        if withdrawn is None:
            return
        late = None
        if frame.seconds is not None:
            end = time.monotonic() + frame.seconds + GRACE_SECONDS
            late = deadlines.at(end, lambda: withdraw(withdrawn))

        def reply(pieces: list[Any], failure: Failure | None) -> None:
            if late is not None:
                late.cancel()
            self._reply(number, pieces, failure)

        if frame.message is None:
            reply([], _too_long(frame.size, self._server.most_bytes))
        else:
            self._server.dispatch.answer(frame.path, frame.message, withdrawn, reply)

    def _reply(self, number: int, pieces: list[Any], failure: Failure | None) -> None:
        if failure is None:
            size = unix_frames.size_of(pieces)
            frame = [unix_frames.head(unix_frames.ANSWER, number, size), *pieces]
        else:
            frame = _as_frame(number, failure)
        if threading.get_ident() != self._thread:
            self._writer.write(frame)
        elif self._is_stream:
            self._answers += frame
        else:
            try:
                unix_frames.send(self._socket, frame)
            except OSError:
                self.close()
        with self._lock:
            self._calls.pop(number, None)
        if self._server.is_stopping:
            self._server.answered()

    # The end ------------------------------------------------------------------------------------

    def hung_up(self) -> None:
        """The other end has gone: nobody wants the answers."""
        looks = select.poll()
        with self._lock:
            if self._is_closed:
                return  # another one has the number now
            looks.register(self._number, select.POLLRDHUP)
            if not looks.poll(0):
                return
            self._is_gone = True
            calls = list(self._calls.values())
        for withdrawn in calls:
            withdraw(withdrawn)

    def close_if_idle(self) -> None:
        """Let nothing more come, if nothing is being answered."""
        with self._lock:
            is_idle = not self._calls
        if is_idle:
            self.close()

    def close(self) -> None:
        """End it at once; its calls are withdrawn."""
        with self._lock:
            if self._is_closed:
                return
            was_parked, self._is_parked, self._is_gone = self._is_parked, False, True
            calls = list(self._calls.values())
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)  # its thread, if there is one, ends it
        for withdrawn in calls:
            withdraw(withdrawn)
        if was_parked:
            self.end()

    def end(self) -> None:
        """It is over; called by whoever has it."""
        with self._lock:
            self._is_closed = self._is_gone = True
            calls = list(self._calls.values())
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
        for withdrawn in calls:
            withdraw(withdrawn)
        self._server.forget(self._number)
        self._writer.close()  # nobody may write to what has the number of the socket next
        unix_paths.close(self._socket)


def _as_frame(number: int, failure: Failure) -> list[Any]:
    kind = unix_frames.DERIVED if failure.is_derived else unix_frames.ERROR
    text = failure.text.encode()
    return [unix_frames.head(kind, number, len(text), str(failure.code).encode()), text]


def _too_long(size: int, most: int) -> Failure:
    text = f"SERVER: Received message larger than max ({size} vs. {most})"
    return Failure(ResourceExhaustedError.error_code, text, is_derived=False)
