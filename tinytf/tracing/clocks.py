"""The clocks of several tasks, brought together by what the tasks sent to one another.

Each task writes down times by its own clock, and the clocks of two machines may be seconds apart.
What was sent tells by how much: a tensor has been sent before it has arrived, so

    end of the Recv, by B's clock + what B's clock lacks
        >= end of the Send, by A's clock + what A's clock lacks.

Every transfer from A to B says by how much B's clock lags at least, and every transfer back by how
much at most. If the times are in order as they stand, nothing is done: a clock that cannot be
proved wrong is believed. Otherwise the tightest bounds between all tasks, over third ones as well,
are found (Floyd and Warshall), and one task after the other is set: as it is if that lies within
its bounds; in the middle of them, as NTP does, if it sent and received; and else by as little as is
needed. Each choice keeps within the bounds to all tasks that are set, and so the next one always
has a choice, too. Which task is the first, whose clock is believed, is tried out: the best is one
that makes the steps short (one that believes the wrong clock leaves the others far behind), then
one that shifts few tasks. If the bounds contradict each other (a
clock that runs too fast, say), the beginnings of the Sends are taken in the place of their ends,
and if that does not help, all is left as it was.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tinytf.framework.rendezvous import tensor_of_edge
from tinytf.tracing.activities import Activity

_TASK = re.compile(r"(/job:[^/]+(?:/replica:\d+)?/task:\d+)(?:/|\Z)")

#: (sender, receiver)
Pair = tuple[Activity, Activity]


@dataclass(frozen=True, slots=True)
class Clocks:
    """What was done about the clocks.

    Attributes:
      offsets: task -> ns that were added to its times; empty if nothing was corrected.
      contradict: whether no correction can bring all transfers in order.
    """

    offsets: Mapping[str, int] = field(default_factory=dict)
    contradict: bool = False


def task_of(device: str) -> str:
    """The task in the name of a device, "/job:ps/replica:0/task:0"; "" if there is none."""
    match = _TASK.match(device)
    return match[1] if match else ""


def pair_transfers(activities: Iterable[Activity]) -> list[Pair]:
    """The Send of every Recv between tasks in a step; of several in a loop, in their order."""
    sends: dict[tuple[str, str, str], list[Activity]] = defaultdict(list)
    recvs: dict[tuple[str, str, str], list[Activity]] = defaultdict(list)
    makers: dict[tuple[str, str], list[Activity]] = defaultdict(list)
    for activity in sorted(activities, key=lambda activity: activity.end):
        for output in activity.made:
            makers[output.name, activity.device].append(activity)
        for edge, target in activity.sends:
            sends[edge, activity.device, target].append(activity)
        arrival = activity.arrival
        if arrival is not None and task_of(arrival[1]) != task_of(arrival[2]):
            recvs[arrival].append(activity)
    pairs: list[Pair] = []
    for key, received in recvs.items():
        plain = tensor_of_edge(key[0]).removesuffix(":0")
        sent = sends.get(key) or makers.get((plain, key[1]), [])
        if sends.get(key) or len(sent) == len(received) == 1:
            pairs += zip(sent, received, strict=False)
    return pairs


def correct(steps: Sequence[Sequence[Activity]]) -> Clocks:
    """Note who sent what arrived, and shift the times of tasks whose clocks were wrong.

    Args:
      steps: the activities of each step; `sent_by`, `start`, `end` and `scheduled` are set.
    """
    pairs = [pair for step in steps for pair in pair_transfers(step)]
    for sender, receiver in pairs:
        receiver.sent_by = sender
    if all(sender.start <= receiver.end for sender, receiver in pairs):
        return Clocks()
    spans = [_spans(step) for step in steps]
    for ends in (True, False):
        bounds = []
        for sender, receiver in pairs:
            least = (sender.end if ends else sender.start) - receiver.end
            bounds.append((task_of(sender.device), task_of(receiver.device), least))
        offsets = _offsets(bounds, spans)
        if offsets is not None:
            break
    else:
        return Clocks(contradict=True)
    for activity in itertools.chain.from_iterable(steps):
        shift = offsets.get(task_of(activity.device), 0)
        activity.start += shift
        activity.end += shift
        if activity.scheduled is not None:
            activity.scheduled += shift
    return Clocks({task: shift for task, shift in offsets.items() if shift})


def _spans(step: Iterable[Activity]) -> dict[str, tuple[int, int]]:
    """Of each task in a step, its beginning and its end."""
    found: dict[str, tuple[int, int]] = {}
    for activity in step:
        task = task_of(activity.device)
        first, last = found.get(task, (activity.start, activity.end))
        found[task] = min(first, activity.start), max(last, activity.end)
    return found


def _length(spans: Iterable[Mapping[str, tuple[int, int]]], offsets: Mapping[str, int]) -> int:
    """How long all steps take with such offsets."""
    total = 0
    for step in spans:
        shifted = [
            (first + offsets.get(task, 0), last + offsets.get(task, 0))
            for task, (first, last) in step.items()
        ]
        if shifted:
            total += max(last for _, last in shifted) - min(first for first, _ in shifted)
    return total


def _offsets(
    bounds: Iterable[tuple[str, str, int]], spans: Sequence[Mapping[str, tuple[int, int]]]
) -> dict[str, int] | None:
    """What to add to the times of each task.

    Args:
      bounds: (a, b, least): the offset of b is that of a plus `least`, at least.
      spans: for each step, task -> its beginning and its end.

    Returns:
      task -> ns; None if the bounds contradict each other.
    """
    least: dict[tuple[str, str], float] = defaultdict(lambda: -math.inf)
    touched: dict[str, int] = defaultdict(int)
    for a, b, value in bounds:
        least[a, b] = max(least[a, b], value)
        touched[a] += 1
        touched[b] += 1
    tasks = sorted(touched, key=lambda task: (-touched[task], task))
    for over, a, b in itertools.product(tasks, repeat=3):
        least[a, b] = max(least[a, b], least[a, over] + least[over, b])
    if any(least[task, task] > 0 for task in tasks):
        return None
    choices = [_set([first, *(t for t in tasks if t != first)], least) for first in tasks]
    lengths = [_length(spans, choice) for choice in choices]
    good = [c for c, n in zip(choices, lengths, strict=True) if n <= 1.1 * min(lengths)]
    return min(good, key=lambda choice: sum(shift != 0 for shift in choice.values()))


def _set(tasks: Iterable[str], least: Mapping[tuple[str, str], float]) -> dict[str, int]:
    """Set one task after the other, within the bounds to those that are set."""
    offsets: dict[str, int] = {}
    for task in tasks:
        low = max((offsets[a] + least[a, task] for a in offsets), default=-math.inf)
        high = min((offsets[a] - least[task, a] for a in offsets), default=math.inf)
        if low <= 0 <= high:
            offsets[task] = 0
        elif math.isfinite(low) and math.isfinite(high):
            offsets[task] = math.floor((low + high) / 2)
        else:
            offsets[task] = math.ceil(low) if math.isfinite(low) else math.floor(high)
    return offsets
