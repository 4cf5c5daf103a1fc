"""What was measured, as tables and a picture: `python -m benchmarks.report [FILE...]`.

Writes docs/performance.svg, and the parts of docs/performance.md between its markers, from files
that `python -m benchmarks --json FILE` kept: without names, those in benchmarks/history. Runs of
one commit count as one, in their medians. Of each row the newest counts; the picture shows the
older ones as well.
"""

import json
import math
import re
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import plot

ROOT = Path(__file__).resolve().parents[1]
HISTORY = ROOT / "benchmarks" / "history"
PAGE, PICTURE = ROOT / "docs" / "performance.md", ROOT / "docs" / "performance.svg"
#: What ratios are to reach: of the rows whose names begin so; beside TensorFlow 1, if none does.
TARGETS = {
    "programs: train_convolutional_net_batch_32": 1.5,
    "programs: train_lstm_step": 1.5,
    "models: training of iris": 0.5,
    "cluster: a step of a constant": 0.7,
    "start: five tasks, time": 0.3,
    "beside a plain call of grpcio: a step": 1.3,
    "beside a plain call of grpcio": 1 / 0.6,
    "threads: two branches": 1 / 1.6,
    "threads: eight branches": 1 / 1.6,
    "placement: makespans": 1.1,
    "placement": 1.0,
    "tracing": 1.02,
}
#: What the first side is to reach, in the row's unit.
LIMITS = {
    "import, time": 0.5,
    "import, memory": 100,
    "start: five tasks, time": 2.0,
    "latency: calls to a task whose py_func computes, GetStatus, median": 0.003,
    "latency: calls to a task whose py_func computes, RunStep, median": 0.003,
    "grading: the instant check of a solution, slowest": 3.0,
    "grading: after the deadline of a hung answer": 2.0,
    "grading: a class of twelve": 60.0,
}
#: How sides are written.
NAMES = {"tensorflow": "TensorFlow", "grpcio": "plain grpcio"}
Line = dict[str, Any]
UNITS = {"s": ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")), "MB": ((1, "MB"),), "": ()}


def quantity(value: float, unit: str) -> str:
    """Three digits and a unit that fits."""
    for size, name in UNITS[unit]:
        if value >= size:
            return f"{digits(value / size)} {name}"
    return f"{digits(value / UNITS[unit][-1][0])} {UNITS[unit][-1][1]}" if unit else digits(value)


def digits(value: float) -> str:
    """Three digits of a number."""
    places = max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0
    return f"{value:,.{min(places, 4)}f}"


def text_of(line: Line) -> str:
    """A line as it is printed while the suite runs."""
    values = "  ".join(f"{kind} {quantity(v, line['unit'])}" for kind, v in line["values"].items())
    text = f"{line['row']:56} {values}"
    if "ratio" in line:
        low, high = line["spread"]
        text += f"  ratio {digits(line['ratio'])} ({digits(low)} to {digits(high)})"
    return text + (f"  repeated {line['repeated']}" if line["repeated"] else "")


def read(files: Iterable[Path]) -> list[list[Line]]:
    """A run for each commit, the oldest first, from files.

    A line without a row holds what is true of those after it.
    """
    found: list[Line] = []
    for file in files:
        common: Line = {}
        for line in map(json.loads, file.read_text().splitlines()):
            if "row" in line:
                found.append(common | line)
            else:
                common = line
    return by_commit(found)


def by_commit(lines: Iterable[Line]) -> list[list[Line]]:
    """Measurements sorted by commit, and several of one row as one."""
    runs: dict[str, dict[str, list[Line]]] = {}
    for line in lines:
        runs.setdefault(line["commit"], {}).setdefault(line["row"], []).append(line)
    return [[together(measured) for measured in rows.values()] for rows in runs.values()]


def together(lines: Sequence[Line]) -> Line:
    """Several measurements of one row: medians, and the spread of them all."""
    last = lines[-1]
    values = {
        kind: statistics.median(line["values"][kind] for line in lines) for kind in last["values"]
    }
    made = last | {"values": values, "load": max(line["load"] for line in lines)}
    if "ratio" in last:
        lows, highs = zip(*(line["spread"] for line in lines), strict=True)
        ratio = statistics.median(line["ratio"] for line in lines)
        made |= {"ratio": ratio, "spread": [min(lows), max(highs)]}
    return made


def newest(runs: Iterable[list[Line]]) -> list[Line]:
    """The newest line of each row, in the order of the suite."""
    found: dict[str, Line] = {}
    for run in runs:
        found.update({line["row"]: line for line in run})
    return list(found.values())


def target_of(line: Line) -> float | None:
    """The ratio that a row is to reach, if it is to."""
    found = [value for name, value in TARGETS.items() if line["row"].startswith(name)]
    return found[0] if found else 1.0 if "tensorflow" in line["values"] else None


def misses(line: Line) -> bool:
    """Whether it is over its target, or over its limit."""
    first, target = next(iter(line["values"].values())), target_of(line)
    is_over = target is not None and line.get("ratio", 0) > target
    return is_over or first > LIMITS.get(line["row"], math.inf)


def targets_text(line: Line) -> str:
    """What a row is to reach, in words."""
    target, limit = target_of(line), LIMITS.get(line["row"])
    texts = [digits(target)] if target is not None and "ratio" in line else []
    if limit is not None:
        texts.append(quantity(limit, line["unit"]))
    return ", ".join(texts)


def tables(lines: Iterable[Line]) -> str:
    """A table for each room, and for the sides that its rows have."""
    groups: dict[tuple[str, tuple[str, ...]], list[Line]] = {}
    for line in lines:
        if "series" not in line:
            room = line["row"].partition(":")[0].partition(",")[0]
            groups.setdefault((room, tuple(line["values"])), []).append(line)
    return "\n".join(table(sides, group) for (_, sides), group in groups.items())


def table(sides: Sequence[str], lines: Sequence[Line]) -> str:
    """Rows with the same sides."""
    has_ratio, has_target = len(sides) > 1, any(map(targets_text, lines))
    head = (
        ["row", *(NAMES.get(side, side) for side in sides)]
        + ["ratio", "spread"] * has_ratio
        + ["target"] * has_target
    )
    text = f"| {' | '.join(head)} |\n|---|{'--:|' * (len(head) - 1)}\n"
    for line in lines:
        cells = [line["row"], *(quantity(line["values"][side], line["unit"]) for side in sides)]
        if has_ratio:
            cells += [digits(line["ratio"]), " – ".join(map(digits, line["spread"]))]
        if has_target:
            cells.append(f"**{targets_text(line)}**" if misses(line) else targets_text(line))
        text += f"| {' | '.join(cells)} |\n"
    return text


def growth(lines: Iterable[Line]) -> str:
    """What grows: the cost for each number, and with which power of it."""
    series: dict[str, list[Line]] = {}
    for line in lines:
        if "series" in line:
            series.setdefault(line["series"], []).append(line)
    text = "| what | | N | cost | power of N |\n|---|---|--:|--:|--:|\n"
    for name, points in series.items():
        points.sort(key=lambda line: line["at"])
        for kind in points[0]["values"]:
            values = [line["values"][kind] for line in points]
            numbers = " / ".join(f"{line['at']:,}" for line in points)
            costs = " / ".join(quantity(value, "s") for value in values)
            side = NAMES.get(kind, kind)
            power = math.log(values[-1] / values[0]) / math.log(points[-1]["at"] / points[0]["at"])
            text += f"| {name} | {side} | {numbers} | {costs} | {round(power, 2) + 0.0:.2f} |\n"
    return text


def circumstances(lines: Sequence[Line]) -> str:
    """The machine, the versions, the load."""
    last = lines[-1]
    versions = ", ".join(f"{name} {number}" for name, number in last["versions"].items())
    days = sorted({(line["date"], line["commit"]) for line in lines})
    commits = "; ".join(f"{commit} on {date}" for date, commit in days)
    loads = [line["load"] for line in lines]
    return (
        f"{last['processors']} processors ({last['cpu']}), {versions}. Commit and day: {commits}. "
        "Load of the machine while "
        f"the rows were measured, the suite's own included: {min(loads)} to {max(loads)}.\n"
    )


def page(text: str, runs: list[list[Line]]) -> str:
    """The page with everything that is generated written anew."""
    lines = newest(runs)
    judged = [line for line in lines if targets_text(line) and "series" not in line]
    missed = [line for line in judged if misses(line)]
    made = {
        "machine": circumstances(lines),
        "rows": tables(lines),
        "growth": growth(lines),
        "missed": f"{len(missed)} of {len(judged)} rows with a target miss it: "
        f"{'; '.join(line['row'] for line in missed) or 'none'}.\n",
    }
    for name, content in made.items():
        marks = rf"(<!-- generated: {name} -->\n).*?(<!-- end -->\n)"
        text = re.sub(marks, lambda found, new=content: found[1] + new + found[2], text, flags=re.S)
    return text


def write(files: Sequence[Path] = ()) -> None:
    """Write the page and the picture."""
    runs = read(files or sorted(HISTORY.glob("*.json")))
    PAGE.write_text(page(PAGE.read_text(), runs))
    PICTURE.write_text(plot.picture(runs, target_of))


if __name__ == "__main__":
    write([Path(name) for name in sys.argv[1:]])
