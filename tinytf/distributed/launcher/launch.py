"""`launch`: all tasks of a script, and who is started again when."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from tinytf.devices import prepare_children
from tinytf.distributed.cluster.task_names import TaskName, parse_task
from tinytf.distributed.launcher import checks
from tinytf.distributed.launcher.process import LaunchedTask, Process, Script, in_words
from tinytf.distributed.local_cluster import taking

#: How many of a task's last lines are shown when it is given up.
SHOWN_LINES = 15
CLIENT, EVALUATOR = TaskName("client", 0), TaskName("evaluator", 0)


def launch(
    script: str | os.PathLike[str],
    arguments: Sequence[Any] = (),
    *,
    ps: int = 1,
    worker: int = 2,
    client: bool = False,
    estimator: bool = False,
    ports: Iterable[int] | None = None,
    first_port: int | None = None,
    restarts: int = 3,
    period: float = 60.0,
    grace: float = 20.0,
    out: TextIO | None = None,
    python: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Launch:
    """Start a script once for each task of a cluster on this machine; returns at once.

    Each task is given `--ps_hosts=... --worker_hosts=... --job_name=... --task_index=...` behind
    the arguments, and the same in TF_CONFIG; a flag of hosts is left out where the job has no
    tasks. A task that dies (by a signal, or with another exit code than 0) is started again, at
    the same address. When all workers have ended with 0 the parameter servers are ended. All end
    with this program, too; if that is killed (SIGKILL), on Linux only.

    Args:
      script: a Python file. arguments: its own, for all tasks.
      ps, worker: how many tasks each job has.
      client: whether one more process is started that is no task of the cluster, as
        --job_name=client, with the flags of all hosts: for a program that builds one graph for all
        workers. Then the launch is over when the client is done; the workers only serve.
      estimator: for a program that ends in `tf.estimator.train_and_evaluate`: no flags but
        TF_CONFIG alone; the first worker is the task "chief", and one process more, which is no
        task of the cluster, is the "evaluator".
      ports, first_port: as for `tinytf.LocalCluster`; by default free ports are chosen.
      restarts: how often a task is started again within `period` seconds; once more, and all are
        ended. Nobody is started again after the chief (the client, chief:0, worker:0) is done; who
        is left then has `grace` seconds to be done as well.
      out: where all that the tasks write goes, line by line, each with its task's name; None:
        nowhere, `Launch.output` has it.
      python: the interpreter; by default this one. folder: the working folder; by default this
        one's. environment: more variables for the tasks.

    Raises:
      FileNotFoundError: if there is no such script, or interpreter.
      ValueError: for no workers, negative numbers, ports that are none, a flag that the launcher
        gives itself; for an estimator's client.
      RuntimeError: if a port is taken; the message says by whom.

    Example:
      >>> from tinytf.distributed.launcher import launch
      >>> with launch("train.py", ["--steps=500"], ps=1, worker=3) as run:  # doctest: +SKIP
      ...     run.kill("worker:1")  # it is started again
      ...     run.wait()
      0
    """
    path = checks.script_to_run(Path(script))
    interpreter = checks.interpreter(python or sys.executable)
    given = checks.check_arguments(arguments)
    if estimator and client:
        raise ValueError("client=True and estimator=True: an estimator's workers train themselves.")
    names = checks.tasks_of(ps, worker, estimator)
    checks.check_limits(restarts, period, grace)
    prepare_children()
    kept = taking.take(
        names, taking.ports_for(names, ports, first_port), "error", lambda pid: False
    )
    addresses = [f"localhost:{port.getsockname()[1]}" for port in kept]
    cluster: dict[str, list[str]] = {}
    for name, address in zip(names, addresses, strict=True):
        cluster.setdefault(name.job, []).append(address)
    where = Path(folder) if folder is not None else None
    variables = dict(environment or {})
    run = Script(interpreter, path, given, where, variables, cluster, flags=not estimator)
    if client or estimator:
        names, addresses = [*names, CLIENT if client else EVALUATOR], [*addresses, ""]
    limits = (restarts, period, grace)
    return Launch(run, list(zip(names, addresses, strict=True)), kept, limits, out)


class Launch:
    """The tasks of a script that runs; made by `launch`. At the end of a `with` all are ended.

    Attributes:
      events: what the launcher did and why, as lines: who died, who was started again.
    """

    def __init__(
        self,
        script: Script,
        names: Sequence[tuple[TaskName, str]],
        kept_ports: Sequence[Any],
        limits: tuple[int, float, float],
        out: TextIO | None,
    ):
        self._script, self._kept_ports, self._out = script, kept_ports, out
        self._restarts, self._period, self._grace = limits
        self._writing = threading.Lock()
        self._changed = threading.Condition(threading.RLock())
        self._ending, self._code = False, 0
        self._finished = threading.Event()
        self.events: list[str] = []
        self._tasks = [Process(name, address, self._say) for name, address in names]
        clients = [task for task in self._tasks if task.name == CLIENT]
        #: Those whose end is the end of the launch; the first of them is the chief.
        self._leaders = clients or [task for task in self._tasks if task.name.job != "ps"]
        self._keepers: list[threading.Thread] = []
        self._watcher = threading.Thread(target=self._watch, name="tinytf-launch", daemon=True)
        atexit.register(self.stop)
        try:
            for task in self._tasks:
                self._begin(task)
        except BaseException:
            self._end_all()
            raise
        self._watcher.start()

    def _begin(self, task: Process) -> None:
        task.start(self._script)
        keeper = threading.Thread(target=self._keep, args=(task,), daemon=True)
        self._keepers.append(keeper)
        keeper.start()

    # ------------------------------------------------------------------------- looks

    @property
    def tasks(self) -> list[str]:
        """The names of all processes: ["ps:0", "worker:0", "client:0"]."""
        return [str(task.name) for task in self._tasks]

    @property
    def over(self) -> bool:
        """Whether all tasks have ended, and none will be started again."""
        return self._finished.is_set()

    def status(self) -> list[LaunchedTask]:
        """All tasks, with process, address and state."""
        return [task.status() for task in self._tasks]

    def output(self, task: str) -> str:
        """What a task wrote so far, in all its lives; ValueError if there is no such task."""
        return "\n".join(list(self._task(task).lines))

    def _task(self, name: str) -> Process:
        wanted = parse_task(name)
        for task in self._tasks:
            if task.name == wanted:
                return task
        raise ValueError(f"The launch has no task {name}. Its tasks: {', '.join(self.tasks)}.")

    def __repr__(self) -> str:
        rows = [f"{one.name:10} {one.address:16} {one.state}" for one in self.status()]
        return "\n".join([f"{self._script.path.name}:", *rows])

    # ------------------------------------------------------------------------- what may happen

    def kill(self, task: str) -> int:
        """End a task's process with SIGKILL, as `kill -9` does; the launcher starts it again.

        Returns:
          The number of the process that is gone.

        Raises:
          ValueError: if there is no such task, or it does not run now.
        """
        with self._changed:
            found = self._task(task)
            if found.popen is None or found.popen.poll() is not None:
                raise ValueError(f"{found.name} does not run now: {found.state}.")
            popen = found.popen
            popen.kill()
        popen.wait()
        return popen.pid

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the launch is over.

        Returns:
          0 if the client or all workers were done; 1 if a task was given up; 130 after `stop`.

        Raises:
          TimeoutError: if it is not within `timeout` seconds; it says who still runs.
        """
        if not self._finished.wait(timeout):
            raise TimeoutError(f"Not over after {timeout} s. {self!r}")
        return self._code

    def stop(self) -> None:
        """End all tasks; nothing happens if they have ended. What they wrote can still be read."""
        with self._changed:
            if not self._ending and not self._finished.is_set():
                self._end_because("stopped", 130)
        self._watcher.join()

    def __enter__(self) -> Launch:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.stop()

    # ------------------------------------------------------------------------- who goes on

    def _keep(self, task: Process) -> None:
        """Start a task again until it is over."""
        while True:
            code = task.wait()
            with self._changed:
                goes_on = self._goes_on(task, code)
                if goes_on:
                    task.start_again(self._script)
                task.over = not goes_on
                self._changed.notify_all()
            if not goes_on:
                return

    def _goes_on(self, task: Process, code: int) -> bool:
        """Whether a task whose process has ended is started again; says why, or why not."""
        task.state = in_words(code) if code else "done"
        if self._ending or code == 0:
            return False
        if self._leaders[0].over:
            self._tell(f"{task.name} {task.state}; the chief is done, so it is not started again")
            task.over = True
            if task not in self._leaders:
                self._end_because(f"without {task.name} nobody can go on", 0)
            return False
        now = time.monotonic()
        recent = deque(moment for moment in task.again if moment > now - self._period)
        recent.append(now)
        task.again = recent
        if len(recent) > self._restarts:
            self._give_up(task)
            return False
        count = f"{len(recent)} of at most {self._restarts} times in {self._period:g} s"
        self._tell(f"{task.name} {task.state}; it is started again ({count})")
        return True

    def _give_up(self, task: Process) -> None:
        why = f"{task.name} {task.state}"
        if self._restarts:
            why += f", after {self._restarts} restarts in {self._period:g} s"
        self._tell(f"{why}: given up. Its last lines:")
        for line in task.last_lines(SHOWN_LINES) or ["(it has written nothing)"]:
            self._tell(f"    {line}")
        task.over = True
        self._end_because(f"{task.name} was given up", 1)

    def _end_because(self, why: str, code: int) -> None:
        left = [str(task.name) for task in self._tasks if not task.over]
        if left:
            self._tell(f"{why}: {', '.join(left)} {'is' if len(left) == 1 else 'are'} ended")
        self._ending, self._code = True, code
        self._changed.notify_all()

    def _watch(self) -> None:
        """Wait until all is done, then end who is left."""
        with self._changed:
            self._changed.wait_for(lambda: self._ending or self._leaders[0].over)
            self._changed.wait_for(self._is_done, self._grace)
            late = [str(task.name) for task in self._leaders if not task.over]
            if late and not self._ending:
                self._end_because(f"the chief was done {self._grace:g} s ago", 0)
        self._end_all()

    def _is_done(self) -> bool:
        return self._ending or all(task.over for task in self._leaders)

    def _end_all(self) -> None:
        with self._changed:
            self._ending = True
            for task in self._tasks:
                task.signal(signal.SIGTERM)
                task.signal(signal.SIGCONT)  # or a halted one could not notice
        for task in self._tasks:
            task.end()
        for keeper in self._keepers:
            keeper.join()
        for port in self._kept_ports:
            port.close()
        atexit.unregister(self.stop)
        self._finished.set()

    # ------------------------------------------------------------------------- what is said

    def _tell(self, text: str) -> None:
        self.events.append(text)
        self._write(f"[launch] {text}\n")

    def _say(self, name: TaskName, text: str) -> None:
        self._write(f"[{name}] {text}\n")

    def _write(self, line: str) -> None:
        with self._writing:
            if self._out is not None:
                try:
                    self._out.write(line)
                    self._out.flush()
                except (OSError, ValueError):  # nobody reads any more; the tasks go on
                    self._out = None
