"""`tinytf.LocalCluster`: the processes of a small cluster, as one object."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import threading
import time
import weakref
from collections.abc import Iterable, Mapping
from types import CodeType
from typing import Any

from tinytf.devices import prepare_children
from tinytf.distributed.cluster.cluster_spec import ClusterSpec
from tinytf.distributed.cluster.task_names import TaskName, parse_task
from tinytf.distributed.local_cluster import table, taking
from tinytf.distributed.local_cluster.rules import CLIENT, Rules, check_seconds
from tinytf.distributed.local_cluster.task import Task, TaskStatus
from tinytf.distributed.wire import faults, unix_paths
from tinytf.distributed.wire.transport import chosen
from tinytf.framework import call_site

#: How long the start of all tasks may take.
START_SECONDS = 60.0

_numbers = itertools.count()
#: The clusters of this program whose processes may live.
_running: weakref.WeakSet[_Processes] = weakref.WeakSet()


class LocalCluster:
    """A cluster of processes on this machine. They serve when the constructor returns.

    Every task is a `tinytf serve` in a process of its own. All of them end with `stop`, at the end
    of a `with`, when nobody refers to the cluster any more, and with this program, however it ends.
    Tasks are named "worker:1", "/job:worker/task:1", or by two arguments, "worker", 1.

    Args:
      jobs: how many tasks each job has, {"ps": 2, "worker": 3}; or by keyword: ps=2, worker=3.
      ports: a port for each task, in the order of the jobs: range(2221, 2226).
      first_port: the same, counted up from this one. Without both, free ports are chosen.
      if_taken: what to do if somebody listens on a given port. "error": say who. "replace": end
        who does, if it is a `tinytf serve` of this user, or an earlier cluster of this program.
        "reuse": if all ports are held by one earlier cluster of this program with the same tasks,
        be that cluster; nothing is started, and it goes on with its state.
        A notebook cell that is run again replaces the cluster that it made before.
      transport: how tasks and sessions talk: "grpc" alone, as they do between machines, or "auto",
        which is faster; see `tf.train.Server`.

    Raises:
      ValueError: for no tasks, negative numbers of them, ports that are none or not as many; for
        another transport.
      RuntimeError: if a port is taken; if a task does not start: the message has the end of its
        log, and no process is left.

    Example:
      >>> with tinytf.LocalCluster(ps=1, worker=2) as cluster:
      ...     with tf.Session(cluster.target("worker:0")) as sess:
      ...         print(sess.run(tf.constant(3) + 5))
      8
    """

    def __init__(
        self,
        jobs: Mapping[str, int] | None = None,
        *,
        ports: Iterable[int] | None = None,
        first_port: int | None = None,
        if_taken: str = "error",
        transport: str | None = None,
        **tasks: int,
    ):
        names = _names(jobs or {}, tasks)
        if if_taken not in taking.CHOICES:
            raise ValueError(f"if_taken must be one of {taking.CHOICES}, got {if_taken!r}.")
        wanted = taking.ports_for(names, ports, first_port)
        prepare_children()
        place = _place_in_notebook()
        transport = chosen(transport)
        earlier = _same_as(names, wanted, transport) if if_taken == "reuse" else None
        if earlier is None:
            _make_room_for_same_cell(place, wanted)
            kept = taking.take(names, wanted, if_taken, _stop_cluster_with)
            held = [Task(name, port) for name, port in zip(names, kept, strict=True)]
            earlier = _Processes(held, transport)
            earlier.place = place
            earlier.start()
        self._processes = earlier

    # ------------------------------------------------------------------------- who is who

    @property
    def cluster_spec(self) -> ClusterSpec:
        """All jobs and addresses, as `tf.train.ClusterSpec`."""
        return ClusterSpec(self._processes.addresses())

    @property
    def tasks(self) -> list[str]:
        """The names of all tasks: ["ps:0", "worker:0"]."""
        return [str(task.name) for task in self._processes.tasks]

    @property
    def transport(self) -> str:
        """How tasks and sessions talk: "grpc" alone, or "auto"; see `tf.train.Server`."""
        return self._processes.transport

    def target(self, task: str | None = None, index: int | None = None) -> str:
        """What to pass to `tf.Session` to reach a task; ValueError if there is no such task.

        Args:
          task, index: which; by default the first worker, or else the first task.
        """
        if task is None:
            workers = [name for name in self.tasks if name.startswith("worker:")]
            task = workers[index or 0] if workers else self.tasks[index or 0]
            index = None
        elif index is None and ":" not in task:
            index = 0
        return f"grpc://{self.task(task, index).address}"

    def status(self) -> list[TaskStatus]:
        """All tasks, with process, address and state."""
        rules = self._processes.rules
        return [task.status(rules.of(str(task.name))) for task in self._processes.tasks]

    @property
    def alive(self) -> bool:
        """Whether all tasks have a process that runs."""
        return all(status.alive for status in self.status())

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called: there are no processes, and there will be none."""
        return not self._processes.stop.alive

    def log(self, task: str, index: int | None = None) -> str:
        """What a task wrote so far, also after it ended; ValueError if there is no such task."""
        return self.task(task, index).log()

    def wait_for_end(
        self, task: str, index: int | None = None, timeout: float | None = None
    ) -> int:
        """Wait until a task's process has ended; returns its return code.

        Raises:
          subprocess.TimeoutExpired: if it has not within `timeout` seconds.
        """
        process = self.task(task, index).process
        assert process is not None
        return process.wait(timeout)

    def task(self, task: str | TaskName, index: int | None = None) -> Task:
        """A task's process and pipes; ValueError if there is no such task."""
        name = parse_task(str(task)) if index is None else TaskName(str(task), index)
        for found in self._processes.tasks:
            if found.name == name:
                return found
        raise ValueError(f"The cluster has no task {name}. Its tasks: {', '.join(self.tasks)}.")

    # ------------------------------------------------------------------------- what may happen

    def kill(self, task: str, index: int | None = None) -> None:
        """End a task's process with SIGKILL: no warning, no clean-up; returns when it is gone.

        Its variables are gone with it. ValueError if there is no such task.
        """
        with self._processes.lock:
            self.task(task, index).kill()

    def restart(self, task: str, index: int | None = None) -> None:
        """Start a task again at the same address, and wait until it serves.

        If its process lives, it is killed first. The new one is a new incarnation: it has no
        sessions and no variables.

        Raises:
          ValueError: if there is no such task. RuntimeError: if it does not start, or the cluster
            was stopped.
        """
        found = self.task(task, index)
        with self._processes.lock:
            self._processes.check_not_stopped()
            found.kill()
            self._processes.launch(found)
            found.wait_until_serving(time.monotonic() + START_SECONDS)

    def pause(self, task: str, index: int | None = None) -> None:
        """Bring a task's process to a halt (SIGSTOP): it is there, and does not answer."""
        with self._processes.lock:
            self._living(task, index).pause()

    def resume(self, task: str, index: int | None = None) -> None:
        """Let a paused task go on, from where it was (SIGCONT)."""
        with self._processes.lock:
            self._living(task, index).resume()

    def _living(self, task: str, index: int | None) -> Task:
        found = self.task(task, index)
        if not found.alive:
            raise ValueError(f"{found.name} {found.status().state}; restart it first.")
        return found

    # ------------------------------------------------------------------------- the fault lab

    def delay(self, task: str, seconds: float, other: str | None = None) -> None:
        """From now on every call to or from a task comes late; 0: no more.

        Args:
          task: which. seconds: how late. other: only the calls between these two.
            "client" is this program, whose sessions call tasks as well.

        Raises:
          ValueError: if there is no such task, or for less than no time.
        """
        check_seconds(seconds)
        with self._changed_rules() as rules:
            if other is None:
                rules.late[self._member(task)] = seconds
            else:
                rules.late_between[self._pair(task, other)] = seconds

    def drop(self, one: str, other: str) -> None:
        """From now on all that two tasks say to each other is lost, silently, until `heal`.

        Who waits for an answer waits until its deadline, or until then. ValueError if there is no
        such task. "client" is this program.
        """
        with self._changed_rules() as rules:
            rules.lost_between.add(self._pair(one, other))

    def partition(self, *groups: Iterable[str]) -> None:
        """Cut the network: tasks of different groups do not reach each other, until `heal`.

        Args:
          groups: names of tasks, ["worker:0", "worker:1"], ["ps:0"]. Who is in no group reaches
            everybody. It replaces an earlier partition.

        Raises:
          ValueError: for fewer than two groups, or a task that is in two or does not exist.
        """
        parts = [frozenset(self._member(name) for name in group) for group in groups]
        if len(parts) < 2 or not all(parts):
            raise ValueError(
                "A partition has two or more groups of tasks: partition(['worker:0'], ['ps:0'])."
            )
        if sum(map(len, parts)) > len(frozenset().union(*parts)):
            raise ValueError("A task can be on one side of a partition only.")
        with self._changed_rules() as rules:
            rules.groups = parts

    def heal(self) -> None:
        """Let the network be as ever. What was lost meanwhile arrives now, as packets do."""
        with self._changed_rules() as rules:
            rules.clear()

    @contextlib.contextmanager
    def _changed_rules(self) -> Any:
        with self._processes.lock:
            self._processes.check_not_stopped()
            yield self._processes.rules
            self._processes.tell_rules()

    def _member(self, name: str) -> str:
        return CLIENT if name.strip() == CLIENT else str(self.task(name).name)

    def _pair(self, one: str, other: str) -> frozenset[str]:
        pair = frozenset((self._member(one), self._member(other)))
        if len(pair) < 2:
            raise ValueError(f"{one} and {other} are the same task.")
        return pair

    # ------------------------------------------------------------------------- end, and looks

    def stop(self) -> None:
        """End all processes; nothing happens the second time. Logs can still be read."""
        with self._processes.lock:
            self._processes.stop()

    def __enter__(self) -> LocalCluster:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.stop()

    def __repr__(self) -> str:
        return table.as_text(self.status(), self._processes.rules.of(CLIENT), self.transport)

    def _repr_html_(self) -> str:
        return table.as_html(self.status(), self._processes.rules.of(CLIENT), self.transport)


class _Processes:
    """The tasks of a cluster, and its end; several `LocalCluster` objects may share them."""

    def __init__(self, tasks: list[Task], transport: str):
        self.tasks, self.transport = tasks, transport
        self.rules = Rules()
        self.lock = threading.RLock()
        self.place: _Place | None = None
        self.number = next(_numbers)
        # Also at exit, and when nobody refers to the cluster any more.
        self.stop = weakref.finalize(self, _end_all, tasks, os.getpid(), id(self))
        _running.add(self)

    def start(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        try:
            for task in self.tasks:
                self.launch(task)
            for task in self.tasks:
                task.wait_until_serving(deadline)
        except BaseException:
            self.stop()
            raise

    def launch(self, task: Task) -> None:
        names = {str(task.name): task.address for task in self.tasks}
        seconds = self.rules.table(str(task.name), names)
        task.launch(self.addresses(), seconds, self.transport)

    def addresses(self) -> dict[str, list[str]]:
        jobs: dict[str, list[str]] = {}
        for task in self.tasks:
            jobs.setdefault(task.name.job, []).append(task.address)
        return jobs

    def tell_rules(self) -> None:
        names = {str(task.name): task.address for task in self.tasks}
        faults.update(id(self), self.rules.table(CLIENT, names))
        for task in self.tasks:
            task.tell(self.rules.table(str(task.name), names))
        for task in self.tasks:
            task.wait_until_obeyed()

    def check_not_stopped(self) -> None:
        if not self.stop.alive:
            raise RuntimeError("The cluster was stopped: make a new one.")


def _end_all(tasks: list[Task], owner: int, source: int) -> None:
    if os.getpid() != owner:
        return  # a fork of this process ends; the cluster is not its own
    faults.update(source, {})
    for task in tasks:
        task.let_go()
    for task in tasks:
        task.end()
        task.close()
    unix_paths.sweep()  # a task that was killed could not remove its socket


def _names(given: Any, tasks: Mapping[str, int]) -> list[TaskName]:
    jobs = {**given, **tasks} if isinstance(given, Mapping) else {"jobs": given, **tasks}
    if not any(jobs.values()) or any(not isinstance(n, int) or n < 0 for n in jobs.values()):
        raise ValueError(
            f"A cluster needs at least one task, and no negative numbers of them: {jobs}. Say how "
            f"many each job has: LocalCluster(ps=1, worker=2)"
        )
    return [TaskName(job, index) for job, count in jobs.items() for index in range(count)]


# ------------------------------------------------------------------- earlier clusters, same ports

#: A line of a notebook's cell: its file, its number; and its code, which each run compiles anew.
_Place = tuple[str, int, CodeType]


def _place_in_notebook() -> _Place | None:
    """Where the caller's program makes a cluster, if that is a cell's own text."""
    frame: Any = sys._getframe(1)
    while frame is not None and call_site.is_own(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None or not call_site.shown(frame.f_code.co_filename).startswith("In["):
        return None
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code


def _make_room_for_same_cell(place: _Place | None, ports: list[int]) -> None:
    """A cell that is run again takes the place of what it made before."""
    for other in list(_running):
        if other.place is None or place is None or not _ports(other) & set(ports):
            continue
        if other.place[:2] == place[:2] and other.place[2] is not place[2]:
            print("This cell has made a cluster on these ports before: it is stopped first.")
            other.stop()


def _same_as(names: list[TaskName], ports: list[int], transport: str) -> _Processes | None:
    """The running cluster of this program with these tasks on these ports, all of them alive."""
    for other in list(_running):
        is_same = [_port(task) for task in other.tasks] == ports and other.transport == transport
        if is_same and [task.name for task in other.tasks] == names:
            if other.stop.alive and all(task.alive for task in other.tasks):
                return other
    return None


def _stop_cluster_with(pid: int) -> bool:
    """End the cluster of this program that a process belongs to, if it does."""
    for other in list(_running):
        if other.stop.alive and any(t.process and t.process.pid == pid for t in other.tasks):
            other.stop()
            return True
    return False


def _ports(processes: _Processes) -> set[int]:
    return {_port(task) for task in processes.tasks} if processes.stop.alive else set()


def _port(task: Task) -> int:
    return int(task.address.rpartition(":")[2])


def running_clusters() -> list[LocalCluster]:
    """The clusters of this program that were not stopped, the oldest first."""
    alive = [processes for processes in list(_running) if processes.stop.alive]
    result = []
    for processes in sorted(alive, key=lambda p: p.number):
        cluster = LocalCluster.__new__(LocalCluster)
        cluster._processes = processes
        result.append(cluster)
    return result
