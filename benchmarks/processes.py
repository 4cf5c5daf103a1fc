"""The processes that rows are measured in: a side for each library, clusters, and their clients.

A *kind* is a library, and how it talks: "tinytf", "tinytf over gRPC", "tensorflow", "grpcio" (plain
calls that carry bytes and nothing else). A real TensorFlow's servers listen on all interfaces, so
with one everything runs in a network namespace of its own, which takes root, `unshare` and `ip`.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.oracle.environment import tensorflow_python
from tests.ports import free_ports

ROOT = Path(__file__).resolve().parents[1]
SIDE, CLUSTER, PLAIN = (f"benchmarks/{name}.py" for name in ("side", "in_cluster", "plain_grpcio"))
OVER_GRPC = "tinytf over gRPC"
_INSIDE = "BENCHMARK_IS_INSIDE"


def go_inside() -> None:
    """Start the command again in a network of its own, if that can be and makes a difference."""
    if os.environ.get(_INSIDE) or tensorflow_python() is None:
        return
    if os.geteuid() or not shutil.which("unshare") or not shutil.which("ip"):
        return
    script = 'ip link set lo up && exec "$@"'
    command = ["unshare", "--net", "sh", "-c", script, "sh", sys.executable, "-m", "benchmarks"]
    os.execvpe("unshare", [*command, *sys.argv[1:]], {**os.environ, _INSIDE: "1"})


def has_tensorflow() -> bool:
    """Whether a real TensorFlow can be measured here."""
    return bool(os.environ.get(_INSIDE))


def python_of(kind: str) -> tuple[str, dict[str, str]]:
    """The interpreter of a kind, and what users have as its environment."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if kind == "tensorflow":
        environment |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    environment["TINYTF_TRANSPORT"] = "grpc" if kind == OVER_GRPC else "auto"
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # users do not compile modules at every start
    return str(tensorflow_python() if kind == "tensorflow" else sys.executable), environment


@contextmanager
def process(kind: str, program: str, *arguments: str) -> "Iterator[subprocess.Popen[str]]":
    """One of the programs; it ends with the block."""
    python, environment = python_of(kind)
    child = subprocess.Popen(
        [python, program, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if kind == "tensorflow" else None,
        text=True,
        env=environment,
    )
    try:
        yield child
    finally:
        assert child.stdin is not None
        child.stdin.close()
        try:
            child.wait(20)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def answer(child: "subprocess.Popen[str]") -> Any:
    """What a program says next."""
    assert child.stdout is not None
    line = child.stdout.readline()
    if not line:
        raise RuntimeError(f"{child.args}: ended with {child.wait()}")
    return json.loads(line)


def ask(child: "subprocess.Popen[str]", *words: object) -> Any:
    """What a program answers."""
    tell(child, *words)
    return answer(child)


def tell(child: "subprocess.Popen[str]", *words: object) -> None:
    """Ask without waiting for the answer."""
    assert child.stdin is not None
    child.stdin.write(json.dumps(words) + "\n")
    child.stdin.flush()


class Served(NamedTuple):
    """Tasks that serve, and a client that steps over them."""

    jobs: str
    tasks: "list[subprocess.Popen[str]]"
    client: "subprocess.Popen[str]"


@contextmanager
def served(kind: str, jobs: dict[str, int]) -> Iterator[Served]:
    """So many tasks of each job, each a process, and a client in another."""
    ports = iter(free_ports(sum(jobs.values())))
    addresses = {job: [f"localhost:{next(ports)}" for _ in range(n)] for job, n in jobs.items()}
    library, text = kind.split()[0], json.dumps(addresses)
    program = PLAIN if kind == "grpcio" else CLUSTER
    with ExitStack() as stack:
        tasks = [
            stack.enter_context(process(kind, program, "serve", library, text, job, str(index)))
            for job, count in jobs.items()
            for index in range(count)
        ]
        for task in tasks:
            answer(task)
        client = process(kind, program, "measure", library, text)
        yield Served(text, tasks, stack.enter_context(client))


class Sides(ExitStack):
    """A process for each library, started when first asked; and what neighbouring rows share."""

    def __init__(self, folder: str):
        super().__init__()
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[str]] = {}
        self._group, self._shared = "", self.enter_context(ExitStack())
        self._kept: dict[str, Any] = {}

    def ask(self, kind: str, room: str, name: str) -> Any:
        """What a program of a room says in the process of a library."""
        if kind not in self._processes or self._processes[kind].poll() is not None:
            self._processes[kind] = self.enter_context(process(kind, SIDE, kind, self._folder))
        return ask(self._processes[kind], room, name)

    def kept(self, group: str, kind: str, make: Callable[[], AbstractContextManager[Any]]) -> Any:
        """What all rows of a group share; it ends when another group asks."""
        if group != self._group:
            self._shared.close()
            self._group, self._kept = group, {}
        if kind not in self._kept:
            self._kept[kind] = self._shared.enter_context(make())
        return self._kept[kind]
