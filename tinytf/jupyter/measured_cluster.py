"""Measuring a cluster of this machine, to compare it with what a simulation says of it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
import psutil

from tinytf.distributed.local_cluster import LocalCluster
from tinytf.framework.graph import Graph
from tinytf.framework.scope_functions import device
from tinytf.ops.array.identity import identity
from tinytf.ops.variables.scope import get_variable
from tinytf.ops.variables.variable import global_variables, global_variables_initializer
from tinytf.session.session import Session
from tinytf.simulation.own_cluster import Comparison, OwnCluster
from tinytf.training.device_setter import replica_device_setter

Build = Callable[[], Any]
_WARM = 3  # steps before those that are timed
_WAIT = 120.0  # seconds for the slowest of them to begin


def own_cluster(build: Build, workers: int = 3, steps: int = 50, batch: int = 1) -> Comparison:
    """See `tinytf.jupyter.own_cluster`."""
    if workers < 1 or steps < 1:
        raise ValueError(f"own_cluster: {workers} workers and {steps} steps; both at least 1")
    with LocalCluster(ps=1, worker=workers) as cluster:
        measured = {n: rate(cluster, build, n, steps) for n in range(2, workers + 1)}
        own = measure(cluster, build, steps, batch)
    return Comparison(own, {1: 1 / own.step, **measured})


def measure(cluster: LocalCluster, build: Build, steps: int, batch: int) -> OwnCluster:
    """What one worker takes: on its own, with a parameter server, and for a single number."""
    on_worker, across = "/job:worker/task:0", _setter(0)
    alone, _, _ = _median(cluster, build, on_worker, steps)
    step, busy, elements = _median(cluster, build, across, steps)
    far, _, _ = _median(cluster, _one_number, across, steps)
    near, _, _ = _median(cluster, _one_number, on_worker, steps)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    # The system counts in hundredths of a second: of a few short steps, nothing or too much.
    busy = min(max(busy, 0.1), float(cores or 1))
    return OwnCluster(alone, step, max(0.0, far - near), elements, cores or 1, batch, busy)


def rate(cluster: LocalCluster, build: Build, workers: int, steps: int) -> float:
    """Steps a second of so many workers, each with a thread of this program, asynchronously.

    Raises:
      What a worker's thread raises.
    """
    started = threading.Barrier(workers + 1)
    failures: list[BaseException] = []

    def train(session: Session, step: Any) -> None:
        try:
            for _ in range(_WARM):
                session.run(step)
            started.wait(_WAIT)
            for _ in range(steps):
                session.run(step)
        except threading.BrokenBarrierError:
            return  # another has failed
        except BaseException as error:
            failures.append(error)
            started.abort()

    with ExitStack() as stack:
        pairs = [
            _session(stack, cluster, build, _setter(task), task)[:2] for task in range(workers)
        ]
        threads = [threading.Thread(target=train, args=pair, name="worker") for pair in pairs]
        for thread in threads:
            thread.start()
        try:
            started.wait(_WAIT)
            begin = time.perf_counter()
        except threading.BrokenBarrierError:
            begin = 0.0
        for thread in threads:
            thread.join()
        passed = time.perf_counter() - begin
    if failures:
        raise failures[0]
    return workers * steps / passed


def _setter(task: int) -> Any:
    return replica_device_setter(ps_tasks=1, worker_device=f"/job:worker/task:{task}")


def _one_number() -> Any:
    return identity(get_variable("one_number", [], use_resource=False))


def _session(
    stack: ExitStack, cluster: LocalCluster, build: Build, place: Any, task: int
) -> tuple[Session, Any, int]:
    """A session with the initialized graph, its step, and how many numbers its variables have."""
    with Graph().as_default() as graph:
        with device(place):
            step = build()
            variables = global_variables()
            initialize = global_variables_initializer()
        session = stack.enter_context(Session(cluster.target("worker", task), graph=graph))
        session.run(initialize)
    elements = sum(variable.shape.num_elements() or 0 for variable in variables)
    return session, getattr(step, "op", step), elements


def _median(
    cluster: LocalCluster, build: Build, place: Any, steps: int
) -> tuple[float, float, int]:
    """Of a step of the first worker: seconds, and cores that are busy; the variables' numbers."""
    times = []
    with ExitStack() as stack:
        session, step, elements = _session(stack, cluster, build, place, 0)
        for _ in range(_WARM):
            session.run(step)
        used = _processor_seconds(cluster)
        for _ in range(steps):
            begin = time.perf_counter()
            session.run(step)
            times.append(time.perf_counter() - begin)
        used = _processor_seconds(cluster) - used
    return float(np.median(times)), used / sum(times), elements


def _processor_seconds(cluster: LocalCluster) -> float:
    """What this program and all tasks have used of the processor so far."""
    pids = [os.getpid(), *(task.pid for task in cluster.status())]
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in pids)
