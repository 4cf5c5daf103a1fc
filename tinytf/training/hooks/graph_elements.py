"""Tensors that a hook was given, by themselves or by name."""

from __future__ import annotations

from typing import Any

from tinytf.framework.graph import Graph


def graph_element(given: Any, graph: Graph, hook: str) -> Any:
    """What `given` is or names in a graph.

    Args:
      given: a tensor, variable or operation; or a name, "loss:0", or "loss" of an operation with
        one output.
      hook: who asks, for messages.

    Raises:
      ValueError: if it is of another graph, or of none, or "name" has several outputs. KeyError:
        for an unknown name.
    """
    if isinstance(given, str):
        return _named(given, graph, hook)
    of = getattr(given, "graph", None)
    if of is None:
        raise ValueError(
            f"{hook} takes tensors of the graph, or their names. Passed {given!r} should have "
            f"graph attribute that is equal to current graph, and is a {type(given).__name__}"
        )
    if of is not graph:
        origin = given.op.describe_origin() if hasattr(given, "op") else repr(given)
        raise ValueError(
            f"{hook} was given a tensor of another graph. Passed {given} should have graph "
            f"attribute that is equal to current graph: {origin}\nThe session's graph is the "
            f"default graph at the place where the session is made; tf.reset_default_graph(), or a "
            f"cell that was run again, makes another one. Build the hook anew, too."
        )
    return given


def _named(name: str, graph: Graph, hook: str) -> Any:
    if ":" in name:
        return graph.as_graph_element(name)
    found = graph.as_graph_element(name + ":0")
    if len(found.op.outputs) > 1:
        raise ValueError(
            f"Name {name} is ambiguous, as this `Operation` has multiple outputs (at least 2): "
            f"{hook} takes {', '.join(each.name for each in found.op.outputs)}"
        )
    return found
