"""`tf.train.ClusterSpec`: the jobs of a cluster and the addresses of their tasks."""

from __future__ import annotations

from typing import Any

from tinytf.distributed.cluster.task_names import TaskName, parse_task
from tinytf.protos import cluster_pb2

_NOT_A_CLUSTER = (
    "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, "
    "or a `ClusterDef` protocol buffer"
)


class ClusterSpec:
    """A set of "tasks", organised into "jobs", each at a network address.

    Args:
      cluster: a dict from job names to lists of addresses ("host:port"), or to dicts from task
        index to address where some tasks are left out; a `ClusterDef`; another spec, or a
        `LocalCluster`, which has one.

    Raises:
      TypeError: for anything else. ValueError: for a task index that is no integer.

    Example:
      >>> spec = tf.train.ClusterSpec({"ps": ["localhost:2221"],
      ...                              "worker": ["localhost:2222", "localhost:2223"]})
      >>> spec.num_tasks("worker"), spec.task_address("ps", 0)
      (2, 'localhost:2221')

    TensorFlow: `tf.train.ClusterSpec`.
    """

    def __init__(self, cluster: Any):
        #: job name -> task index -> address; jobs and indices in order of their definition
        self._jobs: dict[str, dict[int, str]] = {}
        if isinstance(cluster := getattr(cluster, "cluster_spec", cluster), dict):
            for job, tasks in cluster.items():
                self._jobs[_text(job, "Job name")] = _tasks(job, tasks)
        elif isinstance(cluster, cluster_pb2.ClusterDef):
            for definition in cluster.job:
                self._jobs[definition.name] = dict(sorted(definition.tasks.items()))
        elif isinstance(cluster, ClusterSpec):
            # By name and number, as in the message that TensorFlow's constructor goes by.
            self._jobs = {
                job: dict(sorted(tasks.items())) for job, tasks in sorted(cluster._jobs.items())
            }
        else:
            raise TypeError(f"{_NOT_A_CLUSTER}, got {cluster!r}")

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has; ValueError for an unknown job."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The indices of a job's tasks, in order; ValueError for an unknown job."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task; ValueError for an unknown job or task."""
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(
                f"No task with index {task_index} in job {job_name!r}, which has {sorted(tasks)}"
            )
        return tasks[task_index]

    def target(self, job_name: str, task_index: int = 0) -> str:
        """What to pass to `tf.Session` to reach a task; TensorFlow has nothing like it.

        The task may be given in one word as well: `cluster.target("worker:1")`.

        Raises:
          ValueError: if there is no such task.
        """
        if ":" in job_name:
            task = parse_task(job_name)
            job_name, task_index = task.job, task.index
        return f"grpc://{self.task_address(job_name, task_index)}"

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks by index, None where an index is left out."""
        tasks = self._job(job_name)
        return [tasks.get(index) for index in range(max(tasks, default=-1) + 1)]

    def as_dict(self) -> dict[str, Any]:
        """Job name -> list of addresses (or dict by index, where indices are left out)."""
        return {
            job: self.job_tasks(job) if _is_dense(tasks) else dict(sorted(tasks.items()))
            for job, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> cluster_pb2.ClusterDef:
        """The cluster as a `ClusterDef`, jobs sorted by name."""
        result = cluster_pb2.ClusterDef()
        for job, tasks in sorted(self._jobs.items()):
            definition = result.job.add(name=job)
            for index, address in sorted(tasks.items()):
                definition.tasks[index] = address
        return result

    def _job(self, job_name: str) -> dict[int, str]:
        if job_name not in self._jobs:
            known = ", ".join(map(repr, self._jobs)) or "none"
            raise ValueError(f"No such job in cluster: {job_name!r}. Its jobs: {known}")
        return self._jobs[job_name]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ClusterSpec):
            return self._jobs == other._jobs
        return isinstance(other, dict | cluster_pb2.ClusterDef) and self == _spec_or_none(other)

    __hash__ = None  # type: ignore[assignment]  # as TensorFlow's: compared by content

    def __repr__(self) -> str:
        inside = ", ".join(f"{job!r}: {tasks!r}" for job, tasks in sorted(self.as_dict().items()))
        return f"ClusterSpec({{{inside}}})"


def tasks_of(cluster: ClusterSpec) -> dict[TaskName, str]:
    """All tasks of a cluster with their addresses, in the order of its jobs."""
    return {
        TaskName(job, index): cluster.task_address(job, index)
        for job in cluster.jobs
        for index in cluster.task_indices(job)
    }


def _tasks(job: Any, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, list | tuple):
        pairs: list[tuple[Any, Any]] = list(enumerate(tasks))
    elif isinstance(tasks, dict):
        pairs = [(int(index), address) for index, address in tasks.items()]
    else:
        raise TypeError(
            f"The tasks for job {job!r} must be a list or a dictionary from integers to strings, "
            f"got {tasks!r}."
        )
    return {index: _text(address, "Task address") for index, address in pairs}


def _text(value: Any, what: str) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"{what} {value!r} must be bytes or unicode")
    return value


def _is_dense(tasks: dict[int, str]) -> bool:
    return bool(tasks) and sorted(tasks) == list(range(len(tasks)))


def _spec_or_none(other: Any) -> ClusterSpec | None:
    try:
        return ClusterSpec(other)
    except (TypeError, ValueError):
        return None  # what is no cluster equals none
