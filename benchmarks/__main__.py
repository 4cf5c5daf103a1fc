"""Every row on all of its sides in turns: `python -m benchmarks [--quick] [--only WORD...]`.

A pair is one measurement of each side, in an order that changes from pair to pair; a row's ratio is
the median of its pairs' ratios of the first side to the last, 1 is equal and less is better. A pair
is disturbed, and repeated at most REPEATS times a row, if other machines took more than STOLEN of
the processors' time meanwhile, or if its ratio is more than OFF times away from the median of the
others. Rows are printed as they come, and kept as JSON lines by `--json FILE`, after a line with
the commit and the machine; `--keep` keeps them in benchmarks/history and writes docs/performance.md
anew, as `python -m benchmarks.report` does.
"""

import argparse
import datetime
import importlib.metadata
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from benchmarks import report
from benchmarks.processes import ROOT, Sides, go_inside, has_tensorflow
from benchmarks.rows import ROWS, Row, Values
from tests.oracle.environment import VERSION

ROUNDS, REPEATS, STOLEN, OFF = 5, 3, 0.05, 2.0
Pair = dict[str, Values]


def stolen() -> float:
    """The seconds of processors that other machines took from this one so far."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


def farthest(ratios: Sequence[float]) -> int | None:
    """Which pair is more than OFF times away from the median of the others, and farthest."""

    def off(number: int) -> float:
        others = [*ratios[:number], *ratios[number + 1 :]]
        return abs(math.log(ratios[number] / statistics.median(others)))

    if len(ratios) < 3:
        return None
    worst = max(range(len(ratios)), key=off)
    return worst if off(worst) > math.log(OFF) else None


def ratios(pairs: Sequence[Pair], kinds: Sequence[str], part: int) -> list[float]:
    """Of the first side to the last, pair by pair."""
    return [pair[kinds[0]][part] / pair[kinds[-1]][part] for pair in pairs]


def measure(row: Row, sides: Sides, kinds: Sequence[str], rounds: int) -> tuple[list[Pair], int]:
    """The pairs of a row, and how many were repeated."""
    pairs: list[Pair] = []
    repeats = 0
    with row.open(sides, kinds) as once:
        while len(pairs) < rounds:
            before, start = stolen(), time.perf_counter()
            pairs.append(once(kinds if len(pairs) % 2 else kinds[::-1]))
            share = (stolen() - before) / (time.perf_counter() - start) / (os.cpu_count() or 1)
            worst = len(pairs) - 1 if share > STOLEN else farthest(ratios(pairs, kinds, 0))
            if worst is not None and repeats < REPEATS:
                del pairs[worst]
                repeats += 1
    return pairs, repeats


def lines(row: Row, kinds: Sequence[str], pairs: Sequence[Pair], repeats: int) -> list[report.Line]:
    """What is kept of a row: a line for each part."""
    found = []
    for part, (name, unit) in enumerate(zip(row.names, row.parts.values(), strict=True)):
        values = {kind: short(statistics.median(p[kind][part] for p in pairs)) for kind in kinds}
        line: report.Line = {
            "row": name,
            "unit": unit,
            "values": values,
            "pairs": len(pairs),
            "repeated": repeats,
        }
        if len(kinds) > 1:
            all = ratios(pairs, kinds, part)
            line |= {"ratio": short(statistics.median(all))}
            line |= {"spread": [short(min(all)), short(max(all))]}
        if row.series:
            line |= {"series": row.series[0], "at": row.series[1]}
        found.append(line | {"load": round(os.getloadavg()[0], 1)})
    return found


def short(value: float) -> float:
    """Four digits of a number."""
    return float(f"{value:.4g}")


def keep(file: Path | None, line: report.Line) -> None:
    """Append a line of JSON, if there is where to."""
    if file:
        with file.open("a") as opened:
            opened.write(json.dumps(line, separators=(",", ":")) + "\n")


@cache
def commit() -> str:
    """Which commit is measured; with a plus sign where what is measured differs from it."""
    name = _git("describe", "--always", "--abbrev=8", "--exclude=*").stdout.strip()
    is_changed = _git("diff", "--quiet", "HEAD", "--", "tinytf", "benchmarks").returncode
    return f"{name}+" if is_changed else name


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)


def circumstances() -> report.Line:
    """The machine and the versions, in neutral words."""
    cpuinfo = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.split(": ")[1] for line in cpuinfo if line.startswith("model name")), "?")
    versions = {"python": platform.python_version()}
    versions |= {name: importlib.metadata.version(name) for name in ("numpy", "grpcio")}
    if has_tensorflow():
        versions["tensorflow"] = VERSION
    machine = {"processors": len(os.sched_getaffinity(0)), "cpu": model, "versions": versions}
    return {"commit": commit(), "date": datetime.date.today().isoformat(), **machine}


def load() -> str:
    """The processes that ran or waited for a processor in the last minute, of how many."""
    return f"{os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} processors"


def main() -> int:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tinytf alone, short rows, one round")
    parser.add_argument("--only", nargs="+", default=[], help="rows whose names contain one of it")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path, help="append a line for each row")
    parser.add_argument("--keep", action="store_true", help="in the history, and in the docs")
    asked = parser.parse_args()
    if not asked.quick:
        go_inside()
    rows = [row for row in ROWS if not asked.only or any(word in row.name for word in asked.only)]
    if asked.quick:
        rows = [row for row in rows if row.is_quick]
    if not rows:
        parser.error("no row has such a name")
    if asked.keep:
        now = datetime.datetime.now(datetime.UTC)
        report.HISTORY.mkdir(exist_ok=True)
        asked.json = report.HISTORY / f"{now:%Y-%m-%d-%H%M}-{commit().rstrip('+')}.json"
    if not asked.quick and not has_tensorflow():
        print("without TensorFlow: that takes its environment, root, `unshare` and `ip`")
    keep(asked.json, circumstances())
    begun, failed = time.monotonic(), False
    print(f"median of pairs; load of the machine {load()}", flush=True)
    with tempfile.TemporaryDirectory() as folder, Sides(folder) as sides:
        for row in rows:
            kinds = [kind for kind in row.sides if kind != "tensorflow" or has_tensorflow()]
            rounds = 1 if asked.quick else min(asked.rounds, row.rounds)
            try:
                pairs, repeats = measure(row, sides, kinds, rounds)
            except Exception as error:  # the other rows are worth as much without it
                print(f"{row.name}: {type(error).__name__}: {error}", file=sys.stderr)
                failed = True
                continue
            for line in lines(row, kinds, pairs, repeats):
                print(report.text_of(line), flush=True)
                keep(asked.json, line)
    print(f"{time.monotonic() - begun:.0f} s; load of the machine {load()}")
    if asked.keep:
        report.write()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
