"""Files through queues, beside real TensorFlow: `python -m benchmarks.pipelines`.

Both libraries take turns in processes of their own; each row is the median of the turns' ratios.
The last row is about threads: four that read beside one that does. The exit code is 1 if a bar is
missed.
"""

import json
import statistics
import sys
import tempfile
from collections.abc import Iterable

from benchmarks.graph_and_step import Table, call, micro
from benchmarks.load import load
from benchmarks.pipeline_programs import PROGRAMS
from tinytf.cli import machine

ROUNDS = 3
#: How much longer than TensorFlow's may a record take; with four threads, than with one.
BAR = 1.0
#: What is compared with each other in a process, the median of so many of them: hand-offs between
#: threads suffer most from whatever else the machine does.
THREADS, TURNS = ("one_reader_thread", "four_reader_threads"), 7


def measure(
    library: str, python: str, folder: str, names: Iterable[str] = PROGRAMS
) -> dict[str, float]:
    """Name -> seconds for a record, in a fresh process."""
    text = call(python, "benchmarks/pipeline_programs.py", library, folder, *names)
    return json.loads(text.splitlines()[-1])


def ratios(ours: list[dict[str, float]], theirs: list[dict[str, float]], name: str) -> float:
    """How long ours take beside theirs: the median of the turns."""
    return statistics.median(a[name] / b[name] for a, b in zip(ours, theirs, strict=True))


def main() -> int:
    """Measure and print; the exit code tells whether every bar was met."""
    table = Table()
    print(f"     load of the machine: {load()}")
    tensorflow = machine.tensorflow_python()
    ours: list[dict[str, float]] = []
    theirs: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            ours.append(measure("tinytf", sys.executable, folder))
            if tensorflow:
                theirs.append(measure("tensorflow", str(tensorflow), folder))
        turns = [measure("tinytf", sys.executable, folder, THREADS) for _ in range(TURNS)]
    for name in PROGRAMS:
        mine = statistics.median(run[name] for run in ours)
        if not theirs:
            print(f"     {name:<40} {1 / mine:12,.0f} records/s   (real TensorFlow not found)")
            continue
        real = statistics.median(run[name] for run in theirs)
        detail = f"{micro(mine)} against {micro(real)}; {1 / mine:,.0f} records/s"
        table.row(f"{name}, share of TensorFlow's time", ratios(ours, theirs, name), BAR, detail)
    ratio = statistics.median(turn[THREADS[1]] / turn[THREADS[0]] for turn in turns)
    table.row("four reader threads / one", ratio, BAR, f"in {TURNS} processes")
    print(f"     load of the machine: {load()}")
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
