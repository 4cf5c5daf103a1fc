"""How much memory an execution holds at a time, on each device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tinytf.simulation.execution import Record, Simulator


def peak_memory(
    simulator: Simulator, where: Sequence[int], record: Record, makespan: float
) -> list[float]:
    """The most bytes each device of a simulated execution holds at a time.

    A tensor takes its memory when its node starts and gives it back when its last consumer on the
    device has ended and it has been sent everywhere else; a copy takes memory from the moment it
    is sent. What is `kept` stays to the end. Outputs that share the memory of an input take none,
    and make that input live as long as they do.
    """
    changes: list[list[tuple[float, int, float]]] = [[] for _ in simulator.devices]
    for tensor, device, start, end in _lifetimes(simulator, where, record, makespan):
        size = simulator.work.tensors[tensor].size
        # At one moment memory is first given back, then taken (-1 sorts first)...
        changes[device].append((end, -1, -size))
        changes[device].append((start, 1, size))
    peaks = []
    for moments in changes:
        held = peak = 0.0
        for _, _, change in sorted(moments):
            held += change
            peak = max(peak, held)
        peaks.append(peak)
    return peaks


def _lifetimes(
    simulator: Simulator, where: Sequence[int], record: Record, makespan: float
) -> list[tuple[int, int, float, float]]:
    """(tensor, device, from, to) of every copy of every tensor that has memory of its own."""
    work = simulator.work
    ends: dict[tuple[int, int], float] = {}
    found = []
    for number in range(len(work) - 1, -1, -1):  # consumers, and so views, before what they view
        node, here = work.nodes[number], where[number]
        own_end = record.ends[number]
        for tensor in node.outputs:
            end = makespan if work.tensors[tensor].kept else own_end
            for place in range(len(simulator.devices)):
                last = ends.get((tensor, place), 0.0)
                if place == here:
                    end = max(end, last)
                elif (sent := record.sent.get((tensor, place))) is not None:
                    end = max(end, sent[1])
                    found.append(
                        (tensor, place, sent[0], max(last, record.arrivals[tensor, place]))
                    )
            ends[tensor, here] = end
            if not node.shares_input:
                found.append((tensor, here, record.starts[number], end))
        viewed = node.inputs[0] if node.shares_input else -1
        life = max((ends[t, here] for t in node.outputs), default=own_end)
        for tensor in node.inputs:
            until = life if tensor == viewed else own_end
            ends[tensor, here] = max(ends.get((tensor, here), 0.0), until)
    return found
