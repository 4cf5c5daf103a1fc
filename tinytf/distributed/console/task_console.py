"""Runs cells in another process: the parent's side of `%%task`, and `serve`, the child's.

The code goes over a pipe that the child inherited and nobody else has: never over a port. What
comes back is text and where it belongs; nothing of it is executed.
"""

from __future__ import annotations

import itertools
import os
import select
import threading
from collections.abc import Callable
from typing import NamedTuple

from tinytf.distributed.console import console_frames
from tinytf.distributed.console.console_frames import FrameError, Message, field
from tinytf.distributed.console.task_cells import serve

__all__ = ["CellError", "CellRun", "Console", "ConsoleError", "Event", "serve"]

COMPLETION_SECONDS = 2.0


class ConsoleError(RuntimeError):
    """A task's process cannot be told anything: it has ended, runs a cell, or sent garbage."""


class CellError(RuntimeError):
    """A cell failed in a task.

    Attributes:
      task: "worker:0". text: the traceback, or how the process ended. short: the same in a line.
      ended: whether the process is gone.
    """

    def __init__(self, task: str, text: str, short: str, ended: bool = False):
        super().__init__(f"{task}: {short}")
        self.task, self.text, self.short, self.ended = task, text, short, ended


class Event(NamedTuple):
    """Something that a running cell tells.

    Attributes:
      run: the cell. kind: "stdout", "stderr", "result", "error", or last "done".
      text: what is to be shown, not always whole lines; "" when done.
    """

    run: CellRun
    kind: str
    text: str


class CellRun:
    """A cell that runs in a task, or has run.

    Attributes:
      task: "worker:0". number: of the cell. error: None, or what it failed with, once it is done.
    """

    def __init__(self, console: Console, identity: int, number: int):
        self._console, self._identity = console, identity
        self.task, self.number = console.task, number
        self.error: CellError | None = None
        self._done = threading.Event()

    @property
    def done(self) -> bool:
        """Whether the cell has ended."""
        return self._done.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the cell has ended; whether it has.

        Raises:
          CellError: if the cell failed.
        """
        if not self._done.wait(timeout):
            return False
        if self.error is not None:
            raise self.error
        return True

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the cell; nothing happens if it is over."""
        self._console._interrupt(self._identity)


Listener = Callable[[Event], None]


class Console:
    """This process's end of a task's pipes. May be used by several threads.

    The pipes' ends are duplicated: whoever made them closes the own ones. A thread reads what the
    task tells; it ends with the task, or with `close`.

    Args:
      write_fd, read_fd: the pipes' ends. task: what messages call the task, "worker:0".
      how_it_ended: says, when the task has ended, how its process did, and the end of its log; it
        may wait for the process a little.
      pid: of the task's process, if it is a child of this one. A process that the task has forked
        may have the pipe's other end as well, and outlive it: then the pipe does not end.

    Example:
      >>> console = Console(to_task, from_task, "worker:0")  # doctest: +SKIP
      >>> console.run("print(6 * 7)", 1, print).wait()  # doctest: +SKIP
    """

    def __init__(
        self,
        write_fd: int,
        read_fd: int,
        task: str,
        how_it_ended: Callable[[], str] = lambda: "Its process has closed its pipe.",
        pid: int | None = None,
    ):
        self.task = task
        self._how_it_ended = how_it_ended
        self._write, self._read = os.dup(write_fd), os.dup(read_fd)
        self._process = _watched(pid)
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._running: CellRun | None = None  # guarded by self._lock, like those below
        self._listener: Listener = _ignore
        self._completions: dict[int, _Answer] = {}
        self._ended: str | None = None  # why nothing can be told any more
        self._writing = threading.Lock()  # one message at a time
        self._closed = False  # guarded by self._writing: self._write is
        self._reader = threading.Thread(
            target=self._receive_all, name=f"tinytf-console-{task}", daemon=True
        )
        self._reader.start()

    @property
    def running(self) -> CellRun | None:
        """The cell that runs."""
        with self._lock:
            return self._running

    @property
    def ended(self) -> str | None:
        """How the task ended; None while it can be told something."""
        with self._lock:
            return self._ended

    def run(self, code: str, number: int, listener: Listener | None = None) -> CellRun:
        """Start a cell in the task; returns at once.

        Args:
          code: Python. number: what the cell is called: 3 for In[3].
          listener: gets every `Event` of the cell, on the thread that reads. While it waits, the
            task waits as well when it prints a lot.

        Raises:
          ConsoleError: if the task runs another cell, or is gone.
        """
        run = CellRun(self, next(self._ids), number)
        with self._lock:
            self._check()
            if self._running is not None:
                raise ConsoleError(f"{self.task} still runs In[{self._running.number}].")
            self._running, self._listener = run, listener or _ignore
        try:
            self._send({"run": run._identity, "code": code, "number": number})
        except (ValueError, ConsoleError):
            with self._lock:
                self._running = None
            raise
        return run

    def complete(
        self, text: str, cursor: int, timeout: float = COMPLETION_SECONDS
    ) -> tuple[int, list[str]]:
        """What the name before an offset of a cell may become, in the task's names.

        Also while a cell runs there.

        Returns:
          the offset where the completed part begins, and the texts for its place. Nothing if the
          task does not answer in time (its cell may keep Python's lock).

        Raises:
          ConsoleError: if the task is gone.
        """
        answer, number = _Answer(cursor, [], threading.Event()), next(self._ids)
        with self._lock:
            self._check()
            self._completions[number] = answer
        try:
            self._send({"complete": number, "text": text, "cursor": cursor})
            answer.given.wait(timeout)
        finally:
            with self._lock:
                self._completions.pop(number, None)
        return answer.start, answer.matches

    def close(self) -> None:
        """Tell the task that no more cells come, and wait for the last. It may go on serving."""
        with self._writing:
            if not self._closed:
                self._closed = True
                try:
                    console_frames.send(self._write, {"stop": True})
                except BrokenPipeError:
                    pass  # it has ended
                os.close(self._write)
        if threading.current_thread() is not self._reader:
            self._reader.join()

    def _interrupt(self, identity: int) -> None:
        with self._lock:
            if self._running is None or self._running._identity != identity:
                return
        try:
            self._send({"interrupt": identity})
        except ConsoleError:
            return  # it has ended this moment; whoever waits for the cell is told

    def _closed_text(self) -> str:
        return f"The console of {self.task} is closed."

    def _check(self) -> None:
        if self._ended is not None:
            raise ConsoleError(self._ended)

    def _send(self, message: Message) -> None:
        with self._writing:
            if self._closed:
                raise ConsoleError(self._ended or self._closed_text())
            try:
                console_frames.send(self._write, message)
            except BrokenPipeError:
                raise ConsoleError(f"{self.task} has ended.") from None
            except KeyboardInterrupt:
                # The message may be there in part; what came after it could not be understood.
                self._closed = True
                os.close(self._write)
                raise

    # The reading thread -------------------------------------------------------------------------

    def _receive_all(self) -> None:
        try:
            while (message := self._receive()) is not None:
                self._take(message)
            if self._closed:  # by us: its process may go on
                end = self._closed_text()
            else:
                end = f"{self.task} is gone. {self._how_it_ended()}"
        except FrameError as error:
            end = (
                f"{self.task} sent what is no message: {error}. Did a program write to a file "
                f"descriptor that is not its own? No more cells can run there until it is started "
                f"again."
            )
        os.close(self._read)
        if self._process is not None:
            os.close(self._process)
        with self._writing:
            if not self._closed:
                self._closed = True
                os.close(self._write)
        with self._lock:
            self._ended = end
            run, answers = self._running, list(self._completions.values())
        for answer in answers:
            answer.given.set()
        if run is not None:
            first = end.partition("\n")[0]
            run.error = CellError(self.task, end, first, ended=True)
            self._tell(run, "error", end)
            self._finish(run)

    def _receive(self) -> Message | None:
        """The next message; None at the end of the pipe, or of the process."""
        if self._process is not None:
            ready, _, _ = select.select([self._read, self._process], [], [])
            if self._read not in ready:
                return None
        return console_frames.receive(self._read)

    def _take(self, message: Message) -> None:
        if "complete" in message:
            with self._lock:
                answer = self._completions.get(field(message, "complete", int))
            if answer is not None:
                answer.start = field(message, "start", int)
                answer.matches = [str(match) for match in field(message, "matches", list)]
                answer.given.set()
            return
        identity = field(message, "run", int)
        with self._lock:
            run = self._running
        if run is None or run._identity != identity:
            raise FrameError(f"a cell's message that is not expected: {str(message)[:200]}")
        if "done" in message:
            self._finish(run)
        elif "error" in message:
            text = field(message, "error", str)
            run.error = CellError(self.task, text, field(message, "short", str))
            self._tell(run, "error", text)
        else:
            kind = next((k for k in ("stdout", "stderr", "result") if k in message), "stdout")
            self._tell(run, kind, field(message, kind, str))

    def _tell(self, run: CellRun, kind: str, text: str) -> None:
        self._listener(Event(run, kind, text))

    def _finish(self, run: CellRun) -> None:
        with self._lock:
            listener, self._listener, self._running = self._listener, _ignore, None
        run._done.set()
        listener(Event(run, "done", ""))


def _watched(pid: int | None) -> int | None:
    """A descriptor that becomes readable when a process has ended; None where there are none."""
    if pid is None or not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None  # it has ended, and its pipe with it


class _Answer:
    """A completion that is waited for."""

    def __init__(self, start: int, matches: list[str], given: threading.Event):
        self.start, self.matches, self.given = start, matches, given


def _ignore(event: Event) -> None:
    """The listener of a cell that nobody listens to."""
