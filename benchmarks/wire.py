"""Calls of several programs, timed in turns: what `transfers` and `small_steps` are made of.

Each kind (plain grpcio, tinytf, a real TensorFlow) has a server and a client in processes of their
own, see `wire_programs`. They take turns, so that they see the same machine, and the shortest call
of each counts: other work on the machine makes the others longer. A real TensorFlow's servers
listen on all interfaces: with one, everything runs in a network namespace of its own (that needs
root and `unshare`).
"""

import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.oracle.environment import tensorflow_environment, tensorflow_python

PROGRAMS = Path(__file__).with_name("wire_programs.py")
_INSIDE = "BENCHMARK_IS_INSIDE"


def go_inside(module: str) -> None:
    """Start the program again in a network of its own, if that can be and makes a difference."""
    if os.environ.get(_INSIDE) or tensorflow_python() is None:
        return
    if os.geteuid() or not shutil.which("unshare") or not shutil.which("ip"):
        return
    script = 'ip link set lo up && exec "$@"'
    command = ["unshare", "--net", "sh", "-c", script, "sh", sys.executable, "-m", module]
    os.execvpe("unshare", [*command, *sys.argv[1:]], {**os.environ, _INSIDE: "1"})


def kinds() -> list[str]:
    """What can be timed here."""
    names = ["plain", "tinytf"]
    if os.environ.get(_INSIDE):
        names.append("tensorflow")
    else:
        print("without TensorFlow: that takes its environment, root, `unshare` and `ip`")
    return names


class Client:
    """A client in a process, for one server in another."""

    def __init__(self, process: "subprocess.Popen[str]"):
        self._process = process

    def seconds(self, what: str, size: int, times: int) -> float:
        """The shortest of so many calls."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{what} {size} {times}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


@contextmanager
def clients(names: list[str]) -> Iterator[dict[str, Client]]:
    """A client of each kind; the processes end with the block."""
    with ExitStack() as stack:
        found = {}
        for kind in names:
            server = stack.enter_context(_process(kind, "server", kind))
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            if not address:
                raise RuntimeError(f"the server of {kind} did not start")
            found[kind] = Client(stack.enter_context(_process(kind, "client", kind, address)))
        yield found


@contextmanager
def _process(kind: str, *arguments: str) -> "Iterator[subprocess.Popen[str]]":
    python, environment = sys.executable, dict(os.environ)
    if kind == "tensorflow":
        python, environment = str(tensorflow_python()), tensorflow_environment()
    environment["PYTHONPATH"] = str(PROGRAMS.parents[1])
    process = subprocess.Popen(
        [python, str(PROGRAMS), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        yield process
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait()


class Taken(NamedTuple):
    """What one kind took: its shortest call, and the median of its turns, in seconds."""

    shortest: float
    median: float


def turns(
    found: dict[str, Client], what: str, size: int, count: int, times: int
) -> dict[str, Taken]:
    """What each kind takes; in each of `count` turns the shortest of `times` calls is noted."""
    taken: dict[str, list[float]] = {kind: [] for kind in found}
    for _ in range(count):
        for kind, client in found.items():
            taken[kind].append(client.seconds(what, size, times))
    return {kind: Taken(min(values), statistics.median(values)) for kind, values in taken.items()}
