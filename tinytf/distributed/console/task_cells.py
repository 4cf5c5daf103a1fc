"""The child's side of `%%task`: cells run in a task's own process, on its main thread.

The task's server serves on threads of its own meanwhile. The code comes over a pipe that only the
parent has the other end of, as messages (see `console_frames`):

    from the parent                             answers
    {"run": id, "code": text, "number": n}      {"run": id, "stdout"|"stderr"|"result": text} ...
                                                {"run": id, "error": text, "short": text}
                                                {"run": id, "done": true}
    {"interrupt": id}                           none: the cell gets a KeyboardInterrupt
    {"complete": id, "text": t, "cursor": n}    {"complete": id, "start": n, "matches": [...]}
    {"stop": true}                              none

One thread reads; it answers completions, also while a cell runs, and hands cells to the main
thread. An interrupt names its cell, so one that comes late does not strike the next. A signal from
elsewhere (`kill -INT`) interrupts the cell as well, and between cells does nothing.
"""

from __future__ import annotations

import ast
import faulthandler
import importlib
import io
import linecache
import os
import queue
import signal
import sys
import threading
import weakref
from collections import deque
from types import CodeType, FrameType, ModuleType
from typing import Any, TextIO

from tinytf.distributed.console import console_frames, task_texts
from tinytf.distributed.console.console_frames import FrameError, Message, field

#: Text that a cell prints travels in pieces of at most this many characters.
_PIECE = 1 << 16
#: Text without a line's end is kept until it is this long, or flushed.
_KEPT = 1 << 13
#: Means nothing, but ends a wait; by itself nobody sends it.
_WAKE = signal.SIGURG
#: How often: the last comes after a second.
_WAKES = 7
#: Seconds after which an interrupt comes again that Python would have ignored.
_SOON = 2e-3
#: Where Python forgets weak references, and ignores what is raised meanwhile.
_WEAK = {
    function.__code__.co_filename
    for function in (weakref.WeakSet.add, weakref.WeakKeyDictionary.get)
}


def serve(in_fd: int, out_fd: int, server: Any = None) -> None:
    """Run the cells that arrive until the parent says stop, or closes its end of the pipe.

    To be called on the main thread: only there a signal interrupts. The caller then goes on to
    serve, or ends.

    Args:
      in_fd, out_fd: the pipes' ends; they are closed at the end. server: the task's own
        `tf.train.Server`; cells find it as `server`.
    """
    for fd in (in_fd, out_fd):
        os.set_inheritable(fd, False)  # a program that a cell starts is no part of this
    console = _Console(in_fd, out_fd, namespace_of(server), _name_of(server))
    try:
        console.serve()
    finally:
        os.close(in_fd)
        os.close(out_fd)


def namespace_of(server: Any = None) -> ModuleType:
    """The module in which a task's cells run; it stays from cell to cell."""
    module = ModuleType("__main__", "Cells of %%task.")
    tf = importlib.import_module("tinytf")
    names: dict[str, Any] = {"tf": tf, "tinytf": tf}
    if server is not None:
        definition = server.server_def
        names |= {
            "server": server,
            "target": server.target,
            "cluster": tf.train.ClusterSpec(definition.cluster),
            "job": definition.job_name,
            "task_index": definition.task_index,
        }
    vars(module).update(names)
    return module


def _name_of(server: Any) -> str:
    if server is None:
        return "this process"
    return f"{server.server_def.job_name}:{server.server_def.task_index}"


class _Console:
    """Reads, runs and answers."""

    def __init__(self, in_fd: int, out_fd: int, module: ModuleType, name: str):
        self._in, self._out = in_fd, out_fd
        self._module, self._name = module, name
        self._cells: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        #: The cell that runs; output belongs to it. Written by the main thread.
        self.current: int | None = None
        self._to_interrupt: int | None = None  # the cell that an interrupt waits for
        self._starting = threading.Lock()  # so that an interrupt strikes once
        self._struck: queue.SimpleQueue[None] = queue.SimpleQueue()  # what `_strike` waits for
        # A finaliser may print in the middle of anything: hence reentrant, and the outbox.
        self.lock = threading.RLock()  # guards the streams' buffers as well
        self._outbox: deque[Message] = deque()  # guarded by self.lock
        self._sending = False  # guarded by self.lock
        self._streams = [_Stream(self, "stdout", sys.stdout), _Stream(self, "stderr", sys.stderr)]

    def serve(self) -> None:
        """See the module's function."""
        sys.modules["__main__"] = self._module
        sys.argv = [""]
        sys.path.insert(0, "")  # a cell imports the modules beside the notebook
        sys.stdin = _NoInput()
        sys.stdout, sys.stderr = self._streams
        sys.displayhook = self._show
        faulthandler.enable(sys.__stderr__ or 2, all_threads=False)
        signal.signal(signal.SIGINT, self._on_signal)
        signal.signal(_WAKE, lambda number, frame: None)
        reader = threading.Thread(target=self._read, name="tinytf-console", daemon=True)
        reader.start()
        while (message := self._cells.get()) is not None:
            self._run(message)
        reader.join()
        sys.stdout, sys.stderr = (stream.behind for stream in self._streams)

    # The reading thread -------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            while (message := console_frames.receive(self._in)) is not None:
                if "stop" in message:
                    break
                self._take(message)
        except FrameError as error:
            print(f"No message of the parent's pipe: {error}", file=sys.__stderr__, flush=True)
        finally:
            self._cells.put(None)

    def _take(self, message: Message) -> None:
        if "run" in message:
            for name, kind in (("run", int), ("code", str), ("number", int)):
                field(message, name, kind)
            self._cells.put(message)
        elif "interrupt" in message:
            self._interrupt(field(message, "interrupt", int))
        elif "complete" in message:
            cell, cursor = field(message, "text", str), field(message, "cursor", int)
            start, matches = task_texts.complete(cell, cursor, vars(self._module))
            number = field(message, "complete", int)
            self.send({"complete": number, "start": start, "matches": matches})
        else:
            raise FrameError(f"an unknown message: {str(message)[:200]}")

    def _interrupt(self, cell: int) -> None:
        with self._starting:
            running = self.current == cell
            if not running:
                self._to_interrupt = cell  # it is about to begin; or over, and then this is nothing
        if running:
            self._strike()

    def _strike(self) -> None:
        """Interrupt the main thread.

        Python notes a signal, and handles it when it looks: if it comes between the last look and
        a wait in C, that wait goes on. Another signal then ends it.
        """
        while not self._struck.empty():
            self._struck.get_nowait()
        signal.pthread_kill(_main_thread(), signal.SIGINT)
        for attempt in range(_WAKES):
            try:
                self._struck.get(timeout=0.01 * 2**attempt)
                return
            except queue.Empty:
                signal.pthread_kill(_main_thread(), _WAKE)

    # The main thread ----------------------------------------------------------------------------

    def _run(self, message: Message) -> None:
        file = f"In[{message['number']}] on {self._name}"
        signal.signal(signal.SIGINT, self._on_signal)  # a cell before may have taken it
        with self._starting:
            self.current = message["run"]
        error: BaseException | None = None
        try:
            self._in_cell(message["code"], file)
        except BaseException as raised:  # the cell's end, whatever it is
            error = raised
        if error is not None and not task_texts.ends_well(error):
            text, short = task_texts.describe(error, __file__)
            # For a cell that asks more: traceback.print_last(), pdb.pm().
            sys.last_type, sys.last_value = type(error), error
            sys.last_traceback = error.__traceback__
            self._finish({"run": self.current, "error": text, "short": short})
        self._finish({"run": self.current, "done": True})

    def _in_cell(self, source: str, file: str) -> None:
        """All that an interrupt may strike: `_on_signal` looks for this frame."""
        if self._to_interrupt == self.current:
            self._to_interrupt = None
            raise KeyboardInterrupt("before the cell began")
        for code in _compiled(source, file):
            exec(code, vars(self._module))  # noqa: S102  # this is what a cell is for

    def _finish(self, message: Message) -> None:
        with self.lock:
            for stream in self._streams:
                stream.flush()
            self.send(message)
            if "done" in message:
                self.current = None

    def _show(self, value: Any) -> None:
        """What the last line of a cell comes to, as `sys.displayhook`."""
        if value is None:
            return
        vars(self._module)["_"] = value
        text = repr(value)
        for stream in self._streams:
            stream.flush()
        self.send_text("result", text)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """KeyboardInterrupt in the cell; a moment later if a message is being written for it."""
        self._struck.put(None)
        if self.current is None:
            return
        if _is_swallowed(frame):
            again = threading.Timer(_SOON, self._interrupt, [self.current])
            again.daemon = True
            again.start()
            return
        self._to_interrupt = self.current
        while frame is not None and frame.f_code not in _UNBREAKABLE:
            if frame.f_code is _IN_CELL:
                self._to_interrupt = None
                raise KeyboardInterrupt
            frame = frame.f_back

    def raise_late_interrupt(self) -> None:
        """The KeyboardInterrupt that came while this thread wrote a message."""
        if self._to_interrupt is None or self._to_interrupt != self.current:
            return
        if threading.current_thread() is not threading.main_thread():
            return
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            if frame.f_code is _IN_CELL:
                self._to_interrupt = None
                raise KeyboardInterrupt
            frame = frame.f_back

    # Sending ------------------------------------------------------------------------------------

    def send_text(self, kind: str, text: str) -> None:
        """Send output of the cell that runs."""
        text = task_texts.printable(text)
        with self.lock:
            for start in range(0, len(text), _PIECE):
                self.send({"run": self.current, kind: text[start : start + _PIECE]})

    def send(self, message: Message) -> None:
        """Send a message, from any thread."""
        with self.lock:
            self._outbox.append(message)
            if self._sending:
                return  # by this very thread, which writes a message right now: it comes after
            self._sending = True
            try:
                while self._outbox:
                    console_frames.send(self._out, self._outbox.popleft())
            except BrokenPipeError:
                self._outbox.clear()  # nobody is there to read it, and stdin's end ends us
            finally:
                self._sending = False


def _main_thread() -> int:
    identity = threading.main_thread().ident
    assert identity is not None
    return identity


def _compiled(source: str, file: str) -> list[CodeType]:
    """The code of a cell: all of it, but a last expression on its own, which is shown."""
    lines = f"{source}\n".splitlines(keepends=True)
    # An entry without a time is not looked up on the disk.
    linecache.cache[file] = (len(source), None, lines, file)
    tree = ast.parse(source, file)
    shown: list[ast.stmt] = []
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not task_texts.is_silenced(source):
        shown = [tree.body.pop()]
    # Our own __future__ imports are not the cell's.
    codes = [compile(tree, file, "exec", dont_inherit=True)]
    if shown:
        codes.append(compile(ast.Interactive(shown), file, "single", dont_inherit=True))
    return codes


class _Stream(io.TextIOBase):
    """stdout or stderr: the cell's while one runs, by whatever thread; otherwise the task's log."""

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, console: _Console, kind: str, behind: TextIO):
        self._console, self._kind, self.behind = console, kind, behind
        self._kept = ""  # guarded by console.lock

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        with self._console.lock:
            if self._console.current is None:
                self.behind.write(text)
            else:
                self._kept += text
                if "\n" in text or len(self._kept) > _KEPT:
                    self._send()
        self._console.raise_late_interrupt()
        return len(text)

    def flush(self) -> None:
        with self._console.lock:
            if self._console.current is not None:
                self._send()
            self.behind.flush()
        self._console.raise_late_interrupt()

    def _send(self) -> None:
        text, self._kept = self._kept, ""
        self._console.send_text(self._kind, text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.behind.fileno()


_IN_CELL = _Console._in_cell.__code__
#: What a KeyboardInterrupt must not break off: a message would be left unfinished.
_UNBREAKABLE = {
    function.__code__
    for function in (_Stream.write, _Stream.flush, _Console.send_text, _Console.send)
}


def _is_swallowed(frame: FrameType | None) -> bool:
    """Whether Python ignores what is raised here: it runs because an object goes."""
    while frame is not None and frame.f_code is not _IN_CELL:
        code = frame.f_code
        if code.co_name == "__del__" or (code.co_filename in _WEAK and "remove" in code.co_name):
            return True
        frame = frame.f_back
    return False


class _NoInput(io.TextIOBase):
    """stdin of a task: it belongs to the parent, and its end ends the process."""

    def readable(self) -> bool:
        return True

    def readline(self, size: int | None = -1) -> str:  # type: ignore[override]
        raise EOFError(
            "A %%task cell cannot ask: input() has nobody to answer it in a task's process. Ask in "
            "a cell of the notebook's own, and write the answer into the task's cell."
        )

    read = readline
