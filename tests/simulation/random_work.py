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
    """The least makespan of all choices there are."""
    return min(groups.makespan(list(choice)) for choice in itertools.product(*groups.feasible))


def found_by_search(groups):
    """The makespans of the greedy walk, and of what the search makes of it and of other starts."""
    walked, _ = greedy(groups)
    starts = [walked, clustered(groups), greedy(groups, by_rank=True)[0]]
    for device in range(len(groups.limits)):
        starts.append([device if device in f else f[0] for f in groups.feasible])
    choice, _ = search(groups, starts, EFFORT)
    return groups.makespan(walked), groups.makespan(choice)
