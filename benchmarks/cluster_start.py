"""Five tasks from nothing to serving, and one again: `python -m benchmarks.cluster_start`.

`tinytf.LocalCluster(ps=2, worker=3)`, beside the five processes of a real TensorFlow, in turns. The
bar is BAR seconds in the median of the turns, on a machine that does nothing else (exit code 1
otherwise); what one task costs the processor is printed as well, which other work changes less.
"""

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack

import tinytf as tf
from benchmarks import wire
from benchmarks.cluster import process
from benchmarks.load import load
from tests.ports import free_ports

BAR = 2.0
TURNS = 3
JOBS = {"ps": 2, "worker": 3}


def ours() -> float:
    """Seconds until a local cluster serves."""
    start = time.perf_counter()
    with tf.LocalCluster(JOBS):
        return time.perf_counter() - start


def theirs() -> float:
    """Seconds until as many processes with a real TensorFlow serve."""
    ports = iter(free_ports(sum(JOBS.values())))
    jobs = {job: [f"localhost:{next(ports)}" for _ in range(n)] for job, n in JOBS.items()}
    start = time.perf_counter()
    with ExitStack() as stack:
        tasks = [
            stack.enter_context(
                process("tensorflow", "serve", "tensorflow", json.dumps(jobs), job, str(index))
            )
            for job, count in JOBS.items()
            for index in range(count)
        ]
        for task in tasks:
            assert task.stdout is not None
            task.stdout.readline()
        return time.perf_counter() - start


def again() -> float:
    """Seconds until a task that was killed serves again."""
    with tf.LocalCluster(worker=1) as cluster:
        cluster.kill("worker:0")
        start = time.perf_counter()
        cluster.restart("worker:0")
        return time.perf_counter() - start


def main() -> int:
    """Measure and print."""
    wire.go_inside("benchmarks.cluster_start")
    rows: dict[str, Callable[[], float]] = {"tinytf: five tasks": ours}
    if "tensorflow" in wire.kinds():
        rows["tensorflow: five tasks"] = theirs
    rows["tinytf: one again"] = again
    found: dict[str, list[float]] = {name: [] for name in rows}
    processor = 0.0
    for _ in range(TURNS):
        for name, row in rows.items():
            before = _of_children()
            found[name].append(row())
            processor += _of_children() - before if row is ours else 0.0
    print(f"seconds, the median and the least of {TURNS}; load of the machine {load()}")
    for name, seconds in found.items():
        print(f"{name:26}{statistics.median(seconds):8.2f}{min(seconds):8.2f}")
    print(f"{'processor for a task':26}{processor / TURNS / sum(JOBS.values()):8.2f}")
    kept = statistics.median(found["tinytf: five tasks"]) <= BAR
    print(f"bar {BAR:g} s: {'kept' if kept else 'missed'}")
    return 0 if kept else 1


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
