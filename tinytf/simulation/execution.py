"""The simulated execution: what runs when, if every node is on the device it was put on.

Every device runs what is ready, one node at a time; a tensor that is wanted on another device
travels there once, however many nodes take it there; a link carries one tensor at a time.

The clock of this world is a heap of what ends next. simpy could keep it too, and is nicer where
processes tell a story (a parameter server that answers its workers). Here there is one rule, and
the placer asks for thousands of executions: a plain heap runs one about ten times as fast, and
needs no optional package.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tinytf.simulation.machine import NO_LINK, Link, Machine
from tinytf.simulation.work import Work

#: A place where a node cannot run.
NEVER = float("inf")


@dataclass(frozen=True, slots=True)
class Run:
    """One node on its device; times in seconds from the start of the execution."""

    name: str
    device: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Transfer:
    """One tensor on its way: it occupies the link from `start` to `sent`, and is there at `end`."""

    producer: str
    source: str
    destination: str
    size: float
    start: float
    sent: float
    end: float


@dataclass(frozen=True, slots=True)
class Execution:
    """What happened, in virtual time.

    Attributes:
      makespan: when the last node ended, in seconds.
      runs: in the order of the nodes of the work. transfers: in the order they started.
      peak_memory: the most bytes each device held at a time.
      critical: the chain of nodes that made it take so long: each waited for the one before it, its
        tensor or its device.
    """

    makespan: float
    runs: tuple[Run, ...]
    transfers: tuple[Transfer, ...]
    peak_memory: Mapping[str, float]
    critical: tuple[str, ...]

    def busy(self) -> dict[str, float]:
        """Device -> the share of the time in which it ran something."""
        total: dict[str, float] = {}
        for run in self.runs:
            total[run.device] = total.get(run.device, 0.0) + run.end - run.start
        return {device: time / (self.makespan or 1.0) for device, time in total.items()}

    def __repr__(self) -> str:
        return (
            f"<simulated execution: {len(self.runs)} nodes in {self.makespan * 1e3:.3f} ms, "
            f"{len(self.transfers)} transfers of {sum(t.size for t in self.transfers):,.0f} bytes>"
        )


@dataclass(slots=True)
class Record:
    """What `Simulator.run` notes down when asked: by node, by (tensor, device), by link."""

    starts: list[float]
    ends: list[float]
    arrivals: dict[tuple[int, int], float] = field(default_factory=dict)
    sent: dict[tuple[int, int], tuple[float, float]] = field(default_factory=dict)


class Simulator:
    """One work on one machine, to be executed again and again with nodes on different devices.

    Nodes and devices are numbers here: `run` is the inner loop of the placer.

    Args:
      work, machine: see there.
      priority: of each node: of the nodes that are ready on a device the one with the smallest
        number runs first. None: first come, first served; then in the order of the work.

    Attributes:
      devices: the names, by number. seconds: by node, then device; infinite where it cannot run.
    """

    def __init__(self, work: Work, machine: Machine, priority: Sequence[float] | None = None):
        self.work, self.machine = work, machine
        self.priority = priority
        self.devices = list(machine.devices)
        self.seconds = [
            [node.seconds.get(d, NEVER) for d in self.devices]
            if isinstance(node.seconds, Mapping)
            else [node.seconds] * len(self.devices)
            for node in work.nodes
        ]
        self._waits_for = [len(node.inputs) for node in work.nodes]
        self._gives = [
            [
                (tensor, work.tensors[tensor].size, work.tensors[tensor].consumers)
                for tensor in work.sent_when_ended(number)
                if work.tensors[tensor].consumers
            ]
            for number in range(len(work))
        ]
        self._links: list[list[Link | None]] = [[None] * len(self.devices) for _ in self.devices]
        self._is_handled = False
        #: what the links of the last run were asked to do, in seconds
        self.traffic = 0.0
        self._sources = [n for n, count in enumerate(self._waits_for) if not count]

    def link(self, source: int, destination: int) -> Link:
        """The link from one device to another, by their numbers; ValueError if there is none."""
        link = self._links[source][destination]
        if link is None:
            link = NO_LINK
            if source != destination:
                link = self.machine.link(self.devices[source], self.devices[destination])
            self._links[source][destination] = link
            self._is_handled |= link.handling > 0
        return link

    def run(self, where: Sequence[int], record: Record | None = None) -> float:
        """The makespan with node n on device where[n]; infinite if one cannot run there."""
        seconds, priority = self.seconds, self.priority
        waiting = self._waits_for.copy()
        ready: list[list[tuple[float, int]]] = [[] for _ in self.devices]
        idle = [True] * len(self.devices)
        free_links: dict[Link, float] = {}
        for node in self._sources:
            ready[where[node]].append((priority[node] if priority else 0.0, node))
        for queue in ready:
            heapq.heapify(queue)
        touched = set(range(len(self.devices)))
        #: (when, node that ends, -1), (when, tensor that arrives, device), (when, -1, idle device)
        events: list[tuple[float, int, int]] = []
        opened: set[tuple[int, int]] = set()
        now = self.traffic = 0.0
        while True:
            for device in touched:
                if idle[device] and ready[device]:
                    node = heapq.heappop(ready[device])[1]
                    idle[device] = False
                    end = now + seconds[node][device]
                    if self._is_handled:
                        end += self._receive(node, where, opened)
                    heapq.heappush(events, (end, node, -1))
                    if record:
                        record.starts[node] = now
            if not events:
                return now
            touched.clear()
            now = events[0][0]
            while events and events[0][0] == now:
                _, number, device = heapq.heappop(events)
                if number < 0:
                    idle[device] = True
                    touched.add(device)
                    continue
                if device < 0:
                    device = where[number]
                    if record:
                        record.ends[number] = now
                    arrived, free = self._send(number, now, where, events, free_links, record)
                    if free > now:
                        heapq.heappush(events, (free, -1, device))
                    else:
                        idle[device] = True
                        touched.add(device)
                else:
                    arrived = [n for n in self.work.tensors[number].consumers if where[n] == device]
                for node in arrived:
                    waiting[node] -= 1
                    if not waiting[node]:
                        at = where[node]
                        heapq.heappush(ready[at], (priority[node] if priority else now, node))
                        touched.add(at)

    def _send(
        self,
        node: int,
        now: float,
        where: Sequence[int],
        events: list[tuple[float, int, int]],
        free_links: dict[Link, float],
        record: Record | None,
    ) -> tuple[list[int], float]:
        """Send what a node gives to where it is wanted.

        Returns:
          Who takes it on its own device, and when that has done with sending.
        """
        here = where[node]
        there: list[int] = []
        for tensor, size, consumers in self._gives[node]:
            asked = 0  # devices that it was sent to, as bits
            for consumer in consumers:
                device = where[consumer]
                if device == here:
                    there.append(consumer)
                elif not asked >> device & 1:
                    asked |= 1 << device
                    link = self._links[here][device] or self.link(here, device)
                    self.traffic += link.seconds(size)
                    now += link.handling
                    start = max(now, free_links.get(link, 0.0))
                    free_links[link] = sent = start + size / link.bandwidth
                    heapq.heappush(events, (sent + link.latency, tensor, device))
                    if record:
                        record.sent[tensor, device] = (start, sent)
                        record.arrivals[tensor, device] = sent + link.latency
        return there, now

    def _receive(self, node: int, where: Sequence[int], opened: set[tuple[int, int]]) -> float:
        """How long a device is busy with what came from elsewhere, for the first who takes it."""
        here, busy = where[node], 0.0
        for tensor in self.work.nodes[node].inputs:
            source = where[self.work.tensors[tensor].producer]
            if source != here and (tensor, here) not in opened:
                opened.add((tensor, here))
                busy += self.link(source, here).handling
        return busy

    def places(self, placement: Mapping[str, str]) -> list[int]:
        """The device of each node, as numbers; ValueError if a node cannot be there."""
        numbers = {device: number for number, device in enumerate(self.devices)}
        where = []
        for number, node in enumerate(self.work.nodes):
            device = numbers.get(placement.get(node.name, ""))
            if device is None or self.seconds[number][device] == NEVER:
                can = [d for d in self.devices if self.seconds[number][numbers[d]] < NEVER]
                raise ValueError(
                    f"Node {node.name!r} was put on {placement.get(node.name)!r}, and can run on "
                    f"{can}"
                )
            where.append(device)
        return where

    def record(self, where: Sequence[int]) -> tuple[float, Record]:
        """The makespan, and the times of everything."""
        record = Record([0.0] * len(self.work), [0.0] * len(self.work))
        return self.run(where, record), record

    def critical_chain(self, where: Sequence[int], record: Record) -> list[int]:
        """The nodes that made it take so long, from the last to the first.

        Each waited for the next one in the list: for its tensor or, if that came before the device
        was free, for its device.
        """
        if not self.work.nodes:
            return []
        before: dict[int, int] = {}  # who ran on the device before it
        last = [-1] * len(self.devices)
        for n in sorted(range(len(where)), key=lambda n: (record.starts[n], record.ends[n])):
            before[n], last[where[n]] = last[where[n]], n
        node = max(range(len(where)), key=lambda n: (record.ends[n], record.starts[n]))
        chain = [node]
        while True:
            previous = before[node]
            waited = [(at, producer) for producer, at in self._inputs(node, where, record)]
            if previous >= 0:
                waited.append((record.ends[previous], previous))
            if not waited:
                return chain
            chain.append(node := max(waited)[1])

    def _inputs(self, node: int, where: Sequence[int], record: Record) -> list[tuple[int, float]]:
        """(producer, when its tensor was there) of the inputs of a node."""
        found = []
        for number in self.work.nodes[node].inputs:
            producer = self.work.tensors[number].producer
            at = record.arrivals.get((number, where[node]), record.ends[producer])
            found.append((producer, at))
        return found


def simulate(
    work: Work,
    machine: Machine,
    placement: Mapping[str, str],
    priority: Sequence[float] | None = None,
) -> Execution:
    """Execute work on a machine in virtual time.

    Args:
      work, machine: see there. placement: node -> device, by their names.
      priority: see `Simulator`.

    Raises:
      ValueError: if a node has no place, or is on a device that is not there or cannot run it.

    Example:
      >>> from tinytf.simulation.execution import simulate
      >>> from tinytf.simulation.machine import Link, Machine
      >>> from tinytf.simulation.work import Work
      >>> work = Work()
      >>> work.add("a", 1.0, outputs=[1e9])
      >>> work.add("b", 2.0, inputs=["a"])
      >>> work.add("c", 2.0, inputs=["a"])
      >>> machine = Machine({"one": None, "two": None}, lambda a, b: Link(0.5, bandwidth=1e9))
      >>> simulate(work, machine, {"a": "one", "b": "one", "c": "one"}).makespan
      5.0
      >>> simulate(work, machine, {"a": "one", "b": "one", "c": "two"}).makespan
      4.5
    """
    from tinytf.simulation.memory import peak_memory

    simulator = Simulator(work, machine, priority)
    where = simulator.places(placement)
    makespan, record = simulator.record(where)
    names, nodes = simulator.devices, work.nodes
    runs = tuple(
        Run(node.name, names[d], start, end)
        for node, d, start, end in zip(nodes, where, record.starts, record.ends, strict=True)
    )
    transfers = tuple(
        Transfer(
            nodes[work.tensors[t].producer].name,
            names[where[work.tensors[t].producer]],
            names[d],
            work.tensors[t].size,
            start,
            sent,
            record.arrivals[t, d],
        )
        for (t, d), (start, sent) in record.sent.items()
    )
    peaks = dict(zip(names, peak_memory(simulator, where, record, makespan), strict=True))
    chain = simulator.critical_chain(where, record)
    return Execution(
        makespan, runs, transfers, peaks, tuple(nodes[n].name for n in reversed(chain))
    )
