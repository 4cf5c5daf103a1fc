"""Building graphs and small steps, beside real TensorFlow: `python -m benchmarks.graph_and_step`.

Every row is a ratio measured in this run on this machine, with the bar it is held to. The exit
code is 1 if a bar is missed. Both libraries take turns, each in processes of its own.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.programs import PROGRAMS
from tinytf.cli import machine

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 3
#: What is timed in both libraries; the rest is compared with itself.
BESIDE = (
    "run_three_scalar_ops",
    "build_5_000_ops",
    "run_loop_of_1_000_iterations",
    "run_chain_of_1_000_ops",
    "run_wide_graph_of_200_ops",
    "run_beside_10_ops",
    "train_sgd_batch_50",
    "train_sgd_batch_512",
    "train_adam_batch_50",
    "train_adam_batch_512",
)
#: What a plain `import tinytf` may cost.
IMPORT_SECONDS, IMPORT_MEGABYTES = 0.5, 100
_IMPORT = (
    "import sys, time; t = time.perf_counter(); import tinytf; t = time.perf_counter() - t;"
    "print(t, next(int(l.split()[1]) / 1024 for l in open('/proc/self/status')"
    " if l.startswith('VmRSS')))"
)


def call(python: str, *arguments: str) -> str:
    """The output of a Python process in the project's folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # users do not compile modules at every start
    return subprocess.run(
        [python, *arguments],
        cwd=ROOT,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ).stdout


def measure(library: str, python: str, names: Iterable[str]) -> dict[str, float]:
    """Name -> seconds of each program, in a fresh process."""
    text = call(python, "benchmarks/programs.py", library, *names)
    return json.loads(text.splitlines()[-1])


def import_cost() -> tuple[float, float]:
    """(seconds, megabytes) of `import tinytf` in a fresh process, the best of five."""
    runs = [tuple(map(float, call(sys.executable, "-c", _IMPORT).split())) for _ in range(5)]
    return min(r[0] for r in runs), min(r[1] for r in runs)


def micro(seconds: float) -> str:
    """Seconds as text, in microseconds."""
    return f"{seconds * 1e6:,.1f} us"


class Table:
    """Prints rows and remembers whether one missed its bar."""

    def __init__(self) -> None:
        self.failed = False

    def row(self, what: str, value: float, bar: float, detail: str, unit: str = "") -> None:
        """One line: the value, the bar (not to exceed), and where the value comes from."""
        ok = value <= bar
        self.failed |= not ok
        number = f"{value:.2f}{unit}"
        print(f"{'ok  ' if ok else 'MISS'} {what:<58} {number:>9} (bar {bar:g}{unit})  {detail}")


def main() -> int:
    """Measure and print; the exit code tells whether every bar was met."""
    table = Table()
    seconds, megabytes = import_cost()
    table.row("import tinytf, seconds", seconds, IMPORT_SECONDS, "best of 5 processes", " s")
    table.row("import tinytf, memory", megabytes, IMPORT_MEGABYTES, "resident, process", " MB")
    tensorflow = machine.tensorflow_python()
    ours: list[dict[str, float]] = []
    theirs: list[dict[str, float]] = []
    for _ in range(ROUNDS):
        ours.append(measure("tinytf", sys.executable, PROGRAMS))
        if tensorflow:
            theirs.append(measure("tensorflow", str(tensorflow), BESIDE))
    mine = {name: min(r[name] for r in ours) for name in PROGRAMS}
    if theirs:
        real = {name: min(r[name] for r in theirs) for name in BESIDE}
        for name, bar in (
            ("run_three_scalar_ops", 1.0),
            ("build_5_000_ops", 1 / 3),
            ("run_loop_of_1_000_iterations", 1.5),
            ("run_chain_of_1_000_ops", 1.5),
            ("run_wide_graph_of_200_ops", 1.5),
            ("train_sgd_batch_50", 1.0),
            ("train_sgd_batch_512", 1.0),
            ("train_adam_batch_50", 1.0),
            ("train_adam_batch_512", 1.0),
        ):
            detail = f"{micro(mine[name])} against {micro(real[name])}"
            table.row(f"{name}, share of TensorFlow's time", mine[name] / real[name], bar, detail)
        for name in BESIDE:
            print(f"     {name:<40} {micro(mine[name]):>14}   TensorFlow {micro(real[name]):>14}")
    else:
        print("     real TensorFlow not found: rows beside it not measured")
    for slow, quick, bar in (
        ("build_100_000_ops", "build_100_ops", 2.0),
        ("run_beside_50_000_ops", "run_beside_10_ops", 1.25),
        ("first_run_beside_50_000_ops", "first_run_beside_10_ops", 1.5),
    ):
        detail = f"{micro(mine[slow])} against {micro(mine[quick])}"
        table.row(f"{slow} / {quick}", mine[slow] / mine[quick], bar, detail)
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
