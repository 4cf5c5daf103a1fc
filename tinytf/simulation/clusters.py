"""A start for the search that sees whole paths: chains of nodes that had better stay together.

The longest way through the work is one cluster, the longest through what is left the next, and so
on ("linear clustering"). The clusters are then dealt out to the devices, the largest first, to
where there is least to do and little to move.
"""

from __future__ import annotations

from collections import Counter

from tinytf.simulation.search import Choice, Groups, ranks


def clustered(groups: Groups) -> Choice:
    """Each cluster on the device that has least to do with it, transfers to others included."""
    simulator = groups.simulator
    devices = range(len(simulator.devices))
    choice: Choice = [-1] * len(groups.members)
    load = [0.0] * len(simulator.devices)
    clusters = [list(dict.fromkeys(groups.of[n] for n in nodes)) for nodes in paths(groups)]
    seconds = [
        [sum(simulator.seconds[n][d] for n in nodes) for d in devices] for nodes in groups.members
    ]

    def heaviness(cluster: list[int]) -> float:
        return -sum(min(seconds[group]) for group in cluster)

    for cluster in sorted(clusters, key=heaviness):
        left = [group for group in cluster if choice[group] < 0]
        bytes_with = _exchanged(groups, left, choice)
        costs = []
        for device in devices:
            cost = load[device]
            for group in left:
                there = device if device in groups.feasible[group] else groups.feasible[group][0]
                cost += seconds[group][there]
            for (other, _), size in bytes_with.items():
                if other != device:
                    cost += simulator.link(other, device).seconds(size)
            costs.append(cost)
        best = min(devices, key=costs.__getitem__)
        for group in left:
            feasible = groups.feasible[group]
            choice[group] = best if best in feasible else feasible[0]
            load[choice[group]] += seconds[group][choice[group]]
    return choice


def paths(groups: Groups) -> list[list[int]]:
    """The nodes, as paths: each the longest through what the ones before it have left."""
    work = groups.simulator.work
    rank = ranks(groups.simulator)
    taken = [False] * len(work)
    found = []
    for first in sorted(range(len(work)), key=lambda n: (-rank[n], n)):
        node, path = first, []
        while node >= 0 and not taken[node]:
            taken[node] = True
            path.append(node)
            next_ones = {
                consumer
                for tensor in work.sent_when_ended(node)
                for consumer in work.tensors[tensor].consumers
                if not taken[consumer]
            }
            node = max(next_ones, key=lambda n: (rank[n], -n), default=-1)
        if path:
            found.append(path)
    return found


def _exchanged(groups: Groups, cluster: list[int], choice: Choice) -> Counter[tuple[int, int]]:
    """(device, tensor) -> bytes that would go between a cluster and what is placed already."""
    work, among = groups.simulator.work, set(cluster)
    found: Counter[tuple[int, int]] = Counter()
    for group in cluster:
        for node in groups.members[group]:
            for number in work.nodes[node].inputs:
                tensor = work.tensors[number]
                other = groups.of[tensor.producer]
                if other not in among and choice[other] >= 0:
                    found[choice[other], number] = int(tensor.size)
            for number in work.sent_when_ended(node):
                tensor = work.tensors[number]
                for other in {groups.of[consumer] for consumer in tensor.consumers}:
                    if other not in among and choice[other] >= 0:
                        found[choice[other], number] = int(tensor.size)
    return found
