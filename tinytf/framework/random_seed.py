"""Which seeds a random op gets, from the graph's seed and its own.

Mirrors `tensorflow/python/framework/random_seed.py`. Both seeds become attributes of the node,
so a program that is run again, or sent to a server, draws the same numbers.
"""

from __future__ import annotations

import weakref

from tinytf.framework.graph import Graph
from tinytf.framework.stacks import get_default_graph

#: The graph seed where only the op has one.
DEFAULT_GRAPH_SEED = 87654321
_LIMIT = 2**31 - 1

#: graph -> how many of its ops took their seed from this counter
_counts: weakref.WeakKeyDictionary[Graph, int] = weakref.WeakKeyDictionary()


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds of the next random op (TensorFlow: `tf.get_seed`).

    Args:
      op_seed: what the caller of the op gave.

    Returns:
      (graph seed, op seed). (None, None) if neither is set: other numbers in every session. If
      only the graph's is set, its first random op gets 0, the next one 1, and so on.

    Example:
      >>> tf.get_seed(3)
      (87654321, 3)
    """
    graph = get_default_graph()
    graph_seed = graph.seed
    if graph_seed is None:
        if op_seed is None:
            return None, None
        graph_seed = DEFAULT_GRAPH_SEED
    elif op_seed is None:
        op_seed = _counts.get(graph, 0)
        _counts[graph] = op_seed + 1
    seeds = graph_seed % _LIMIT, op_seed % _LIMIT
    # Two zeros mean "not seeded" to the op.
    return seeds if seeds != (0, 0) else (0, _LIMIT)


def set_random_seed(seed: int | None) -> None:
    """Set the seed of the default graph (TensorFlow: `tf.set_random_seed`).

    It holds for the random ops built afterwards. Each session draws the same numbers again.

    Args:
      seed: a whole number, or None.

    Example:
      >>> tf.set_random_seed(42)
    """
    get_default_graph().seed = seed
