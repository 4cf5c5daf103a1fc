r"""What of traced steps a timeline shows: lanes, boxes in them, arrows, and the queue's depth.

    CPU:0
      MainThread   [ y          ][ z ][send]
      pool_1         [ x ]                 \
      (shards)     [1/2][2/2]               \
      ready nodes  _|~|___|~~|__             \
    GPU:0                                     v
      stream                             [ recv ][ u ]

Times are ns from the beginning of each step. Constants take no time and are counted only.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tinytf.framework.dtypes import as_dtype
from tinytf.jupyter.picture import short_device
from tinytf.runtime.step_stats import INTRA_OP
from tinytf.tracing.activities import Activity, Made
from tinytf.tracing.clocks import Clocks, task_of
from tinytf.tracing.counts import queue_depth
from tinytf.tracing.reading import read_steps

#: A widget with more boxes would be slow to send and to open.
MOST_BOXES = 20_000
#: The colour of a box tells the type of its operation from others nearby: so many there are.
HUES = 6
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
    """One run of a node.

    Attributes:
      activity: all that is known of it. group, lane, depth: where it is.
      start, end: from the beginning of its step.
    """

    activity: Activity
    group: int
    lane: int
    depth: int
    start: int
    end: int


@dataclass(slots=True, eq=False)
class TimelinePicture:
    """Traced steps, laid out but for the time axis.

    Attributes:
      boxes: those shown, by step and start. left_out: how many are not.
      arrows: (sender, receiver), as numbers of boxes. lengths: of each step.
      constants: the names of those that were there.
      clocks: how the clocks of several tasks were brought together.
    """

    groups: list[Group]
    boxes: list[Box]
    left_out: int
    arrows: list[tuple[int, int]]
    lengths: list[int]
    constants: list[str]
    clocks: Clocks = field(default_factory=Clocks)


def picture_of(steps: Sequence[Any], most: int = MOST_BOXES) -> TimelinePicture:
    """Lay out `StepStats` messages; of more than `most` boxes only the first ones."""
    read = read_steps(steps)
    timed = [a for a in read.activities if not _is_constant(a)]
    timed.sort(key=lambda a: (a.step, a.start, -a.end))
    begins: dict[int, int] = {}
    ends: dict[int, int] = defaultdict(int)
    for activity in timed:
        first = activity.start if activity.scheduled is None else activity.scheduled
        begins[activity.step] = min(begins.get(activity.step, first), first)
        ends[activity.step] = max(ends[activity.step], activity.end)
    groups, places = _groups(read.devices, read.rows, timed)
    shown = timed[:most]
    boxes = []
    open_ends: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for activity in shown:
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
            found = [a for a in timed if a.device == group.device and a.step == step]
            group.queue.append([(time - begin, n) for time, n in queue_depth(found)])
    number = {id(box.activity): n for n, box in enumerate(boxes)}
    arrows = [
        (number[id(box.activity.sent_by)], n)
        for n, box in enumerate(boxes)
        if id(box.activity.sent_by) in number
    ]
    constants = sorted({a.name for a in read.activities if _is_constant(a)})
    lengths = [ends[step] - begins[step] for step in begins]
    return TimelinePicture(
        groups, boxes, len(timed) - len(shown), arrows, lengths, constants, read.clocks
    )


def _is_constant(activity: Activity) -> bool:
    return activity.op == "Const" and activity.start == activity.end


def _groups(
    devices: Sequence[str], rows: dict[str, list[str]], timed: Sequence[Activity]
) -> tuple[list[Group], dict[tuple[str, int], tuple[int, int]]]:
    """The devices with the rows that hold something, each pool below its device."""
    used: dict[str, set[int]] = defaultdict(set)
    for activity in timed:
        used[activity.device].add(activity.row)
    titles = short_devices(devices)
    groups: list[Group] = []
    places: dict[tuple[str, int], tuple[int, int]] = {}
    for device in sorted(used, key=lambda name: _order(name)):
        lanes: list[Lane] = []
        for row in sorted(used[device]):
            places[device, row] = len(groups), len(lanes)
            lanes.append(Lane(rows[device][row]))
        groups.append(Group(device, titles[device], lanes))
    several = len({task_of(group.device) for group in groups}) > 1
    for before, group in zip([None, *groups], groups, strict=False):
        new = before is None or task_of(before.device) != task_of(group.device)
        group.opens = several and new
    return groups, places


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


def hue_of(op: str) -> int:
    """The colour of an operation type: always the same one."""
    return sum(map(ord, op)) % HUES


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


def counts_of(boxes: Sequence[Box]) -> dict[str, dict[tuple[str, str], list[Box]]]:
    """By device: the runs of each (node, type), pieces of kernels apart; in a fixed order."""
    found: dict[str, dict[tuple[str, str], list[Box]]] = defaultdict(lambda: defaultdict(list))
    for box in boxes:
        if box.activity.shard is None and not box.activity.is_kernel:
            key = box.activity.name, box.activity.op
            found[box.activity.device][key].append(box)
    return {device: dict(sorted(found[device].items())) for device in sorted(found, key=_order)}


def duration_text(nanoseconds: int) -> str:
    """A duration for people: "350 ns", "1.2 us", "13 ms"."""
    for unit, one in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        value = nanoseconds / one
        if value >= 0.9995:
            return f"{value:.3g} {unit}" if value < 999.5 else f"{value:,.0f} {unit}"
    return f"{nanoseconds} ns"
