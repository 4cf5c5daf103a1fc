"""tf.data beside TensorFlow's: `python -m benchmarks.datasets [pipeline ...]`.

The same pipelines in both libraries, in turns, so that a busy machine slows down both. Printed for
each: microseconds for a record (the median of the rounds) and how many times TensorFlow's time.
"""

import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.datasets_program import PIPELINES, RECORDS
from tinytf.cli import machine

ROUNDS = 5
_PROGRAM = Path(__file__).with_name("datasets_program.py")
_ROOT = _PROGRAM.parents[1]


def write_csv(path: Path) -> None:
    """A file of rows of four fractions and a whole number, with a header."""
    numbers = random.Random(1)
    rows = [
        ",".join([*(f"{numbers.random():.4f}" for _ in range(4)), str(numbers.randrange(10))])
        for _ in range(RECORDS)
    ]
    path.write_text("\n".join(["a,b,c,d,label", *rows]) + "\n")


class Side:
    """One of the libraries, in a process of its own."""

    def __init__(self, library: str, python: str, path: Path):
        self._process = subprocess.Popen(
            [python, str(_PROGRAM), library, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=_ROOT,
            env={"PYTHONPATH": str(_ROOT), "CUDA_VISIBLE_DEVICES": "", "PATH": "/usr/bin:/bin"},
        )
        self._read()

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"{self._process.args}: ended with {self._process.wait()}")
        return line

    def seconds(self, name: str) -> float:
        """How long a record takes."""
        assert self._process.stdin is not None
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        return float(self._read())

    def end(self) -> None:
        """End the process."""
        self._process.communicate()


def main(names: list[str]) -> None:
    """Measure the pipelines with these names, or all."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write_csv(path)
        ours = Side("tinytf", sys.executable, path)
        theirs = Side("tensorflow", str(machine.tensorflow_python()), path)
        print(f"{'microseconds a record':24}{'tinytf':>10}{'TensorFlow':>12}{'ratio':>8}")
        for name in names or PIPELINES:
            both = [(ours.seconds(name), theirs.seconds(name)) for _ in range(ROUNDS)]
            mine, other = (statistics.median(side) * 1e6 for side in zip(*both, strict=True))
            print(f"{name:24}{mine:10.2f}{other:12.2f}{mine / other:8.2f}", flush=True)
        ours.end()
        theirs.end()


if __name__ == "__main__":
    main(sys.argv[1:])
