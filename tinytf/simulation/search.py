"""Looking for a good placement of work: a greedy walk, then moves that make the step shorter."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator, Mapping, Sequence

from tinytf.simulation.execution import NEVER, Simulator
from tinytf.simulation.memory import peak_memory

#: A device for each group, as numbers.
Choice = list[int]
#: How good a choice is: bytes beyond the devices' memory, then the makespan, with some of the
#: traffic added. Less is better.
Value = tuple[float, float]

#: What of the traffic counts: of two steps that take as long the one that moves less is better,
#: and what seems to be hidden behind other work in a model may not be in reality.
TRAFFIC = 0.02

#: Up to so many, all pairs of groups are moved together.
_FEW_PAIRS = 4_000


class Groups:
    """Work whose nodes are placed in groups.

    Args:
      simulator: the work and the machine.
      members: for each group the numbers of its nodes; every node is in one group.
      feasible: for each group the devices it may be on, as numbers, the preferred first.
    """

    def __init__(
        self,
        simulator: Simulator,
        members: Sequence[Sequence[int]],
        feasible: Sequence[Sequence[int]],
    ):
        self.simulator, self.members, self.feasible = simulator, members, feasible
        self.of = [0] * len(simulator.work)
        for group, nodes in enumerate(members):
            for node in nodes:
                self.of[node] = group
        self.limits = [simulator.machine.devices[name] for name in simulator.devices]
        self._is_memory_bounded = self._could_exceed()
        #: nodes that were simulated so far
        self.spent = 0

    def _could_exceed(self) -> bool:
        """Whether the limits could matter: copies of all tensors may be on one device at once."""
        total = sum(tensor.size for tensor in self.simulator.work.tensors)
        return any(limit is not None and limit < total for limit in self.limits)

    def where(self, choice: Choice) -> list[int]:
        """The device of every node."""
        return [choice[group] for group in self.of]

    def value(self, choice: Choice) -> Value:
        """How good a choice is, by a simulated execution."""
        where = self.where(choice)
        self.spent += len(where)
        if not self._is_memory_bounded:
            makespan = self.simulator.run(where)
            return 0.0, makespan + TRAFFIC * self.simulator.traffic
        makespan, record = self.simulator.record(where)
        peaks = peak_memory(self.simulator, where, record, makespan)
        pairs = zip(peaks, self.limits, strict=True)
        over = sum(max(0.0, peak - limit) for peak, limit in pairs if limit is not None)
        return over, makespan + TRAFFIC * self.simulator.traffic

    def makespan(self, choice: Choice) -> float:
        """The makespan alone."""
        return self.simulator.run(self.where(choice))

    def overfull(self, choice: Choice) -> set[int]:
        """The devices that would need more memory than they have."""
        where = self.where(choice)
        makespan, record = self.simulator.record(where)
        peaks = peak_memory(self.simulator, where, record, makespan)
        pairs = enumerate(zip(peaks, self.limits, strict=True))
        return {d for d, (peak, limit) in pairs if limit is not None and peak > limit}


# The greedy walk --------------------------------------------------------------------------------


def greedy(groups: Groups, by_rank: bool = False) -> tuple[Choice, list[Mapping[int, float]]]:
    """Walk the work as it would run, and put each group where it would end first.

    When a node of a group is reached that has no place yet, every feasible device is tried: when
    would its inputs be there, when would the device be free, how long does it take there? The
    other nodes of the group, which will have to run there as well, are added to that.

    Args:
      by_rank: reach nodes by the longest way from them to the end, not by when they are ready.

    Returns:
      The choice, and for each group when it would have ended, by device.
    """
    return _Walk(groups, by_rank).run()


class _Walk:
    def __init__(self, groups: Groups, by_rank: bool):
        self.groups, self.simulator = groups, groups.simulator
        self.work = groups.simulator.work
        self.rank = ranks(self.simulator) if by_rank else None
        self.free = [0.0] * len(self.simulator.devices)
        self.ends = [0.0] * len(self.work)
        self.arrivals: dict[tuple[int, int], float] = {}
        self.choice: Choice = [-1] * len(groups.members)
        self.estimates: list[Mapping[int, float]] = [{} for _ in groups.members]
        self.held = [0.0] * len(self.simulator.devices)

    def run(self) -> tuple[Choice, list[Mapping[int, float]]]:
        waiting = [len(node.inputs) for node in self.work.nodes]
        ready = [(self._key(n), n) for n, count in enumerate(waiting) if not count]
        heapq.heapify(ready)
        while ready:
            node = heapq.heappop(ready)[1]
            self._place(node)
            for tensor in self.work.sent_when_ended(node):
                for consumer in self.work.tensors[tensor].consumers:
                    waiting[consumer] -= 1
                    if not waiting[consumer]:
                        heapq.heappush(ready, (self._key(consumer), consumer))
        return self.choice, self.estimates

    def _key(self, node: int) -> float:
        if self.rank is not None:
            return -self.rank[node]
        tensors = self.work.tensors
        return max(
            (self.ends[tensors[t].producer] for t in self.work.nodes[node].inputs), default=0.0
        )

    def _place(self, node: int) -> None:
        group = self.groups.of[node]
        if self.choice[group] < 0:
            self._choose(group, node)
        device = self.choice[group]
        end = self._end(node, device)
        for tensor in self.work.nodes[node].inputs:
            if (tensor, device) not in self.arrivals:
                self.arrivals[tensor, device] = self._arrival(tensor, device)
                source = self.choice[self.groups.of[self.work.tensors[tensor].producer]]
                self.free[source] += self.simulator.link(source, device).handling
        self.ends[node] = self.free[device] = end

    def _choose(self, group: int, node: int) -> None:
        seconds, members = self.simulator.seconds, self.groups.members[group]
        rest = {
            device: sum(seconds[other][device] for other in members) - seconds[node][device]
            for device in self.groups.feasible[group]
        }
        self.estimates[group] = ends = {d: self._end(node, d) + more for d, more in rest.items()}
        state = sum(
            self.work.tensors[t].size
            for n in members
            for t in self.work.nodes[n].outputs
            if self.work.tensors[t].kept
        )
        limits = self.groups.limits
        fits = [d for d in ends if (limit := limits[d]) is None or self.held[d] + state <= limit]
        best = min(fits or ends, key=lambda device: ends[device])
        self.choice[group] = best
        self.held[best] += state

    def _end(self, node: int, device: int) -> float:
        inputs = self.work.nodes[node].inputs
        there = max((self._arrival(tensor, device) for tensor in inputs), default=0.0)
        return max(there, self.free[device]) + self.simulator.seconds[node][device]

    def _arrival(self, tensor: int, device: int) -> float:
        producer = self.work.tensors[tensor].producer
        source = self.choice[self.groups.of[producer]]
        if source == device:
            return self.ends[producer]
        known = self.arrivals.get((tensor, device))
        if known is not None:
            return known
        return self.ends[producer] + self.simulator.link(source, device).seconds(
            self.work.tensors[tensor].size
        )


def ranks(simulator: Simulator) -> list[float]:
    """Of each node the longest way to the end, in mean seconds, a transfer with each step."""
    work = simulator.work
    routes = itertools.permutations(range(len(simulator.devices)), 2)
    pairs = [simulator.link(*route) for route in routes]
    found = [0.0] * len(work)
    for number in range(len(work) - 1, -1, -1):
        possible = [s for s in simulator.seconds[number] if s < NEVER]
        longest = 0.0
        for t in work.sent_when_ended(number):
            tensor = work.tensors[t]
            if tensor.consumers:
                sent = sum(link.seconds(tensor.size) for link in pairs) / (len(pairs) or 1)
                # Half of what a transfer costs: it may well turn out not to be needed.
                after = max(found[consumer] for consumer in tensor.consumers)
                longest = max(longest, after + sent / 2)
        found[number] = longest + sum(possible) / (len(possible) or 1)
    return found


# The moves --------------------------------------------------------------------------------------


def improve(groups: Groups, choice: Choice, effort: float) -> tuple[Choice, Value]:
    """Move groups while that makes the simulated step shorter (or fits the memory).

    Only what is in the chain of nodes that makes the step so long is worth moving: one of its
    groups, a stretch of it, or one of them in exchange for another group. Where there are few
    groups, all pairs are tried.

    Args:
      effort: how many nodes may be simulated.
    """
    choice = list(choice)
    value = groups.value(choice)
    limit = groups.spent + effort
    improved = True
    while improved and groups.spent < limit:
        improved = False
        for move in _moves(groups, choice, value):
            trial = choice.copy()
            for group, device in move.items():
                trial[group] = device
            reached = groups.value(trial)
            if reached[0] < value[0] or (
                reached[0] == value[0] and reached[1] < value[1] * (1 - 1e-9)
            ):
                choice, value, improved = trial, reached, True
                break
            if groups.spent >= limit:
                break
    return choice, value


def _moves(groups: Groups, choice: Choice, value: Value) -> Iterator[dict[int, int]]:
    feasible = groups.feasible
    chain = _worth_moving(groups, choice, value)
    for group in chain:
        for device in feasible[group]:
            if device != choice[group]:
                yield {group: device}
    length = 2
    while length <= len(chain):
        for first in range(0, len(chain) - length + 1, max(1, length // 2)):
            stretch = chain[first : first + length]
            for device in range(len(groups.limits)):
                move = {g: device for g in stretch if device in feasible[g]}
                if any(choice[g] != device for g in move):
                    yield move
        length *= 2
    count = len(groups.members)
    if count * (count - 1) // 2 * len(groups.limits) ** 2 <= _FEW_PAIRS:
        for a, b in itertools.combinations(range(count), 2):
            for x, y in itertools.product(feasible[a], feasible[b]):
                if x != choice[a] and y != choice[b]:
                    yield {a: x, b: y}
        return
    yield from _beside_neighbours(groups, choice)
    for a in chain:
        for b in range(count):
            x, y = choice[a], choice[b]
            if x != y and y in feasible[a] and x in feasible[b]:
                yield {a: y, b: x}


def _beside_neighbours(groups: Groups, choice: Choice) -> Iterator[dict[int, int]]:
    """Groups that take or give a tensor from or to another device: each to that device."""
    found: dict[tuple[int, int], None] = {}
    for tensor in groups.simulator.work.tensors:
        a = groups.of[tensor.producer]
        for b in {groups.of[consumer] for consumer in tensor.consumers}:
            if choice[a] != choice[b]:
                found[a, choice[b]] = found[b, choice[a]] = None
    for group, device in found:
        if device in groups.feasible[group]:
            yield {group: device}


def _worth_moving(groups: Groups, choice: Choice, value: Value) -> list[int]:
    """Groups in the order in which moving them may help most."""
    where = groups.where(choice)
    if value[0] > 0:
        full = groups.overfull(choice)
        return [group for group, device in enumerate(choice) if device in full]
    _, record = groups.simulator.record(where)
    groups.spent += len(where)
    chain = groups.simulator.critical_chain(where, record)
    found = dict.fromkeys(groups.of[node] for node in chain)
    return [group for group in found if len(groups.feasible[group]) > 1]


def search(groups: Groups, starts: Sequence[Choice], effort: float) -> tuple[Choice, Value]:
    """The best choice that can be reached from any of the starts; ties go to the earlier one.

    Every start gets its share of the effort, the best of them first.
    """
    valued = sorted((groups.value(start), number) for number, start in enumerate(starts))
    best_value, number = valued[0]
    best = list(starts[number])
    seen = set()
    for place, (_, number) in enumerate(valued):
        if tuple(starts[number]) in seen or effort <= 0:
            continue
        seen.add(tuple(starts[number]))
        before = groups.spent
        share = effort / 2 if place < len(valued) - 1 else effort
        choice, value = improve(groups, starts[number], share)
        effort -= groups.spent - before
        if value < best_value:
            best, best_value = choice, value
    return best, best_value
