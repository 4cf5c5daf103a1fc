"""What is counted in a trace: nodes that are ready and wait, memory that is in use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from tinytf.tracing.activities import Activity


def queue_depth(activities: Iterable[Activity]) -> list[tuple[int, int]]:
    """How many nodes were ready and had not begun: (time, number), whenever it changes."""
    changes: dict[int, int] = defaultdict(int)
    for activity in activities:
        if activity.scheduled is not None and activity.scheduled < activity.start:
            changes[activity.scheduled] += 1
            changes[activity.start] -= 1
    depth, found = 0, []
    for time in sorted(changes):
        if changes[time]:
            depth += changes[time]
            found.append((time, depth))
    return found


@dataclass(slots=True, eq=False)
class Buffer:
    """Memory that one or more tensors are in: an Identity makes another name, not a copy.

    Attributes:
      names: of the tensors. born, freed: times in ns: when the first one was made, and when the
        last of those that take one had ended.
    """

    names: list[str]
    size: int
    allocator: str
    address: int
    born: int
    freed: int


def find_buffers(activities: Iterable[Activity]) -> list[Buffer]:
    """The memory that the outputs of a step are in, in the order in which it was taken."""
    found: list[Buffer] = []
    current: dict[tuple[int, str], Buffer] = {}
    for activity in sorted(activities, key=lambda activity: (activity.end, activity.start)):
        taken = [current.get((id(source), name)) for name, source in activity.sources]
        for buffer in taken:
            if buffer is not None:
                buffer.freed = max(buffer.freed, activity.end)
        by_address = {buffer.address: buffer for buffer in taken if buffer and buffer.address}
        for made in activity.made:
            buffer = by_address.get(made.address)
            if buffer is None:
                buffer = Buffer(
                    [], made.size, made.allocator, made.address, activity.start, activity.end
                )
                found.append(buffer)
            buffer.names.append(made.name)
            buffer.freed = max(buffer.freed, activity.end)
            current[id(activity), made.name] = buffer
    return found
