"""`%%task worker:0 worker:1`: a cell that runs in tasks' own processes, and what they print."""

from __future__ import annotations

import ast
import math
import queue
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from IPython.core.completer import SimpleCompletion, context_matcher
from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from tinytf.distributed.console.task_console import CellRun, Console, ConsoleError, Event
from tinytf.distributed.local_cluster import LocalCluster
from tinytf.jupyter import cells
from tinytf.jupyter.task_output import TaskOutput

#: How long tasks may take to end a cell that was interrupted.
PATIENCE_SECONDS = 5.0
#: How long the kernel waits for the end of a process whose pipe has ended.
_END_SECONDS = 5.0
#: How much of a task's log is shown when it has ended.
_LOG_TAIL = 2000
#: How many pieces of output may wait for the notebook before the tasks have to.
_WAITING = 1000
#: How often the kernel looks for an interrupt that came at the wrong moment.
_LOOK_SECONDS = 0.5

_MAGIC = "%%task"
_OPTIONS = ["--timeout", "--in-order", "--cluster"]
_NO_CLUSTER = "No cluster is running. Start one: %cluster start"
_EMPTY = (
    "The cell is empty. Below the line %%task write what the tasks shall run; they have tf, "
    "cluster, server, target, job and task_index."
)


class TaskError(RuntimeError):
    """A `%%task` cell did not end well; what each task said stands above it in the output."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows this instead of the magic's own frames."""
        return [f"{type(self).__name__}: {self}"]


@magics_class
class TaskMagics(Magics):
    """The magic. It runs cells in the cluster that `%cluster` shows."""

    def __init__(self, shell: Any):
        super().__init__(shell)
        self._shell = shell
        before = shell.magics_manager.registry.get(type(self).__name__)
        matchers = shell.Completer.custom_matchers
        if before is not None and before._matcher in matchers:  # %reload_ext
            matchers.remove(before._matcher)
        self._matcher = _matcher_for(self)
        matchers.append(self._matcher)

    @magic_arguments()
    @argument("tasks", nargs="+", metavar="TASK", help="worker:0, or worker:* for all, or all")
    @argument(
        "--timeout", type=float, metavar="SECONDS", help="interrupt the cell after so many seconds"
    )
    @argument(
        "--in-order",
        action="store_true",
        help="all of the first task's output, then the second's: the same every time",
    )
    @argument(
        "--cluster", metavar="NAME", help="a variable with a LocalCluster (default: %%cluster's)"
    )
    @no_var_expand
    @cell_magic
    def task(self, line: str, cell: str) -> None:
        """Run the cell in the processes of these tasks, all at the same time.

        Each task keeps its variables from cell to cell, as a notebook does. It finds there: tf,
        cluster (the ClusterSpec), server (its own tf.train.Server), target (for tf.Session), job
        and task_index. What it prints comes here under its name, and so does the value of the last
        line.

            %%task worker:0 worker:1
            with tf.Session(target) as sess:
                print(sess.run(tf.constant(task_index)))

        Stop in the notebook is a KeyboardInterrupt in each task.
        """
        options = parse_argstring(self.task, line)
        if options.timeout is not None and not 0 < options.timeout < math.inf:
            raise UsageError(f"--timeout is a number of seconds, not {options.timeout}.")
        chosen = self.cluster(options.cluster)
        names = _named(chosen.cluster, options.tasks)
        if not cell.strip():
            raise UsageError(_EMPTY)
        _check_syntax(cell)
        consoles = [_console(chosen, name) for name in names]
        # The line of the magic is the cell's first one, for who counts lines in the notebook.
        number = cells.running(self._shell)
        running = _Cell(chosen, f"\n{cell}", number, options.timeout)
        running.run(consoles, TaskOutput(names, options.in_order))

    def cluster(self, variable: str | None = None) -> Chosen:
        """The one in the variable, or the one that %cluster shows; UsageError if there is none."""
        if variable is not None:
            found = self._shell.user_ns.get(variable)
            if not isinstance(found, LocalCluster):
                raise UsageError(f"--cluster {variable}: there is no LocalCluster of this name.")
            return Chosen(found, variable)
        running = self._shell.magics_manager.registry["ClusterMagics"].current()
        if running is None:
            raise UsageError(_NO_CLUSTER)
        return Chosen(running, None)


class Chosen(NamedTuple):
    """A cluster, and the variable it was found by; None: `%cluster` finds it as well."""

    cluster: LocalCluster
    variable: str | None

    def remedy(self, verb: str, task: str) -> str:
        """What to type: "%cluster restart worker:0", or the same for the variable."""
        if self.variable is None:
            return f"%cluster {verb} {task}"
        return f"{self.variable}.{verb}({task!r})"


def _named(cluster: LocalCluster, words: Sequence[str]) -> list[str]:
    """The tasks that "worker:0", "worker:*", "worker" or "all" mean, each once, in order."""
    there = cluster.tasks
    found: dict[str, None] = {}
    for word in ",".join(words).split(","):
        short = word.removeprefix("/job:").replace("/replica:0", "").replace("/task:", ":")
        job, _, index = short.partition(":")
        if short in ("all", "*"):
            tasks = there
        elif index in ("", "*"):
            tasks = [task for task in there if task.startswith(f"{job}:")]
        else:
            tasks = [task for task in there if task == short]
        if word and not tasks:
            raise UsageError(f"There is no task {word!r}. There are: {', '.join(there)}, and all.")
        found |= dict.fromkeys(tasks)
    return list(found)


def _check_syntax(cell: str) -> None:
    """Complain about a cell that cannot be read, once, instead of in every task."""
    try:
        ast.parse(f"\n{cell}", "the cell")
    except (SyntaxError, ValueError) as error:
        lines = [str(error)]
        if isinstance(error, SyntaxError):
            lines = [f"{type(error).__name__} in line {error.lineno}: {error.msg}"]
            if error.text:
                lines += [f"    {error.text.rstrip()}", f"    {' ' * ((error.offset or 1) - 1)}^"]
        if any(line.lstrip().startswith(("%", "!")) for line in cell.splitlines()):
            lines.append("Tasks run plain Python: no %magics and no !commands.")
        raise UsageError("\n".join([*lines, "Nothing was run."])) from None


# ------------------------------------------------------------------------------------- consoles

#: process -> its console. A task that was started again is another process.
_consoles: weakref.WeakKeyDictionary[Any, Console] = weakref.WeakKeyDictionary()
_consoles_lock = threading.Lock()


def _console(chosen: Chosen, name: str) -> Console:
    """The console of a task; UsageError if it cannot run a cell now."""
    task = chosen.cluster.task(name)
    again = f"start it again: {chosen.remedy('restart', name)}"
    fds = task.console_fds
    if task.process is None or not task.alive or fds is None:
        raise UsageError(f"{name} {task.status().state}; {again}")
    if task.paused:
        raise UsageError(f"{name} is paused; let it go on: {chosen.remedy('resume', name)}")
    with _consoles_lock:
        console = _consoles.get(task.process)
        if console is None:
            end = _EndOf(task.process, task.log)
            console = Console(*fds, name, end, task.process.pid)
            _consoles[task.process] = console
    if console.ended is not None:
        raise UsageError(f"{console.ended}\nTo go on, {again}")
    if console.running is not None:
        raise UsageError(
            f"{name} still runs In[{console.running.number}]. Wait for it, or end the task and "
            f"{again}"
        )
    return console


class _EndOf:
    """How a task's process ended, and the end of its log."""

    def __init__(self, process: Any, log: Any):
        # The console that has this must not keep the process's place in `_consoles`.
        self._process, self._log = weakref.ref(process), log

    def __call__(self) -> str:
        process = self._process()
        if process is None:
            return "Its process has ended."
        try:
            code = process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            return "Its process goes on, but has closed its pipe."
        how = signal.Signals(-code).name if code < 0 else f"return code {code}"
        log = self._log().strip()
        if len(log) > _LOG_TAIL:
            log = log[-_LOG_TAIL:].partition("\n")[2]
        return f"Its process ended ({how})." + (f"\nThe end of its log:\n{log}" if log else "")


# --------------------------------------------------------------------------------- running a cell


class _Cell:
    """A cell that runs in several tasks, and its output in the notebook."""

    def __init__(self, chosen: Chosen, code: str, number: int, timeout: float | None):
        self._chosen, self._code, self._number = chosen, code, number
        self._timeout = timeout
        # Also what an interrupt puts in, in the middle of anything: hence no lock around it.
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._free = threading.Semaphore(_WAITING)
        self._left = False  # nobody reads self._events any more
        self._runs: list[CellRun] = []
        self._interrupts = 0  # how often the learner said stop
        self._late = False  # whether the time is up

    def run(self, consoles: Sequence[Console], output: TaskOutput) -> None:
        """Start the cell everywhere, show what comes, and complain at the end if it failed."""
        with self._interrupts_as_events():
            try:
                for console in consoles:
                    self._start(console)
                self._show(output)
            finally:
                self._leave()
                output.close()
        self._complain()

    def _start(self, console: Console) -> None:
        try:
            self._runs.append(console.run(self._code, self._number, self._hear))
        except ConsoleError as error:
            for run in self._runs:
                run.interrupt()
            raise TaskError(str(error)) from None

    def _hear(self, event: Event) -> None:
        """The consoles' threads come here; they wait while the notebook is behind."""
        if not self._left:
            self._free.acquire()
        if not self._left:
            self._events.put(event)

    def _leave(self) -> None:
        self._left = True
        self._free.release(len(self._runs) + 1)

    @contextmanager
    def _interrupts_as_events(self) -> Iterator[None]:
        """The learner's Stop comes in line with the output, and breaks nothing off."""
        if threading.current_thread() is not threading.main_thread():
            yield  # no interrupt ever comes here
            return
        before = signal.signal(signal.SIGINT, lambda number, frame: self._events.put(None))
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _show(self, output: TaskOutput) -> None:
        running = set(self._runs)
        end = time.monotonic() + self._timeout if self._timeout else math.inf
        while running:
            try:
                event = self._next(end, output)
            except queue.Empty:
                if self._interrupts or self._late:
                    return  # they were asked, and go on
                self._late, event = True, None
            if event is None:
                self._interrupts += not self._late
                for run in running:
                    run.interrupt()
                if self._interrupts > 1:
                    end = time.monotonic()
                else:
                    end = time.monotonic() + PATIENCE_SECONDS
                continue
            self._free.release()
            if event.kind == "done":
                running.discard(event.run)
                output.end(event.run.task)
            else:
                output.add(event.run.task, event.kind, event.text)

    def _next(self, end: float, output: TaskOutput) -> Event | None:
        """The next event; output is flushed before a wait. queue.Empty after `end`."""
        try:
            return self._events.get_nowait()
        except queue.Empty:
            output.flush()
        while True:
            # Python may note a signal just before a wait, and handle it only after.
            seconds = min(end - time.monotonic(), _LOOK_SECONDS)
            try:
                return self._events.get(timeout=max(0.0, seconds))
            except queue.Empty:
                if seconds < _LOOK_SECONDS:
                    raise

    def _complain(self) -> None:
        """TaskError if a task has not run the cell to its end; in a line or two for all of them."""
        parts = []
        going_on = [run.task for run in self._runs if not run.done]
        if going_on:
            states = {f"{s.job}:{s.index}": s.state for s in self._chosen.cluster.status()}
            tasks = ", ".join(f"{task} ({states[task]})" for task in going_on)
            parts.append(
                f"{tasks} did not heed the interrupt: the cell goes on there. "
                f"To end it: {self._chosen.remedy('restart', going_on[0])}"
            )
        errors = [run.error for run in self._runs if run.done and run.error is not None]
        asked = bool(self._interrupts or self._late)
        interrupted = [e for e in errors if asked and e.short.startswith("KeyboardInterrupt")]
        failed = [error for error in errors if error not in interrupted]
        if interrupted:
            why = f" after {self._timeout:g} s (--timeout)" if self._late else ""
            parts.append(f"Interrupted{why}: {', '.join(error.task for error in interrupted)}")
        for short in dict.fromkeys(error.short for error in failed):
            same = [error for error in failed if error.short == short]
            parts.append(f"Failed in {', '.join(error.task for error in same)}: {short}")
            if same[0].ended:
                parts[-1] += f" Start it again: {self._chosen.remedy('restart', same[0].task)}"
        if parts:
            raise TaskError("\n".join(parts))


# ------------------------------------------------------------------------------------ completion


def _matcher_for(magics: TaskMagics) -> Any:
    @context_matcher(identifier="tinytf.task_cells", priority=100)
    def matcher(context: Any) -> dict[str, Any]:
        """Names of tasks on the magic's line; below it, names that the task knows."""
        first, _, _ = context.full_text.partition("\n")
        if not first.lstrip().startswith(f"{_MAGIC} "):
            return {"completions": []}
        try:
            chosen = magics.cluster()
            if context.cursor_line == 0:
                return _task_names(chosen.cluster, context.text_until_cursor)
            return _names_in_task(chosen, first, context)
        except (UsageError, ConsoleError):  # no cluster, no such task: there is nothing to offer
            return {"completions": []}

    return matcher


def _task_names(cluster: LocalCluster, before: str) -> dict[str, Any]:
    word = before.rpartition(" ")[2]
    jobs = dict.fromkeys(f"{task.partition(':')[0]}:*" for task in cluster.tasks)
    words = [*cluster.tasks, *jobs, "all", *_OPTIONS]
    return _found(word, [each for each in words if each.startswith(word)])


def _names_in_task(chosen: Chosen, first: str, context: Any) -> dict[str, Any]:
    words = first.split()[1:]
    names = [word for word in words if word == "all" or ":" in word]
    console = _console(chosen, _named(chosen.cluster, names[:1])[0])
    lines = context.full_text.split("\n")[: context.cursor_line]
    cursor = sum(len(line) + 1 for line in lines) + context.cursor_position
    start, matches = console.complete(context.full_text, cursor)
    return _found(context.full_text[start:cursor], matches)


def _found(part: str, matches: Sequence[str]) -> dict[str, Any]:
    return {
        "completions": [SimpleCompletion(text=match, type="task") for match in matches],
        "matched_fragment": part,
        # The kernel's own names are others.
        "suppress": True,
        "ordered": True,
    }
