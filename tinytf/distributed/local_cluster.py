"""The processes of a small cluster on this machine, for lessons and tests.

Every task is a `tinytf serve` in a process of its own, on a port that the system chose, with two
private pipes: one tells the port (and, the other way, everybody's addresses), and its stdin says
nothing at all, but ends when this process does, however that comes about. The child then ends
at once. So nothing stays behind, not even after SIGKILL.
"""

from __future__ import annotations

import html
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tinytf.devices import prepare_children
from tinytf.distributed.cluster_spec import ClusterSpec

START_SECONDS = 60.0
STOP_SECONDS = 5.0
#: How much of a task's output an error shows.
LOG_TAIL = 2000


@dataclass(frozen=True)
class TaskStatus:
    """One task, as `LocalCluster.status` shows it.

    Attributes:
      job, index: which task. pid: its process. address: "localhost:port".
      returncode: None while the process lives; negative: the signal that ended it.
    """

    job: str
    index: int
    pid: int
    address: str
    returncode: int | None

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.returncode is None

    @property
    def target(self) -> str:
        """What to pass to `tf.Session`."""
        return f"grpc://{self.address}"

    @property
    def state(self) -> str:
        """The state in words."""
        if self.returncode is None:
            return "serving"
        if self.returncode < 0:
            name = signal.Signals(-self.returncode).name
            return f"ended by {name} (return code {self.returncode})"
        return f"ended with return code {self.returncode}"


class LocalCluster:
    """A cluster of processes on this machine. They serve when the constructor returns.

    Args:
      jobs: how many tasks each job has, {"ps": 1, "worker": 2}.

    Raises:
      ValueError: for no tasks, or negative numbers. RuntimeError: if a task does not start; the
        message has the end of its log, and no process is left.

    Example:
      >>> with LocalCluster({"ps": 1, "worker": 2}) as cluster:
      ...     with tf.Session(cluster.target("worker", 0)) as sess:
      ...         print(sess.run(tf.constant(3) + 5))
      8
    """

    def __init__(self, jobs: Mapping[str, int]):
        bad = [f"{job}: {count}" for job, count in jobs.items() if count < 0]
        if bad or not any(jobs.values()):
            raise ValueError(
                f"A cluster needs at least one task, and no negative numbers of them: {dict(jobs)}"
            )
        prepare_children()
        self._children: list[_Child] = []
        # Also at exit, and when nobody refers to the cluster any more.
        self._finalizer = weakref.finalize(self, _end_all, self._children, os.getpid())
        counts = {job: count for job, count in jobs.items() if count}
        try:
            for job, count in counts.items():
                for index in range(count):
                    self._children.append(_Child(job, index, counts))
            self._introduce()
        except BaseException:
            self.stop()
            raise

    def _introduce(self) -> None:
        """Collect the ports, tell everybody all addresses, wait until everybody serves."""
        deadline = time.monotonic() + START_SECONDS
        for child, line in _lines(self._children, deadline):
            child.address = f"localhost:{int(line)}"
        addresses = self.cluster_spec.as_dict()
        for child in self._children:
            child.tell(addresses)
        for child, _ in _lines(self._children, deadline):
            child.report.close()

    @property
    def cluster_spec(self) -> ClusterSpec:
        """All jobs and addresses, as `tf.train.ClusterSpec`."""
        jobs: dict[str, list[str]] = {}
        for child in self._children:
            jobs.setdefault(child.job, []).append(child.address)
        return ClusterSpec(jobs)

    def target(self, job: str = "worker", index: int = 0) -> str:
        """What to pass to `tf.Session` to reach a task; ValueError if there is no such task."""
        return f"grpc://{self.cluster_spec.task_address(job, index)}"

    def status(self) -> list[TaskStatus]:
        """All tasks, with process, address and state."""
        return [child.status() for child in self._children]

    @property
    def alive(self) -> bool:
        """Whether all tasks serve."""
        return all(status.alive for status in self.status())

    def log(self, job: str, index: int) -> str:
        """What a task wrote so far, also after it ended; ValueError if there is no such task."""
        return self._child(job, index).log()

    def wait_for_end(self, job: str, index: int, timeout: float | None = None) -> int:
        """Wait until a task's process has ended; returns its return code.

        Raises:
          subprocess.TimeoutExpired: if it has not within `timeout` seconds.
        """
        return self._child(job, index).process.wait(timeout)

    def _child(self, job: str, index: int) -> _Child:
        self.cluster_spec.task_address(job, index)  # complains about a task that does not exist
        return next(c for c in self._children if (c.job, c.index) == (job, index))

    def stop(self) -> None:
        """End all processes; nothing happens the second time. Logs can still be read."""
        self._finalizer()

    def __enter__(self) -> LocalCluster:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.stop()

    def __repr__(self) -> str:
        lines = [
            f"  /job:{s.job}/task:{s.index}  {s.target}  process {s.pid}, {s.state}"
            for s in self.status()
        ]
        return "\n".join(["<cluster on this machine", *lines]) + ">"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>/job:{html.escape(s.job)}/task:{s.index}</td>"
            f"<td><code>{html.escape(s.target)}</code></td>"
            f"<td>process {s.pid}</td><td>{html.escape(s.state)}</td></tr>"
            for s in self.status()
        )
        return (
            "<table><caption>A cluster of processes on this machine</caption><thead><tr>"
            "<th>task</th><th>target</th><th>process</th><th>state</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )


class _Child:
    """One task's process, and this end of its pipes."""

    def __init__(self, job: str, index: int, counts: Mapping[str, int]):
        self.job, self.index = job, index
        self.address = "localhost:0"
        # Without a name: nothing is left on the disk, and it can be read after the end.
        self._log: BinaryIO = tempfile.TemporaryFile()
        self._last_log: str | None = None
        report_in, report_out = os.pipe()
        addresses_in, addresses_out = os.pipe()
        self.report = os.fdopen(report_in, "rb", buffering=0)
        self._addresses = os.fdopen(addresses_out, "w")
        cluster = [f"{name}={','.join(['localhost:0'] * n)}" for name, n in counts.items()]
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", "tinytf", "serve", "--job", job, "--task", str(index),
                 "--cluster", *cluster, "--pipes", str(report_out), str(addresses_in)],
                stdin=subprocess.PIPE, stdout=self._log, stderr=subprocess.STDOUT,
                pass_fds=(report_out, addresses_in), env=_environment(),
                # A child in the kernel's own group would get its interrupts, and make a
                # notebook's shutdown slow.
                start_new_session=True,
            )  # fmt: skip
        except BaseException:
            for pipe in (self.report, self._addresses, self._log):
                pipe.close()
            raise
        finally:
            os.close(report_out)
            os.close(addresses_in)

    def tell(self, addresses: Mapping[str, Any]) -> None:
        """Send everybody's addresses."""
        with self._addresses as pipe:
            json.dump(addresses, pipe)

    def status(self) -> TaskStatus:
        code = self.process.poll()
        return TaskStatus(self.job, self.index, self.process.pid, self.address, code)

    def log(self) -> str:
        if self._last_log is not None:
            return self._last_log
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0).decode(errors="replace")

    def let_go(self) -> None:
        """Close the pipes: the child ends."""
        for pipe in (self.process.stdin, self._addresses, self.report):
            try:
                pipe.close()  # type: ignore[union-attr]  # stdin is a pipe: see Popen above
            except BrokenPipeError:
                continue  # it ended before it had read everything

    def end(self) -> None:
        """Wait until the process has ended, and make it end if it does not."""
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self._last_log is None:
            self._last_log = self.log()
            self._log.close()


def _end_all(children: list[_Child], owner: int) -> None:
    if os.getpid() != owner:
        return  # a fork of this process ends; the cluster is not its own
    for child in children:
        child.let_go()
    for child in children:
        child.end()


def _environment() -> dict[str, str]:
    """So that the child finds this very tinytf, installed or not."""
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}


def _lines(children: list[_Child], deadline: float) -> list[tuple[_Child, bytes]]:
    """The next line that each child reports."""
    result = []
    with selectors.DefaultSelector() as selector:
        for child in children:
            selector.register(child.report, selectors.EVENT_READ, child)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                raise RuntimeError(f"The cluster did not start within {START_SECONDS:g} s.")
            for key, _ in ready:
                line = key.fileobj.readline()  # type: ignore[union-attr]  # whole lines are written
                if not line:
                    raise _did_not_start(key.data)
                selector.unregister(key.fileobj)
                result.append((key.data, line))
    return result


def _did_not_start(child: _Child) -> RuntimeError:
    child.end()
    return RuntimeError(
        f"Task /job:{child.job}/task:{child.index} did not start: it {child.status().state}. The "
        f"end of its log:\n{child.log()[-LOG_TAIL:]}"
    )
