"""What `python -m benchmarks` measures: each row, its sides and parts, and how it is opened."""

import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import tinytf as tf
from benchmarks import (
    checkpoints,
    control_flow,
    datasets,
    grading,
    growth,
    handoffs,
    latency,
    models,
    pipelines,
    placement,
    programs,
    records,
    sharding,
    threads,
    tracing,
)
from benchmarks.processes import (
    CLUSTER,
    OVER_GRPC,
    SIDE,
    Served,
    Sides,
    answer,
    ask,
    process,
    python_of,
    tell,
)
from benchmarks.processes import served as start_tasks

BOTH = "tinytf", "tensorflow"
#: For how many seconds workers train, or sessions step, in one measurement.
WINDOW = 2.0
SECONDS = {"": "s"}
#: What one side found for each part of a row; what all sides found.
Values = list[float]
Once = Callable[[Sequence[str]], dict[str, Values]]


class Row(NamedTuple):
    """A row, or several that are measured together.

    Attributes:
      name: what is measured. sides: the first one is ours, and held against the last.
      open: `open(sides, kinds)` is a block with a function that measures these kinds once.
      parts: what each side finds, by name, with its unit. is_quick: it takes less than a second.
      rounds: more pairs are not taken. series: what grows, and the number this row has.
    """

    name: str
    sides: tuple[str, ...]
    open: Callable[[Sides, Sequence[str]], AbstractContextManager[Once]]
    parts: dict[str, str] = SECONDS
    is_quick: bool = False
    rounds: int = 99
    series: tuple[str, int] | None = None

    @property
    def names(self) -> list[str]:
        """The names of its lines."""
        return [f"{self.name}, {part}" if part else self.name for part in self.parts]


Opener = Callable[[Sides, str], AbstractContextManager[Callable[[], Any]]]


@contextmanager
def in_turns(opener: Opener, sides: Sides, kinds: Sequence[str]) -> Iterator[Once]:
    """All kinds are open at the same time, and measured one after the other."""
    with ExitStack() as stack:
        opened = {kind: stack.enter_context(opener(sides, kind)) for kind in kinds}
        yield lambda order: {kind: as_list(opened[kind]()) for kind in order}


def as_list(found: Any) -> Values:
    """The parts of a row, of which there may be one."""
    return found if isinstance(found, list) else [found]


@contextmanager
def together(room: str, name: str, sides: Sides, kinds: Sequence[str]) -> Iterator[Once]:
    """A program that measures all sides of tinytf in turns, or its only one."""

    def once(order: Sequence[str]) -> dict[str, Values]:
        found = sides.ask("tinytf", room, name)
        found = found if isinstance(found, dict) else {kinds[0]: found}
        return {kind: as_list(value) for kind, value in found.items()}

    yield once


@contextmanager
def in_process(room: str, name: str, sides: Sides, kind: str) -> Iterator[Callable[[], Any]]:
    """A program that one process runs."""
    yield partial(sides.ask, kind, room, name)


@contextmanager
def restoring(name: str, sides: Sides, kind: str) -> Iterator[Callable[[], Values]]:
    """A checkpoint that a process wrote, and then each time a fresh process that restores it."""
    with tempfile.TemporaryDirectory() as folder:

        def in_fresh_process(program: str) -> Any:
            with process(kind, SIDE, kind, folder) as child:
                return ask(child, "checkpoints", program)

        in_fresh_process(f"write {name}")
        yield partial(in_fresh_process, name)


# ------------------------------------------------------------------------------- whole processes

_IMPORT = """
import sys, time
start = time.perf_counter()
import {module}
taken = time.perf_counter() - start
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(taken, int(status["VmRSS"].split()[0]) / 1024)
"""
JOBS = {"ps": 2, "worker": 3}


@contextmanager
def importing(sides: Sides, kind: str) -> Iterator[Callable[[], Values]]:
    """The library in a fresh process, whose bytecode was compiled before."""
    python, environment = python_of(kind)
    module = "tinytf" if kind == "tinytf" else "tensorflow.compat.v1"

    def once() -> Values:
        command = [python, "-c", _IMPORT.format(module=module)]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return [float(word) for word in done.stdout.split()]

    once()
    yield once


def of_children() -> float:
    """The seconds of processors that processes took that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def starting(sides: Sides, kind: str) -> Iterator[Callable[[], Values]]:
    """Five tasks from nothing to serving; what one of them costs a processor."""

    def once() -> Values:
        before, start = of_children(), time.perf_counter()
        make = tf.LocalCluster(JOBS) if kind == "tinytf" else start_tasks(kind, JOBS)
        with make:
            taken = time.perf_counter() - start
        return [taken, (of_children() - before) / sum(JOBS.values())]

    yield once


@contextmanager
def starting_again(sides: Sides, kind: str) -> Iterator[Callable[[], float]]:
    """A task that was killed, until it serves again."""
    with tf.LocalCluster(worker=1) as cluster:

        def once() -> float:
            cluster.kill("worker:0")
            start = time.perf_counter()
            cluster.restart("worker:0")
            return time.perf_counter() - start

        yield once


# -------------------------------------------------------------------------------------- clusters

#: what `in_cluster` calls it -> (in words, repetitions of a measurement)
STEPS = {
    "step": ("a step of a constant", 100),
    "three": ("a step over three tasks", 30),
    "train": ("a training step, two workers", 30),
    **{f"feed{size}": (f"feed of {size} MB", 20 // size + 2) for size in (4, 64)},
    **{f"fetch{size}": (f"fetch of {size} MB", 20 // size + 2) for size in (4, 64)},
    **{f"move{size}": (f"{size} MB from task to task", 20 // size + 2) for size in (4, 64)},
}
#: What a plain call of grpcio does as well.
PLAIN = [what for what in STEPS if what not in ("three", "train")]
CROWD = {
    "a step of all four": "s",
    "a step of one of them": "s",
    "99th percentile": "s",
    "memory of an idle session": "MB",
}
IDLE = 100


def tasks_of(sides: Sides, kind: str, jobs: dict[str, int]) -> Served:
    """A running cluster, which neighbouring rows share."""
    mine = ONE if kind == "grpcio" else jobs
    return sides.kept(str(jobs), kind, lambda: start_tasks(kind, mine))


@contextmanager
def over_tasks(
    jobs: dict[str, int], what: str, times: int, sides: Sides, kind: str
) -> Iterator[Callable[[], Any]]:
    """A step over the tasks of a cluster, or the same by a plain call."""
    yield partial(ask, tasks_of(sides, kind, jobs).client, what, times)


@contextmanager
def asynchronous(workers: int, sides: Sides, kind: str) -> Iterator[Callable[[], float]]:
    """A step of any of several workers that take them each in its own time."""
    served = tasks_of(sides, kind, {"ps": 1, "worker": workers})
    with training("train", workers, served, kind) as steps:
        yield lambda: WINDOW / steps()


@contextmanager
def synchronous(workers: int, sides: Sides, kind: str) -> Iterator[Callable[[], float]]:
    """A step that several workers take together."""
    # With tasks of its own, as steps may stay in them that wait for others.
    with (
        start_tasks(kind, {"ps": 1, "worker": workers}) as served,
        training("synchronous", workers, served, kind) as steps,
    ):
        yield lambda: WINDOW * workers / steps()


@contextmanager
def training(role: str, workers: int, served: Served, kind: str) -> Iterator[Callable[[], int]]:
    """How many steps workers take in the window, each with a client of its own."""
    with ExitStack() as stack:
        clients = []
        for index in range(workers):
            client = process(kind, CLUSTER, role, kind.split()[0], served.jobs, str(index))
            clients.append(stack.enter_context(client))
            answer(clients[-1])  # the first one initialises, so the next one waits for it

        def steps() -> int:
            for client in clients:
                tell(client, WINDOW)
            return sum(answer(client) for client in clients)

        steps()  # until it is known whether threads gain
        yield steps


def megabytes(pid: int) -> float:
    """The memory of a process."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Rss:")) / 1024


@contextmanager
def crowded(sides: Sides, kind: str) -> Iterator[Callable[[], Values]]:
    """A hundred idle sessions and four busy ones on one server."""
    with start_tasks(kind, {"worker": 1}) as running:
        ask(running.client, "sessions1", 10)
        before = megabytes(running.tasks[0].pid)
        ask(running.client, "sessions100", 10)
        each = (megabytes(running.tasks[0].pid) - before) / IDLE
        yield lambda: [*ask(running.client, "crowd", WINDOW), each]


# ------------------------------------------------------------------------------------------ rows


def of_room(room: Any, **more: Any) -> Iterator[Row]:
    """The programs of a room that measures tinytf beside itself."""
    name = room.__name__.rpartition(".")[2]
    for program in room.PROGRAMS:
        sides = more.get(program, (room.SIDES, getattr(room, "PARTS", SECONDS)))
        # One finds the same every time, the others take long.
        rounds = 1 if program == placement.SMALL or room is grading else 99
        opened = partial(together, name, program)
        yield Row(f"{name}: {program}", sides[0], opened, sides[1], rounds=rounds)


THREE, EIGHT, ONE = {"ps": 1, "worker": 2}, {"ps": 1, "worker": 7}, {"worker": 1}
OVER = OVER_GRPC, "tensorflow"
ROOMS = programs, models, control_flow, pipelines, datasets, records
QUICK = {"run_three_scalar_ops", "counting", "batched", "parse_single_example"}


def of_clusters() -> Iterator[Row]:
    """Everything with tasks; what has the same tasks stands together."""
    start = {"time": "s", "processor of a task": "s"}
    yield Row("start: five tasks", BOTH, partial(in_turns, starting), start)
    yield Row("start: a task that was killed", BOTH[:1], partial(in_turns, starting_again))
    for workers, words in (1, ", one worker"), (3, ", three workers"), (2, ""):
        for name, opener in ("synchronous", synchronous), ("asynchronous", asynchronous):
            yield Row(f"{name}_training{words}", BOTH, partial(in_turns, partial(opener, workers)))
    over_grpc = partial(in_turns, partial(asynchronous, 2))
    yield Row("over gRPC: asynchronous_training", OVER, over_grpc)
    for name, sides, steps in (
        ("cluster", BOTH, list(STEPS)),
        ("over gRPC", OVER, list(STEPS)),
        ("beside a plain call of grpcio", (OVER_GRPC, "grpcio"), PLAIN),
    ):
        for what in steps:
            words, times = STEPS[what]
            opener = partial(over_tasks, THREE, what, times)
            yield Row(f"{name}: {words}", sides, partial(in_turns, opener))
    eight = partial(in_turns, partial(asynchronous, 7))
    yield Row("asynchronous_training, eight tasks", BOTH, eight)
    for name, jobs, what, counts in (
        ("a step over N tasks", EIGHT, "tasks", (1, 2, 4, 8)),
        ("a step of one of N sessions", ONE, "sessions", (1, 10, 100)),
    ):
        for n in counts:
            opener = partial(over_tasks, jobs, f"{what}{n}", 30)
            yield Row(f"growth: {name}: {n}", BOTH, partial(in_turns, opener), series=(name, n))
    three = "tinytf", *OVER
    yield Row("cluster: 100 idle sessions", three, partial(in_turns, crowded), CROWD)


def of_checkpoints() -> Iterator[Row]:
    """Saving beside TensorFlow, restoring beside it, and what saving takes with a sync."""
    for name in checkpoints.SAVES:
        opened = partial(in_turns, partial(in_process, "checkpoints", name))
        yield Row(f"checkpoints: {name}", BOTH, opened, is_quick="16 MB" in name)
    for name in checkpoints.RESTORES:
        opened = partial(in_turns, partial(restoring, name))
        yield Row(f"checkpoints: {name}", BOTH, opened, checkpoints.PARTS)
    for name in checkpoints.SYNCS:
        opened = partial(together, "checkpoints", name)
        yield Row(f"checkpoints: {name}", checkpoints.SYNC_SIDES, opened)


def all_rows() -> Iterator[Row]:
    """In the order in which they are measured."""
    cost = {"time": "s", "memory": "MB"}
    yield Row("import", BOTH, partial(in_turns, importing), cost, rounds=5)
    for room in ROOMS:
        name = room.__name__.rpartition(".")[2]
        for program in room.PROGRAMS:
            opener = partial(in_process, name, program)
            yield Row(
                f"{name}: {program}", BOTH, partial(in_turns, opener), is_quick=program in QUICK
            )
    for series, (_, numbers) in growth.SERIES.items():
        for n in numbers:
            opener = partial(in_process, "growth", f"{series}: {n:,}")
            yield Row(
                f"growth: {series}: {n:,}",
                BOTH,
                partial(in_turns, opener),
                is_quick=n <= 1_000,
                rounds=5 if n < 100_000 else 1,  # a minute each
                series=(series, n),
            )
    yield from of_checkpoints()
    yield from of_clusters()
    yield from of_room(threads)
    yield from of_room(handoffs)
    yield from of_room(latency)
    small = placement.SMALL_SIDES, placement.SMALL_PARTS
    yield from of_room(placement, **{placement.SMALL: small})
    yield from of_room(tracing, **{tracing.NODE: (tracing.SIDES[1:2], SECONDS)})
    products = (sharding.PRODUCT_SIDES, sharding.PARTS)
    yield from of_room(sharding, **dict.fromkeys(sharding.PRODUCTS, products))
    alone = dict.fromkeys(list(grading.PROGRAMS)[1:], (BOTH[:1], SECONDS))
    yield from of_room(grading, **alone)


ROWS = list(all_rows())
