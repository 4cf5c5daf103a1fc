"""An event file, written by a thread of its own so that a training loop does not wait for the disk.

Mirrors `EventFileWriter` of tensorflow/python/summary/writer and the class EventsWriter of
tensorflow/core/util: a file "events.out.tfevents.<seconds>.<host>" of TFRecords, the first of
which tells the version.
"""

from __future__ import annotations

import logging
import os
import platform
import threading
import time
import weakref
from collections import deque
from typing import BinaryIO

from tinytf.framework import files
from tinytf.framework.errors import AlreadyExistsError, OpError, UnknownError
from tinytf.protos import summary_pb2
from tinytf.resources.records import encode_record

#: The format of the events; TensorBoard looks at it.
FILE_VERSION = "brain.Event:2"
#: Written as every event file's author: TensorBoard shows files of other writers in another way.
WRITER = "tensorflow.core.util.events_writer"


class EventFile:
    """Writes events to a new file, in the background.

    It is closed at the end of the program, too, and when nobody has it any more.

    Args:
      folder: where the file goes; made if it is not there.
      max_queue: so many events may wait to be written before `add` waits.
      flush_secs: events are on the disk after so many seconds at the latest.
      suffix: appended to the file's name.

    Raises:
      tf.errors.OpError: if the file cannot be made.
    """

    def __init__(self, folder: str, max_queue: int, flush_secs: float, suffix: str = ""):
        files.make_folder(folder)
        self.path, file = _new_file(folder, suffix)
        self._state = _State(file, self.path, max_queue, flush_secs)
        first = summary_pb2.Event(wall_time=time.time(), file_version=FILE_VERSION)
        first.source_metadata.writer = WRITER
        self._state.put(first.SerializeToString())
        # The thread holds the state, not this object: so that this one can be forgotten.
        self._thread = threading.Thread(
            target=self._state.write_all, name="tinytf-event-file", daemon=True
        )
        self._thread.start()
        self._close = weakref.finalize(self, _end, self._state, self._thread)

    def add(self, event: summary_pb2.Event) -> None:
        """Queue an event; waits while the queue is full.

        Raises:
          tf.errors.OpError: if an earlier one could not be written: a full disk, for example.
        """
        self._state.put(event.SerializeToString())

    def flush(self) -> None:
        """Wait until all that was added is in the file; errors as `add`."""
        self._state.flush()

    def close(self) -> None:
        """Write what is left and close the file; errors as `add`. The second time, nothing."""
        if self._close.detach() is not None:
            self._state.close()
            self._thread.join()
            self._state.complain()


class _State:
    """What a writer and its thread share: the queue, the file, and how far they are."""

    def __init__(self, file: BinaryIO, path: str, max_queue: int, flush_secs: float):
        self._file = file
        self._path = path
        self._limit = max_queue if max_queue > 0 else float("inf")
        self._flush_secs = flush_secs
        self._waiting: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._added = self._written = 0  # events; the written ones are also flushed
        self._flush_wanted = self._closing = False
        self._error: OpError | None = None

    def put(self, content: bytes) -> None:
        with self._changed:
            while len(self._waiting) >= self._limit and self._error is None:
                self._changed.wait()
            self.complain()
            self._waiting.append(content)
            self._added += 1
            self._changed.notify_all()

    def flush(self) -> None:
        with self._changed:
            self._flush_wanted = True
            self._changed.notify_all()
            wanted = self._added
            while self._written < wanted and self._error is None:
                self._changed.wait()
            self.complain()

    def close(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def complain(self) -> None:
        if self._error is not None:
            raise self._error

    # The thread -------------------------------------------------------------------------------

    def write_all(self) -> None:
        """Write until `close`; the thread's function. The first event is flushed at once."""
        try:
            with self._file:
                self._write_until_closed()
        except (
            Exception
        ) as error:  # whoever adds or flushes gets it; nobody waits for a dead thread
            with self._changed:
                if isinstance(error, OSError):
                    self._error = files.as_op_error(error, self._path)
                else:
                    self._error = UnknownError(f"{self._path}; {error!r}")
                self._waiting.clear()
                self._changed.notify_all()

    def _write_until_closed(self) -> None:
        taken, next_flush = 0, 0.0
        while True:
            with self._changed:
                while not (self._waiting or self._flush_wanted or self._closing):
                    unflushed = taken > self._written
                    left = next_flush - time.monotonic() if unflushed else None
                    if left is not None and left <= 0:
                        break
                    self._changed.wait(left)
                batch = list(self._waiting)
                self._waiting.clear()
                flush = self._flush_wanted or self._closing or time.monotonic() >= next_flush
                self._flush_wanted = False
                finished = self._closing
                self._changed.notify_all()
            for content in batch:
                self._file.write(encode_record(content))
            taken += len(batch)
            if flush:
                self._file.flush()
                next_flush = time.monotonic() + self._flush_secs
                with self._changed:
                    self._written = taken
                    self._changed.notify_all()
            if finished:
                return


def _end(state: _State, thread: threading.Thread) -> None:
    """Close a file that nobody has any more; there is nobody either to raise an error at."""
    state.close()
    thread.join()
    try:
        state.complain()
    except OpError as error:
        logging.getLogger("tinytf").error("The last events are lost: %s", error)


def _new_file(folder: str, suffix: str) -> tuple[str, BinaryIO]:
    """A file that was not there: of two writers within a second, the later one gets the next."""
    seconds = int(time.time())
    while True:
        name = f"events.out.tfevents.{seconds:010d}.{platform.node()}{suffix}"
        path = os.path.join(folder, name)
        try:
            with files.op_errors(path):
                return path, open(path, "xb")
        except AlreadyExistsError:
            seconds += 1
