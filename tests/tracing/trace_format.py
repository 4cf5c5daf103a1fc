"""A strict reader of the Trace Event Format: says what a viewer might take amiss."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from typing import Any

_FIELDS = {
    "X": {"name", "cat", "ts", "dur", "pid", "tid", "args"},
    "M": {"name", "pid", "args"},
    "C": {"name", "cat", "ts", "pid", "args"},
    "i": {"name", "cat", "ts", "pid", "tid", "s"},
    "s": {"name", "cat", "ts", "pid", "tid", "id"},
    "t": {"name", "cat", "ts", "pid", "tid", "id"},
    "f": {"name", "cat", "ts", "pid", "tid", "id", "bp"},
    "N": {"name", "cat", "ts", "pid", "tid", "id"},
    "O": {"name", "cat", "ts", "pid", "tid", "id", "args"},
    "D": {"name", "cat", "ts", "pid", "tid", "id"},
}
_TYPES: dict[str, Any] = {
    "ph": str,
    "name": str,
    "cat": str,
    "pid": int,
    "tid": int,
    "id": int,
    "args": dict,
    "s": str,
    "bp": str,
    "ts": (int, float),
    "dur": (int, float),
}


def read(text: str) -> list[dict[str, Any]]:
    """The events of a trace.

    Raises:
      ValueError: if it is not one, with the first rule it breaks.
    """

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    trace = json.loads(text, parse_constant=refuse)
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        raise ValueError("the list of traceEvents is missing")
    if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
        raise ValueError("displayTimeUnit is ms or ns")
    events = trace["traceEvents"]
    for event in events:
        _check_fields(event)
    _check_names(events)
    rows = _check_boxes(events)
    _check_arrows(events, rows)
    _check_counters(events)
    _check_objects(events)
    return events


def nanoseconds(event: dict[str, Any], field: str = "ts") -> int:
    """A time of an event, exactly."""
    return round(event[field] * 1000)


def _check_fields(event: Any) -> None:
    if not isinstance(event, dict) or event.get("ph") not in _FIELDS:
        raise ValueError(f"an event of no known kind: {event}")
    allowed = _FIELDS[event["ph"]] | {"ph", "tid"}
    if missing := _FIELDS[event["ph"]] - set(event):
        raise ValueError(f"{sorted(missing)} missing: {event}")
    if unknown := set(event) - allowed:
        raise ValueError(f"{sorted(unknown)} unknown: {event}")
    for name, value in event.items():
        if not isinstance(value, _TYPES[name]) or isinstance(value, bool):
            raise ValueError(f"{name} has a wrong type: {event}")
        if name in ("ts", "dur"):
            if not math.isfinite(value) or value < 0:
                raise ValueError(f"{name} is no time: {event}")
            if abs(value * 1000 - round(value * 1000)) > 0.01:
                raise ValueError(f"{name} is finer than a nanosecond: {event}")
    if event.get("s", "g") not in ("g", "p", "t"):
        raise ValueError(f"no scope of an instant: {event}")


def _check_names(events: list[dict[str, Any]]) -> None:
    processes, rows = set(), set()
    for event in events:
        if event["ph"] != "M":
            continue
        if not isinstance(event["args"].get("name"), str):
            raise ValueError(f"metadata without a name: {event}")
        key, known = (
            (event["pid"], processes)
            if event["name"] == "process_name"
            else ((event["pid"], event["tid"]), rows)
        )
        if key in known:
            raise ValueError(f"named twice: {event}")
        known.add(key)
    for event in events:
        if event["pid"] not in processes:
            raise ValueError(f"of a process without a name: {event}")
        if event["ph"] == "X" and (event["pid"], event["tid"]) not in rows:
            raise ValueError(f"on a row without a name: {event}")


Rows = dict[tuple[int, int], list[tuple[int, int]]]


def _check_boxes(events: list[dict[str, Any]]) -> Rows:
    """On a row, boxes lie beside or inside each other."""
    rows: Rows = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            start = nanoseconds(event)
            rows[event["pid"], event["tid"]].append((start, start + nanoseconds(event, "dur")))
    for row, boxes in rows.items():
        ends: list[int] = []
        for start, end in sorted(boxes, key=lambda box: (box[0], -box[1])):
            while ends and ends[-1] <= start:
                ends.pop()
            if ends and end > ends[-1]:
                raise ValueError(f"a box overlaps another: {row}, {start} to {end}")
            ends.append(end)
    return rows


def _check_arrows(events: list[dict[str, Any]], rows: Rows) -> None:
    flows = defaultdict(list)
    for event in events:
        if event["ph"] in "stf":
            flows[event["cat"], event["id"]].append(event)
            time = nanoseconds(event)
            boxes = rows.get((event["pid"], event["tid"]), [])
            if not any(start <= time <= end for start, end in boxes):
                raise ValueError(f"an arrow that ends in no box: {event}")
    for key, flow in flows.items():
        kinds = "".join(event["ph"] for event in flow)
        if kinds[:1] != "s" or kinds[-1:] != "f" or kinds.strip("sf").strip("t"):
            raise ValueError(f"an arrow without beginning or end: {key} {kinds}")
        if len({event["name"] for event in flow}) > 1:
            raise ValueError(f"an arrow with two names: {key}")
        times = [nanoseconds(event) for event in flow]
        if times != sorted(times):
            raise ValueError(f"an arrow back in time: {key}")


def _check_counters(events: list[dict[str, Any]]) -> None:
    last: dict[tuple[int, str], int] = {}
    for event in events:
        if event["ph"] == "C":
            values = event["args"].values()
            if not values or not all(isinstance(v, int) and v >= 0 for v in values):
                raise ValueError(f"a counter without a number: {event}")
            key, time = (event["pid"], event["name"]), nanoseconds(event)
            if time < last.get(key, 0):
                raise ValueError(f"a counter out of order: {event}")
            last[key] = time


def _check_objects(events: list[dict[str, Any]]) -> None:
    lives = defaultdict(list)
    for event in events:
        if event["ph"] in "NOD":
            lives[event["id"]].append(event)
        if event["ph"] == "O" and "snapshot" not in event["args"]:
            raise ValueError(f"a snapshot without its content: {event}")
    for key, life in lives.items():
        kinds = "".join(event["ph"] for event in life)
        times = [nanoseconds(event) for event in life]
        if (
            kinds[:1] != "N"
            or kinds[-1:] != "D"
            or kinds[1:-1].strip("O")
            or times != sorted(times)
        ):
            raise ValueError(f"an object without beginning or end: {key} {kinds}")
