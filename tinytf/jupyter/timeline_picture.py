r"""What of traced steps a timeline shows: lanes, boxes in them, arrows, and the queue's depth.

    CPU:0
      calling thread       [ y          ][ z ][send]
      inter-op thread 1      [ x ]                 \
      ready queue          _|~|___|~~|__            \
    GPU:0                                            v
      stream, computes                          [ recv ][ u ]

Times are ns from the beginning of each step. Constants take no time and are counted only. Of a very
long trace the longest runs stay as they are; the others join their neighbours in blocks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from tinytf.framework.dtypes import as_dtype
from tinytf.framework.registry import op_defs
from tinytf.jupyter.picture import short_device
from tinytf.runtime.frames import CONTROL_FLOW
from tinytf.runtime.step_stats import INTRA_OP
from tinytf.tracing.activities import Activity, Made
from tinytf.tracing.clocks import Clocks, task_of
from tinytf.tracing.counts import queue_depth
from tinytf.tracing.reading import read_steps

#: A widget with more boxes would be slow to send and to open.
MOST_BOXES = 12_000
#: What a colour means, as the key says it; the hues are in static/theme.css.
MEANINGS = {
    "compute": "computes",
    "state": "state: a variable, a queue",
    "effect": "has an effect",
    "control-flow": "decides what runs",
    "transfer": "sends or receives",
    "shard": "shard: a part of a kernel",
    "many": "several, too short to tell apart",
    "sent": "a tensor travels",
    "ready": "ready, waiting for a thread",
}
_THREADS = {
    "MainThread": "calling thread",
    "stream:compute": "stream, computes",
    "stream:h2d": "stream, copies to the GPU",
    "stream:d2h": "stream, copies to the host",
    "stream:d2d": "stream, copies from another GPU",
}
#: Threads that there are several of, and what the course calls them.
_POOLS = {"inter-op": "inter-op thread", "intra-op": "intra-op thread", "-stream": "copying thread"}
_POOLS |= {"tinytf-unix": "serving thread", "tinytf-server": "serving thread"}
_THREAD = re.compile(r"(.*) \((\d+)\)(, besides \d+)?\Z")
_DEVICE = re.compile(r"(.*/)?(?:device:)?([^:/]+:\d+)(/.*)?\Z")


@dataclass(slots=True, eq=False)
class Lane:
    """A row of a device: what one thread did, one after the other.

    Attributes:
      title: the thread. depth: how many boxes lie inside one another at most.
    """

    title: str
    depth: int = 1


@dataclass(slots=True, eq=False)
class Group:
    """A device, or a part of one.

    Attributes:
      device: its full name. title: as short as it can be. lanes: its rows.
      queue: for each step, (time, how many nodes were ready and had not begun).
      opens: whether it is the first one of its task, where there are several tasks.
    """

    device: str
    title: str
    lanes: list[Lane]
    queue: list[list[tuple[int, int]]] = field(default_factory=list)
    opens: bool = False

    @property
    def is_pool(self) -> bool:
        """Whether its threads run pieces of the kernels of a device."""
        return self.device.endswith(INTRA_OP)


@dataclass(slots=True, eq=False)
class Box:
    """One run of a node; or several short ones, one soon after the other, that are shown as one.

    Attributes:
      activity: all that is known of it, or of the first one. group, lane, depth: where it is.
      start, end: from the beginning of its step. count: how many runs.
    """

    activity: Activity
    group: int
    lane: int
    depth: int
    start: int
    end: int
    count: int = 1


@dataclass(slots=True, eq=False)
class TimelinePicture:
    """Traced steps, laid out but for the time axis.

    Attributes:
      boxes: by step and start; where there are too many, shorter ones are one.
      counts: by device, how often each (node, type) ran and how many bytes it made at most.
      arrows: (sender, receiver), as numbers of boxes. lengths: of each step.
      constants: the names of those that were there.
      clocks: how the clocks of several tasks were brought together.
    """

    groups: list[Group]
    boxes: list[Box]
    counts: dict[str, dict[tuple[str, str], tuple[int, int]]]
    arrows: list[tuple[int, int]]
    lengths: list[int]
    constants: list[str]
    clocks: Clocks = field(default_factory=Clocks)


def picture_of(steps: Sequence[Any], most: int = MOST_BOXES) -> TimelinePicture:
    """Lay out `StepStats` messages; of more than `most` runs, the shorter ones in blocks."""
    read = read_steps(steps)
    timed = [a for a in read.activities if not _is_constant(a)]
    timed.sort(key=lambda a: (a.step, a.start, -a.end))
    begins: dict[int, int] = {}
    ends: dict[int, int] = defaultdict(int)
    waiting: dict[tuple[str, int], list[Activity]] = defaultdict(list)
    for activity in timed:
        first = activity.start if activity.scheduled is None else activity.scheduled
        begins[activity.step] = min(begins.get(activity.step, first), first)
        ends[activity.step] = max(ends[activity.step], activity.end)
        waiting[activity.device, activity.step].append(activity)
    groups, places = _groups(read.devices, read.rows, timed)
    boxes = []
    open_ends: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for activity in timed:
        place, lane = places[activity.device, activity.row]
        stack = open_ends[activity.step, place, lane]
        while stack and stack[-1] <= activity.start:
            stack.pop()
        begin = begins[activity.step]
        boxes.append(
            Box(activity, place, lane, len(stack), activity.start - begin, activity.end - begin)
        )
        stack.append(activity.end)
        thread = groups[place].lanes[lane]
        thread.depth = max(thread.depth, len(stack))
    for group in groups:
        for step, begin in begins.items():
            depths = [(time - begin, n) for time, n in queue_depth(waiting[group.device, step])]
            group.queue.append(coarse(depths, (ends[step] - begin) / MOST_BOXES))
    lengths = [ends[step] - begins[step] for step in begins]
    counts = _counts_of(timed)
    boxes = _thinned(boxes, most, sum(lengths))
    number = {id(box.activity): n for n, box in enumerate(boxes) if box.count == 1}
    arrows = [
        (number[id(box.activity.sent_by)], n)
        for n, box in enumerate(boxes)
        if id(box.activity.sent_by) in number
    ]
    constants = sorted({a.name for a in read.activities if _is_constant(a)})
    return TimelinePicture(groups, boxes, counts, arrows, lengths, constants, read.clocks)


def _thinned(boxes: list[Box], most: int, total: int) -> list[Box]:
    """The longest third as they are; what lies between them on a row, together."""
    if len(boxes) <= most:
        return boxes
    longest = sorted(boxes, key=lambda box: box.start - box.end)[: most // 3]
    kept = set(map(id, longest))
    rows: dict[tuple[int, int, int, int], Box | None] = {}
    rows = dict.fromkeys((box.activity.step, box.group, box.lane, box.depth) for box in boxes)
    span = 6 * total * len(rows) // most
    found = []
    for box in boxes:
        row = box.activity.step, box.group, box.lane, box.depth
        last = rows[row]
        if last is not None and id(box) not in kept and box.end - last.start <= span:
            last.end, last.count = box.end, last.count + 1
            continue
        found.append(box)
        rows[row] = None if id(box) in kept else box
    return found


def coarse(changes: Sequence[tuple[int, int]], span: float) -> list[tuple[int, int]]:
    """Of each span of time the deepest queue, and the last one."""
    found = []
    for _, same in groupby(changes, lambda change: change[0] // max(span, 1)):
        times, depths = zip(*same, strict=True)
        found.append((times[0], max(depths)))
        found += [(times[-1], depths[-1])] if len(times) > 1 else []
    return found


def _is_constant(activity: Activity) -> bool:
    return activity.op == "Const" and activity.start == activity.end


def _groups(
    devices: Sequence[str], rows: dict[str, list[str]], timed: Sequence[Activity]
) -> tuple[list[Group], dict[tuple[str, int], tuple[int, int]]]:
    """The devices with the rows that hold something, each pool below its device."""
    used: dict[str, set[tuple[str, int]]] = defaultdict(set)
    for activity in timed:
        used[_owner(activity.device)].add((activity.device, activity.row))
    titles = short_devices([_owner(device) for device in devices])
    groups: list[Group] = []
    places: dict[tuple[str, int], tuple[int, int]] = {}
    numbers: dict[tuple[str, str], list[str]] = defaultdict(list)
    for device in sorted(used, key=_order):
        lanes: list[Lane] = []
        for part, row in sorted(used[device]):
            places[part, row] = len(groups), len(lanes)
            lanes.append(Lane(_thread_title(rows[part][row], task_of(device), numbers)))
        groups.append(Group(device, titles[device], lanes))
    several = len({task_of(group.device) for group in groups}) > 1
    for before, group in zip([None, *groups], groups, strict=False):
        new = before is None or task_of(before.device) != task_of(group.device)
        group.opens = several and new
    return groups, places


def _owner(device: str) -> str:
    """Whose streams they are; any other device is its own."""
    return device.partition("/stream:")[0]


def _thread_title(name: str, task: str | None, numbers: dict[tuple[str, str], list[str]]) -> str:
    """A thread in the course's words; those of a pool are counted in each task."""
    match = _THREAD.match(name)
    if match is None:
        return name
    besides = match[3] or ""
    if match[1] in _THREADS:
        return _THREADS[match[1]] + besides
    for known, title in _POOLS.items():
        if known in match[1]:
            seen = numbers[task or "", title]
            seen += [match[2]] * (match[2] not in seen)
            return f"{title} {seen.index(match[2]) + 1}{besides}"
    return name


def _order(device: str) -> tuple[str, str, int, str]:
    """Tasks, in them CPUs before GPUs, and parts of a device below it."""
    match = _DEVICE.match(device)
    if match is None:
        return (device, "", 0, "")
    kind, _, number = match[2].partition(":")
    return (match[1] or "", kind.upper(), int(number), match[3] or "")


def short_devices(devices: Sequence[str]) -> dict[str, str]:
    """Names for people: without the task, if there is only one."""
    matches = {device: _DEVICE.match(device) for device in devices}
    tasks = {match[1] for match in matches.values() if match is not None}
    found = {}
    for device, match in matches.items():
        if match is None:
            found[device] = device
            continue
        part = {None: "", INTRA_OP: " intra-op pool"}.get(match[3], (match[3] or "")[1:])
        part = f" {part}" if part and not part.startswith(" ") else part
        task = "" if len(tasks) == 1 else short_task(match[1] or "") + " "
        found[device] = f"{task}{match[2].upper()}{part}"
    return found


def short_task(task: str) -> str:
    """A task for people: "ps:0"; as it is if it is none."""
    found = task_of(task)
    return short_device(found) if found else task.removesuffix("/")


def arrow_ends(source: Box, target: Box) -> tuple[int, int]:
    """When an arrow leaves and arrives: of a Recv that was waiting, at its end."""
    return source.end, target.start if target.start >= source.end else target.end


def clocks_text(clocks: Clocks) -> str:
    """What was done about the clocks of tasks, in a sentence; "" for nothing."""
    if clocks.contradict:
        return (
            "The clocks of the tasks contradict each other, and no correction brings all "
            "transfers in order: compare times inside of a task only."
        )
    if not clocks.offsets:
        return ""
    tasks = ", ".join(sorted(short_task(task) for task in clocks.offsets))
    return (
        f"Clocks corrected: {tasks}. Tensors seemed to arrive before they were sent; times were "
        "shifted so that none does."
    )


def meaning_of(activity: Activity) -> str:
    """What the colour of a box tells: one of `MEANINGS`."""
    if kind_of(activity) == "transfer":
        return "transfer"
    if activity.op in CONTROL_FLOW:
        return "control-flow"
    known = op_defs.get(activity.op)
    if known is None or not known.is_stateful:
        return "compute"
    return "state" if "container" in known.attrs else "effect"


def kind_of(activity: Activity) -> str:
    """What the outline of a box tells."""
    if activity.shard is not None:
        return "shard"
    if activity.sent_by is not None or activity.op in ("_Send", "_Recv", "RecvTensor"):
        return "transfer"
    return "kernel" if activity.is_kernel else "node"


def note_of(activity: Activity) -> str:
    """Which of several runs of a node, or parts of one, an activity is; "" if there is one."""
    if activity.shard is not None:
        return "shard {} of {}".format(*activity.shard)
    if activity.iteration:
        return f"iteration {activity.iteration}"
    return "" if activity.run is None else "run {} of {}".format(*activity.run)


def made_text(made: Made) -> str:
    """An output for people: "y: float32 (2, 3), 24 bytes"."""
    shape = ", ".join(str(dim.size) for dim in made.description.shape.dim)
    kind = as_dtype(made.description.dtype).name if made.description.dtype else "nothing"
    return f"{made.name}: {kind} ({shape}), {made.size:,} bytes"


def _counts_of(timed: Sequence[Activity]) -> dict[str, dict[tuple[str, str], tuple[int, int]]]:
    """Pieces of kernels apart; in a fixed order."""
    found: dict[str, dict[tuple[str, str], tuple[int, int]]] = defaultdict(dict)
    for activity in timed:
        if activity.shard is None and not activity.is_kernel:
            key = activity.name, activity.op
            ran, size = found[activity.device].get(key, (0, 0))
            found[activity.device][key] = ran + 1, max(size, activity.size)
    return {device: dict(sorted(found[device].items())) for device in sorted(found, key=_order)}


def duration_text(nanoseconds: int) -> str:
    """A duration for people: "350 ns", "1.2 µs", "13 ms"."""
    for unit, one in (("s", 10**9), ("ms", 10**6), ("µs", 10**3)):
        value = nanoseconds / one
        if value >= 0.9995:
            return f"{value:.3g} {unit}" if value < 999.5 else f"{value:,.0f} {unit}"
    return f"{nanoseconds} ns"
