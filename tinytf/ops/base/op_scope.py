"""The name scope that a public function opens around the nodes it builds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tinytf.framework.op_builder import graph_of_arguments
from tinytf.framework.scopes import text_of
from tinytf.framework.stacks import get_default_graph


class op_scope:
    """Enter the scope of a function that builds several nodes, in the graph of its inputs.

    What TensorFlow's functions do with `ops.name_scope(name, default_name, values)`. A function
    that builds a single node needs no scope: its card names the constants of its inputs itself.

    Args:
      name: what the caller asked for, or None; "" is the root scope.
      default: the name otherwise.
      values: the inputs; the first tensor among them (or in a list of them) tells the graph.

    Example:
      with op_scope(name, "transpose", (a,)) as scope:
          ...
          return _transpose(a, perm, name=scope)  # ends in "/": the node takes the scope's name
    """

    __slots__ = ("_default", "_graph", "_name", "_pushed", "_saved")

    def __init__(self, name: str | None, default: str, values: Iterable[Any] = ()):
        if type(name) is not str:
            name = text_of(name)
        self._name = default if name is None else name
        self._graph = graph_of_arguments(tuple(values))
        self._pushed: Any = None

    def __enter__(self) -> str:
        graph, name = self._graph, self._name
        if get_default_graph() is not graph:
            self._pushed = graph.as_default()
            self._pushed.__enter__()
        self._saved = graph._scopes.name
        if not name:
            full = ""
        else:
            full = name[:-1] if name.endswith("/") else graph.unique_name(name)
        graph._scopes.name = full
        return full + "/" if full else ""

    def __exit__(self, *details: Any) -> None:
        self._graph._scopes.name = self._saved
        if self._pushed is not None:
            self._pushed.__exit__(*details)
