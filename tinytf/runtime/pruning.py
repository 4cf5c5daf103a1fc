"""Pruning: the part of the graph that a step needs.

Walk backwards from the fetches and targets, and stop at what is fed. The cost depends only on
what is kept, not on the size of the graph.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable

from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor


def prune(roots: Iterable[Operation], fed: frozenset[Tensor]) -> list[Operation]:
    """The operations that must run so that all `roots` have run.

    Args:
      roots: the operations of fetched tensors, and the targets.
      fed: tensors whose values the caller supplies: their producers are not needed for them.

    Returns:
      the operations in an order in which every producer comes before its consumers (the back
      edges of loops apart); among those that are free to go, the one built first comes first.

    Raises:
      InvalidArgumentError: if the graph has a cycle that is no loop of `while_loop`.
    """
    needed: set[Operation] = set()
    pending = list(roots)
    while pending:
        op = pending.pop()
        if op in needed:
            continue
        needed.add(op)
        for tensor in op.inputs:
            if tensor not in fed:
                pending.append(tensor.op)
        pending.extend(c for c in op.control_inputs if not is_fed_placeholder(c, fed))
    return sort_operations(needed, lambda op: _producers(op, fed))


def _producers(op: Operation, fed: frozenset[Tensor]) -> Iterable[Operation]:
    is_merge = op.type in ("Merge", "RefMerge")
    for tensor in op.inputs:
        if tensor in fed or (is_merge and tensor.op.type.endswith("NextIteration")):
            continue
        yield tensor.op
    yield from (c for c in op.control_inputs if not is_fed_placeholder(c, fed))


def is_fed_placeholder(op: Operation, fed: frozenset[Tensor]) -> bool:
    """Whether waiting for this operation means waiting for a feed.

    As in TensorFlow, a fed placeholder never runs, so who depends on it waits for the feed. Any
    other operation runs for those who wait for it, though its output may be fed.
    """
    return op.type in ("Placeholder", "PlaceholderV2") and op.outputs[0] in fed


def sort_operations(
    ops: set[Operation], producers: Callable[[Operation], Iterable[Operation]]
) -> list[Operation]:
    """Topological order of `ops`, by age where there is a choice."""
    waiting: dict[Operation, int] = {}
    consumers: dict[Operation, list[Operation]] = {}
    ready: list[tuple[int, Operation]] = []
    for op in ops:
        sources = set(producers(op))
        waiting[op] = len(sources)
        for source in sources:
            consumers.setdefault(source, []).append(op)
        if not sources:
            ready.append((op._id, op))
    heapq.heapify(ready)
    order: list[Operation] = []
    while ready:
        _, op = heapq.heappop(ready)
        order.append(op)
        for consumer in consumers.get(op, ()):
            waiting[consumer] -= 1
            if waiting[consumer] == 0:
                heapq.heappush(ready, (consumer._id, consumer))
    if len(order) < len(ops):
        stuck = min((op for op, count in waiting.items() if count > 0), key=lambda op: op._id)
        raise InvalidArgumentError(
            f"The graph has a cycle through {stuck.name!r}, so none of its operations can be the "
            f"first to run. Only tf.while_loop may feed back.\n{stuck.describe_origin()}",
            stuck,
        )
    return order
