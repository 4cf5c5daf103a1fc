"""Steps over the tasks of a cluster, beside a real TensorFlow: `python -m benchmarks.cluster`.

One parameter server and two workers, each a process, and a client in another. Both clusters are up
at the same time and take turns; the median of the turns' ratios counts. What moves large tensors is
also held against a plain unary call of grpcio with as many bytes: BAR of its throughput is wanted.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks import wire
from benchmarks.load import load
from tests.oracle.environment import tensorflow_environment, tensorflow_python
from tests.ports import free_ports

PROGRAMS = Path(__file__).with_name("cluster_programs.py")
BAR = 0.60
TURNS = 10
#: what -> (in words, repetitions in a turn, bytes that move)
ROWS = {
    "three": ("a step over three tasks", 30, 0),
    "train": ("a training step, two workers", 30, 0),
    "move4": ("4 MB from task to task", 5, 4 << 20),
    "move64": ("64 MB from task to task", 2, 64 << 20),
}


@contextmanager
def process(kind: str, *arguments: str) -> "Iterator[subprocess.Popen[str]]":
    """One of the programs; it ends with the block."""
    python, environment = sys.executable, dict(os.environ)
    if kind == "tensorflow":
        python, environment = str(tensorflow_python()), tensorflow_environment()
    environment["PYTHONPATH"] = str(PROGRAMS.parents[1])
    child = subprocess.Popen(
        [python, str(PROGRAMS), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    try:
        yield child
    finally:
        assert child.stdin is not None
        child.stdin.close()
        child.wait(20)


@contextmanager
def cluster(kind: str) -> "Iterator[subprocess.Popen[str]]":
    """A client of a cluster of one kind; says how long that takes to be up."""
    start = time.perf_counter()
    ports = free_ports(3)
    jobs = {"ps": [f"localhost:{ports[0]}"], "worker": [f"localhost:{port}" for port in ports[1:]]}
    with ExitStack() as stack:
        tasks = [
            stack.enter_context(process(kind, "serve", kind, json.dumps(jobs), job, str(index)))
            for job, addresses in jobs.items()
            for index in range(len(addresses))
        ]
        for task in tasks:
            assert task.stdout is not None
            task.stdout.readline()
        print(f"{kind}: three tasks serve after {time.perf_counter() - start:.1f} s", flush=True)
        yield stack.enter_context(process(kind, "measure", kind, json.dumps(jobs)))


def ask(client: "subprocess.Popen[str]", what: str, times: int) -> float:
    """The seconds that a client measures."""
    assert client.stdin is not None
    assert client.stdout is not None
    client.stdin.write(f"{what} {times}\n")
    client.stdin.flush()
    return float(client.stdout.readline())


def main() -> int:
    """Measure and print."""
    wire.go_inside("benchmarks.cluster")
    kinds = [kind for kind in wire.kinds() if kind != "plain"]
    kept = True
    with ExitStack() as stack:
        plain = stack.enter_context(wire.clients(["plain"]))["plain"]
        clients = {kind: stack.enter_context(cluster(kind)) for kind in kinds}
        print(f"milliseconds, the shortest of each turn, median; load of the machine {load()}")
        for what, (words, times, size) in ROWS.items():
            found: dict[str, list[float]] = {kind: [] for kind in kinds}
            calls = []
            for _ in range(TURNS):
                for kind, client in clients.items():
                    found[kind].append(ask(client, what, times))
                calls.append(plain.seconds("fetch" if size else "step", size, times))
            line = f"{words:30}"
            for kind, values in found.items():
                line += f" {kind} {statistics.median(values) * 1e3:8.2f}"
            if "tensorflow" in found:
                pairs = zip(found["tinytf"], found["tensorflow"], strict=True)
                line += f"  ratio {statistics.median(a / b for a, b in pairs):5.2f}"
            pairs = zip(calls, found["tinytf"], strict=True)
            share = statistics.median(a / b for a, b in pairs)
            line += f"  plain unary call {statistics.median(calls) * 1e3:8.2f} ({share:.0%})"
            print(line, flush=True)
            kept = kept and (not size or share >= BAR)
    print(f"bar for large tensors {BAR:.0%} of the plain call's throughput: ", end="")
    print("kept" if kept else "missed")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
