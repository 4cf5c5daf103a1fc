"""Cycles that no loop explains: nodes that need each other before any of them can run."""

from __future__ import annotations

from collections.abc import Sequence

from tinytf.jupyter.graph_view_nodes import Node
from tinytf.runtime.frames import MERGE, NEXT_ITERATION


def find_cycles(nodes: Sequence[Node]) -> list[list[int]]:
    """Nodes that need each other, the back edges of loops apart: one way round for each knot."""
    sources = [
        [
            source
            for source, _ in node.edges()
            if not (node.type in MERGE and nodes[source].type in NEXT_ITERATION)
        ]
        for node in nodes
    ]
    cycles = []
    for knot in _knots(sources):
        inside = set(knot)
        way, node = [knot[0]], knot[0]
        while True:
            node = next(source for source in sources[node] if source in inside)
            if node in way:
                cycle = way[way.index(node) :][::-1]
                first = cycle.index(min(cycle))
                cycles.append(cycle[first:] + cycle[:first])
                break
            way.append(node)
    return cycles


def _knots(sources: Sequence[Sequence[int]]) -> list[list[int]]:
    """Tarjan's strongly connected components: those with a cycle, in order."""
    number, low = [0] * len(sources), [0] * len(sources)
    stack: list[int] = []
    on_stack, count, knots = set(), 0, []
    for start in range(len(sources)):
        if number[start]:
            continue
        path = [(start, iter(sources[start]))]
        count += 1
        number[start] = low[start] = count
        stack.append(start)
        on_stack.add(start)
        while path:
            node, rest = path[-1]
            following = next(rest, None)
            if following is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    at = stack.index(node)
                    knot = stack[at:]
                    del stack[at:]
                    on_stack.difference_update(knot)
                    if len(knot) > 1 or node in sources[node]:
                        knots.append(sorted(knot))
            elif not number[following]:
                count += 1
                number[following] = low[following] = count
                stack.append(following)
                on_stack.add(following)
                path.append((following, iter(sources[following])))
            elif following in on_stack:
                low[node] = min(low[node], number[following])
    return sorted(knots)
