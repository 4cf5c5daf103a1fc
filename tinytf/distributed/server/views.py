"""What one can see of a task from outside, by name; see `inspection`.

tasks       this task: devices, threads, process, since when it serves; who is in its cluster, and
            by which transport it calls them
sessions    those that are open on its master, and those of other masters that it works for
variables, queues, accumulators, containers   its state
traffic     the tensors that it has sent to other tasks
waits       what sessions that are being opened wait for, and steps
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tinytf.distributed.cluster.cluster_spec import tasks_of
from tinytf.distributed.inspection import View
from tinytf.distributed.master.master import Master
from tinytf.distributed.server.shared_cores import threads_of
from tinytf.distributed.server.step_waits import StepWaits
from tinytf.distributed.worker.traffic import size_of
from tinytf.distributed.worker.worker import Worker
from tinytf.resources.accumulators import Accumulator
from tinytf.resources.queues.queue import UNLIMITED, Queue
from tinytf.resources.variable import Variable


def views(master: Master, worker: Worker) -> dict[str, View]:
    """Name -> what answers, for the server of a master and a worker."""
    since = time.time()

    def of_state(view: Callable[[Iterable[tuple[str, str, Any]]], Any]) -> View:
        return lambda request: view(_resources(worker))

    return {
        "tasks": lambda request: [_task(worker, since)],
        "sessions": lambda request: _sessions(master, worker),
        "variables": of_state(_variables),
        "queues": of_state(_queues),
        "accumulators": of_state(_accumulators),
        "containers": of_state(_containers),
        "traffic": lambda request: [sent._asdict() for sent in worker.traffic.table()],
        "waits": StepWaits(master, worker).view,
    }


def _resources(worker: Worker) -> list[tuple[str, str, Any]]:
    """(container, name, resource), each once: sessions share most of them."""
    found: dict[int, tuple[str, str, Any]] = {}
    for resources in worker.states():
        for container, _, name, resource in resources.items():
            found.setdefault(id(resource), (container, name, resource))
    return list(found.values())


def _task(worker: Worker, since: float) -> Mapping[str, Any]:
    return {
        "task": worker.task,
        "pid": os.getpid(),
        "since": since,
        "devices": [
            {"name": d.name, "type": d.device_type, "incarnation": f"{d.attributes.incarnation:x}"}
            for d in worker.devices
        ],
        "threads": threads_of(worker.config),
        "steps": len(worker.steps),
        # How this task's calls go to others; those that it has not called yet are left out.
        "transports": worker.peers.transports(),
        "cluster": [
            [f"/job:{task.job}/task:{task.index}", address]
            for task, address in tasks_of(worker.peers.cluster).items()
        ],
    }


def _sessions(master: Master, worker: Worker) -> list[Mapping[str, Any]]:
    own = master.sessions()
    rows: list[Mapping[str, Any]] = [
        {
            "handle": session.handle,
            "master": master.task,
            "operations": session.graph.version,
            "tasks": sorted({master.task, *session.joined}),
            "running": session.running,
        }
        for session in own
    ]
    known = {session.handle for session in own}
    rows += [
        {"handle": session.handle, "master": session.master}
        for session in worker.sessions()
        if session.handle and session.handle not in known
    ]
    return rows


def _variables(resources: Iterable[tuple[str, str, Any]]) -> list[Mapping[str, Any]]:
    rows = []
    for container, name, variable in resources:
        if isinstance(variable, Variable):
            is_set = variable.is_initialized
            value = variable.read() if is_set else None
            shape = variable.shape.sizes if value is None else value.shape
            sizes = None if shape is None else list(shape)
            size = 0 if value is None else _bytes_of(value)
            row = {"name": name, "container": container, "dtype": variable.dtype.name}
            rows.append({**row, "shape": sizes, "bytes": size, "initialized": is_set})
    return sorted(rows, key=lambda row: (row["container"], row["name"]))


def _bytes_of(value: Any) -> int:
    size = getattr(value, "nbytes", None)  # on whatever device
    return int(size) if size is not None and value.dtype != object else size_of(value)


def _queues(resources: Iterable[tuple[str, str, Any]]) -> list[Mapping[str, Any]]:
    rows = []
    for container, name, queue in resources:
        if isinstance(queue, Queue):
            capacity = None if queue.capacity == UNLIMITED else queue.capacity
            row = {"name": name, "container": container, "type": queue.kind, "size": queue.size()}
            rows.append({**row, "capacity": capacity, "closed": queue.is_closed})
    return sorted(rows, key=lambda row: (row["container"], row["name"]))


def _accumulators(resources: Iterable[tuple[str, str, Any]]) -> list[Mapping[str, Any]]:
    return [
        {**accumulator.contributions(), "container": container}
        for container, _, accumulator in resources
        if isinstance(accumulator, Accumulator)
    ]


def _containers(resources: Iterable[tuple[str, str, Any]]) -> list[Mapping[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for container, _, resource in resources:
        empty = {"name": container, "variables": 0, "queues": 0, "others": 0, "bytes": 0}
        row = found.setdefault(container, empty)
        if isinstance(resource, Variable):
            row["variables"] += 1
            row["bytes"] += _bytes_of(resource.read()) if resource.is_initialized else 0
        else:
            row["queues" if isinstance(resource, Queue) else "others"] += 1
    return [found[name] for name in sorted(found)]
