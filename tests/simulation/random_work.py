"""Random work on random machines, and the best that can be done with it."""

import itertools

from tinytf.simulation.clusters import clustered
from tinytf.simulation.execution import NEVER, Simulator
from tinytf.simulation.machine import Link, Machine
from tinytf.simulation.search import Groups, greedy, search
from tinytf.simulation.work import Work

EFFORT = 250_000


def random_groups(rng, most_nodes=10):
    """Up to ten nodes on two or three devices: anything from independent nodes to dense graphs,
    from transfers that cost nothing to such that cost ten times a node's work; devices that are
    equal and such that differ 25 times, or cannot run a node; groups of two; shared links."""
    count = rng.randint(2, most_nodes)
    devices = "abc"[: rng.choice((2, 2, 3))]
    density = rng.choice((0.1, 0.25, 0.5, 0.8))
    transfer = 10 ** rng.uniform(-3, 1)
    are_equal = rng.random() < 0.5
    work = Work()
    for number in range(count):
        base = 10 ** rng.uniform(-1, 1)
        seconds = {d: base * (1 if are_equal else rng.uniform(0.2, 5)) for d in devices}
        for device in devices[1:]:
            if rng.random() < 0.1:
                del seconds[device]
        inputs = [str(other) for other in range(number) if rng.random() < density]
        work.add(str(number), seconds, inputs, outputs=[transfer * 10 ** rng.uniform(-1, 1)])
    latency, handling = rng.choice((0, 0.1)), rng.choice((0, 0, 0.05))
    shared = Link(latency, 1.0, handling)
    is_shared = rng.random() < 0.3
    machine = Machine(
        dict.fromkeys(devices),
        lambda source, target: shared if is_shared else Link(latency, 1.0, handling),
    )
    simulator = Simulator(work, machine)
    members = [[number] for number in range(count)]
    if count > 3 and rng.random() < 0.3:
        pair = sorted(rng.sample(range(count), 2))
        members = [m for m in members if m[0] not in pair] + [pair]
    feasible = [
        [d for d in range(len(devices)) if all(simulator.seconds[n][d] < NEVER for n in nodes)]
        for nodes in members
    ]
    return Groups(simulator, members, feasible)


def best_possible(groups):
    """The least makespan of all choices there are: none is left out that could be it."""
    best = min(groups.makespan(choice) for choice in _starts(groups))
    return _Branches(groups, best).best_below([])


def every_makespan(groups):
    """The makespans of all choices there are."""
    return (groups.makespan(list(choice)) for choice in itertools.product(*groups.feasible))


class _Branches:
    """All choices as a tree, a group a level; whole branches that cannot be better are left out.

    A branch takes at least as long as its busiest device, and as the longest chain of nodes and
    transfers; groups that have no place yet are wherever that costs least.
    """

    def __init__(self, groups, best):
        self.groups, self.best = groups, best
        self.simulator, self.work = groups.simulator, groups.simulator.work
        self.least = [min(seconds) for seconds in self.simulator.seconds]

    def best_below(self, choice):
        """The least makespan of all that begin with this choice, or the least there is so far."""
        if self._at_least(choice) > self.best * (1 + 1e-9):  # sums are rounded
            return self.best
        if len(choice) == len(self.groups.feasible):
            self.best = min(self.best, self.groups.makespan(choice))
            return self.best
        for device in self.groups.feasible[len(choice)]:
            self.best_below([*choice, device])
        return self.best

    def _at_least(self, choice):
        where = [choice[g] if g < len(choice) else None for g in self.groups.of]
        busy, ends = [0.0] * len(self.simulator.devices), []
        for number, node in enumerate(self.work.nodes):
            device, begun = where[number], 0.0
            for tensor in (self.work.tensors[t] for t in node.inputs):
                there = ends[tensor.producer]
                source = where[tensor.producer]
                if None not in (device, source) and device != source:
                    there += self.simulator.link(source, device).seconds(tensor.size)
                begun = max(begun, there)
            if device is None:
                ends.append(begun + self.least[number])
            else:
                ends.append(begun + self.simulator.seconds[number][device])
                busy[device] += self.simulator.seconds[number][device]
        return max(*busy, *ends)


def _starts(groups):
    """Where a search may begin."""
    starts = [greedy(groups)[0], clustered(groups), greedy(groups, by_rank=True)[0]]
    for device in range(len(groups.limits)):
        starts.append([device if device in f else f[0] for f in groups.feasible])
    return starts


def found_by_search(groups):
    """The makespans of the greedy walk, and of what the search makes of it and of other starts."""
    walked, _ = greedy(groups)
    choice, _ = search(groups, _starts(groups), EFFORT)
    return groups.makespan(walked), groups.makespan(choice)
