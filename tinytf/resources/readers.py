"""Readers: files in, records out, one file after the other from a queue of their names.

A reader has a *work unit*, the file that it is reading, and gives out its records. When it has no
work, the read that comes next asks the queue for a filename; if there is none, it waits, and the
reads that come meanwhile wait in line behind it. Whoever brings the filename serves the line.

    read -> record of the current file            at once, with the lock held
    read -> no work -> queue.dequeue -> open it -> record
                             |
                          Pending: goes on when the filename arrives, on the thread that brings it

TensorFlow: core/framework/reader_base.cc and the readers in core/kernels.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from functools import partial
from typing import Any

import numpy as np

from tinytf.framework import errors
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import string
from tinytf.framework.locks import let_pass
from tinytf.framework.pending import Pending
from tinytf.resources.file_root import ANYWHERE
from tinytf.resources.queues.queue import Queue

Record = tuple[bytes, bytes]

_logger = logging.getLogger("tinytf")
#: So many files without a record are remembered.
_MOST_BARREN = 10_000


class _Read:
    """A read that has to ask the queue, or waits for one that does.

    Attributes:
      count: of records at most; None for a single one.
      pending: what its step waits for, if it waits. asks: whether it is its turn.
      result, error: how it ended.
    """

    __slots__ = "asks cancellation count error pending queue result token".split()

    def __init__(self, queue: Queue, count: int | None, cancellation: CancellationManager):
        self.queue, self.count, self.cancellation = queue, count, cancellation
        self.pending: Pending | None = None
        self.token: int | None = None
        self.asks = False
        self.result: Any = None
        self.error: BaseException | None = None

    def wait(self) -> Pending:
        """What its step waits for."""
        if self.pending is None:
            self.pending = Pending("a filename", self.queue, "elements")
        return self.pending

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended it on a thread that is not to be told by raising its error."""
        return self.pending is not None and not isinstance(self.error, Exception | None)

    def tell(self) -> None:
        """Tell the step that waits, if it does, how it ended. Hold no lock."""
        self.cancellation.deregister(self.token)
        if self.pending is None:
            return
        if self.error is None:
            self.pending.set_result(self.result)
        elif isinstance(self.error, Exception):
            self.pending.set_error(self.error)
        else:  # Ctrl-C in the thread that served it
            self.pending.set_error(errors.CancelledError("Read operation was cancelled"))


class Reader:
    """Reads records from work units, mostly files, whose names come from a queue. Thread-safe.

    Its methods never block, but for the file system: what has to wait returns a `Pending`.

    Args:
      name: of the node or the shared resource.
    """

    #: TensorFlow's name of the kind, as in messages.
    kind = "Reader"
    #: Whether a work unit is a single record.
    one_record = False

    def __init__(self, name: str):
        self.name = name
        #: which files it may read
        self.files = ANYWHERE
        self._lock = threading.Lock()
        # All below guarded by self._lock.
        self._line: deque[_Read] = deque()
        self._work = b""
        self._started = self._finished = self._produced = 0
        self._barren = set[bytes]()  # work units without a record, since the last record
        self._has_told = False

    # What a kind of reader says: the lock is held -------------------------------------------------

    def _start(self, work: bytes) -> None:
        """Begin a work unit; an error leaves it out."""

    def _next(self) -> Record | None:
        """The next record, key and value, of the current work unit; None at its end."""
        raise NotImplementedError(f"{self.kind} does not say how it reads")

    def _stop(self) -> None:
        """The work unit is done, or given up."""

    # Reading --------------------------------------------------------------------------------------

    def read(self, queue: Queue, cancellation: CancellationManager) -> Any:
        """The next record.

        Args:
          queue: of filenames. cancellation: ends the wait for a filename.

        Returns:
          (key, value), two strings as arrays, or a `Pending` for them.

        Raises:
          OutOfRangeError: if the queue is closed and empty. OpError: what the file system says; a
            file that cannot be opened is left out, one that cannot be read stays the current one.
          InvalidArgumentError: if the queue holds no filenames.
        """
        if self._lock.locked():
            let_pass(self._lock)
        with self._lock:
            if not self._line:
                record = self._record()
                if record is not None:
                    return _pair(record)
        return self._ask(_Read(queue, None, cancellation))

    def read_up_to(self, queue: Queue, count: int, cancellation: CancellationManager) -> Any:
        """Up to `count` records, at least one, all of them of one work unit; see `read`.

        Returns:
          (keys, values), two arrays of strings, or a `Pending` for them.
        """
        if count < 0:
            raise errors.InvalidArgumentError(f"num_records must be >= 0, but is {count}")
        if count == 0:
            return _arrays([])
        with self._lock:
            if not self._line:
                records = self._records(count)
                if records:
                    return _arrays(records)
        return self._ask(_Read(queue, count, cancellation))

    def _record(self) -> Record | None:
        """The next record of the current work unit; None if there is none left, or no work."""
        if self._started <= self._finished:
            return None
        try:
            record = self._next()
        except errors.OpError as error:
            raise type(error)(
                f"{error.message}\n{self} stays with this file: after reader.reset() it goes on "
                f"with the next one."
            ) from error
        if record is None or self.one_record:
            self._finished = self._started
            self._stop()
        if record is not None:
            self._produced += 1
        return record

    def _records(self, count: int) -> list[Record]:
        records: list[Record] = []
        try:
            while len(records) < count and (record := self._record()) is not None:
                records.append(record)
        except errors.OpError:
            if not records:  # those before are not lost: the error comes again
                raise
        return records

    # Asking for work ------------------------------------------------------------------------------

    def _ask(self, read: _Read) -> Any:
        """Ask the queue for a filename, or wait for those who do."""
        _check(read.queue, self)
        with self._lock:
            if not self._line:
                # Since it has looked, another read may have begun a file: that is not left out.
                result = self._result(read)
                if result is not None:
                    return result
            self._line.append(read)
            read.asks = self._line[0] is read
            waits = None if read.asks else read.wait()
        if waits is None:
            self._serve(read)
        else:
            read.token = read.cancellation.when_cancelled(lambda: self._give_up(read))
        if read.pending is not None:
            return read.pending
        if read.error is not None:
            raise read.error
        return read.result

    def _serve(self, first: _Read) -> None:
        """Serve the line, whose first is given, until it is empty or has to wait."""
        read: _Read | None = first
        while read is not None:
            try:
                read.cancellation.check()  # files without records may come for ever
                element = read.queue.dequeue(read.cancellation)
            except BaseException as error:
                read = self._leave(read, error=error)
                continue
            if isinstance(element, Pending):
                read.wait()
                element.when_done(partial(self._arrived, read))
                return
            read = self._go_on(read, element)

    def _arrived(self, read: _Read, element: Pending) -> None:
        """What a read has asked the queue for is there."""
        if element.error is not None:
            following = self._leave(read, error=element.error)
        else:
            following = self._go_on(read, element.result)
        if following is not None:
            self._serve(following)

    def _go_on(self, read: _Read, element: Any) -> _Read | None:
        """A read has its filename; who has to ask next: itself, if the file has no records."""
        try:
            with self._lock:
                self._begin(_filename(element, read.queue), read.queue)
                result = self._result(read)
                if result is None:
                    self._note_barren()
                elif self._barren:
                    self._barren.clear()
        except BaseException as error:
            return self._leave(read, error=error)
        return read if result is None else self._leave(read, result)

    def _begin(self, work: bytes, queue: Queue) -> None:
        self._stop()
        try:
            self._start(work)
        except errors.NotFoundError as error:
            where = "" if os.path.isabs(work) else f" and looked for it in {os.getcwd()}"
            raise errors.NotFoundError(
                f"{error.message}\n{self} had this name from the {queue.kind} '{queue.name}'"
                f"{where}. It goes on with the next one."
            ) from error
        self._work = work
        self._started += 1

    def _note_barren(self) -> None:
        """A file had no record: if it is its second time, reading may go round for ever."""
        if self._work in self._barren and not self._has_told:
            self._has_told = True
            count, name = len(self._barren), os.fsdecode(self._work)
            which = "no record in it" if count == 1 else f"no record in it nor in {count - 1} other"
            _logger.warning(
                "%s reads '%s' again and again: there is %s%s. Are they empty, or all header?",
                self,
                name,
                which,
                "" if count <= 2 else "s",
            )
        if len(self._barren) < _MOST_BARREN:
            self._barren.add(self._work)

    def _result(self, read: _Read) -> Any:
        if read.count is None:
            record = self._record()
            return None if record is None else _pair(record)
        records = self._records(read.count)
        return _arrays(records) if records else None

    def _leave(
        self, read: _Read, result: Any = None, error: BaseException | None = None
    ) -> _Read | None:
        """The first of the line is done; then those behind it for whom there is work, too.

        Returns:
          who has to ask next, if somebody is left.
        """
        read.result, read.error = result, error
        ended = [read]
        with self._lock:
            self._line.popleft()
            while self._line:
                following = self._line[0]
                try:
                    following.result = self._result(following)
                except BaseException as failure:
                    following.error = failure
                if following.result is None and following.error is None:
                    following.asks = True
                    break
                ended.append(self._line.popleft())
            first = self._line[0] if self._line else None
        for one in ended:
            one.tell()
        if first is not None:
            first.cancellation.deregister(first.token)  # the queue listens now
        for one in ended:
            if one.is_interrupted:
                if first is not None:
                    self._serve(first)
                raise KeyboardInterrupt
        return first

    def _give_up(self, read: _Read) -> None:
        """The step of a read that waits in line was cancelled."""
        with self._lock:
            if read.asks or read not in self._line:
                return
            self._line.remove(read)
        read.error = errors.CancelledError("Read operation was cancelled")
        read.tell()

    # State ----------------------------------------------------------------------------------------

    @property
    def num_records_produced(self) -> int:
        """How many records it has given out."""
        return self._produced

    @property
    def num_work_units_completed(self) -> int:
        """How many files it has read to their ends."""
        return self._finished

    def serialize_state(self) -> bytes:
        """Its state, for `restore_state`.

        Raises:
          UnimplementedError: if a reader of this kind cannot.
        """
        raise errors.UnimplementedError(f"Reader SerializeState{self._why_not()}")

    def restore_state(self, state: bytes) -> None:
        """Go back to a state.

        Raises:
          UnimplementedError: if a reader of this kind cannot. InvalidArgumentError: for what is no
            state; the reader is as after `reset` then.
        """
        raise errors.UnimplementedError(f"Reader RestoreState{self._why_not()}")

    def _why_not(self) -> str:
        return (
            f": a {self.kind} cannot, which is in the middle of a file; WholeFileReader and "
            f"IdentityReader can"
        )

    def reset(self) -> None:
        """Go back to the beginning: no work, counters at 0. The queue is as it was."""
        with self._lock:
            self._reset()

    def _reset(self) -> None:
        self._stop()
        self._work = b""
        self._started = self._finished = self._produced = 0

    def close(self) -> None:
        """Let go of the file: its session is closed. A read that comes now asks the queue."""
        with self._lock:
            self._stop()
            self._finished = self._started

    def __str__(self) -> str:
        return f"{self.kind} '{self.name}'"

    def __repr__(self) -> str:
        return f"<{self} at {self._work!r}, {self._produced} records so far>"


def _check(queue: Queue, reader: Reader) -> None:
    """Before something is taken out of it: whether a queue holds filenames."""
    dtypes = queue.signature.dtypes
    if dtypes == (string,):
        return
    has = f": {reader} was given the {queue.kind} '{queue.name}', which has components of the types"
    names = ", ".join(dtype.name for dtype in dtypes)
    what = "single component queue" if len(dtypes) > 1 else "queue with single string component"
    raise errors.InvalidArgumentError(f"Expected {what}{has} ({names})")


def _filename(element: Any, queue: Queue) -> bytes:
    """The filename in an element, a string or an array of one."""
    [value] = element
    if isinstance(value, bytes):
        return value
    names = np.ravel(value)
    if len(names) != 1:
        raise errors.InvalidArgumentError(
            f"Expected to dequeue a one-element string tensor, but the {queue.kind} "
            f"'{queue.name}' gave one of {len(names)}. queue.enqueue_many(filenames) makes an "
            f"element of each filename."
        )
    return bytes(names[0])


def _pair(record: Record) -> tuple[np.ndarray, np.ndarray]:
    key, value = record
    return np.array(key, object), np.array(value, object)


def _arrays(records: list[Record]) -> tuple[np.ndarray, np.ndarray]:
    keys = np.empty(len(records), object)
    values = np.empty(len(records), object)
    keys[:] = [key for key, _ in records]
    values[:] = [value for _, value in records]
    return keys, values
