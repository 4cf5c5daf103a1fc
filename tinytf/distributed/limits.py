"""How much of a server whoever connects may take: each limit is a number in one place.

What a graph computes with cannot be told beforehand (`tf.zeros([10**12])` is a short message):
for the memory and the processor time of a server ask the operating system (docs/safety.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.errors import OpError, ResourceExhaustedError
from tinytf.protos import graph_pb2

#: What protobuf can hold.
MOST_MESSAGE_BYTES = (1 << 31) - 1
TOO_MANY_SESSIONS = (
    "Too many open sessions",
    "Close yours; tf.Session.reset(target) closes those that clients have left behind.",
)
TOO_MANY_SIGNATURES = (
    "Too many different steps in a session",
    "A program that builds operations in a loop makes a new one each time: build them once "
    "(Graph.finalize finds where).",
)
TOO_MANY_PARTIAL_RUNS = (
    "Too many partial runs in a session",
    "Fetch what is left of those that have begun.",
)
TOO_MANY_STEPS = (
    "Too many steps on this task",
    "Its masters have to clean up those that are over (CleanupGraph).",
)
_POINTER_BYTES = 8


@dataclass(frozen=True)
class Limits:
    """What a server takes on; more is refused with ResourceExhaustedError, with both numbers.

    Attributes:
      message_bytes: of one request, or response.
      calls: answered at a time.
      sessions: open at a time, of all clients; as many again for other masters.
      nodes: of one session's graph, those in its functions included.
      unfolded_bytes: of one graph's constants that are written shorter than they are ("one value
        for all elements").
      signatures: sets of fetches and feeds that a session has run, and callables, each; also the
        parts of steps that a master has registered.
      partial_runs: of a session, begun and not ended.
      steps: that other masters have begun here and not cleaned up.
      session_tensors: that a session keeps on one task for its handles.

    Raises:
      ValueError: for a number that is no positive integer.

    Example:
      >>> tf.train.Server({"a": ["localhost:0"]}, limits=Limits(sessions=40))
    """

    message_bytes: int = MOST_MESSAGE_BYTES
    calls: int = 1024
    sessions: int = 1000
    nodes: int = 1_000_000
    unfolded_bytes: int = 1 << 30
    signatures: int = 10_000
    partial_runs: int = 1000
    steps: int = 10_000
    session_tensors: int = 10_000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if type(value) is not int or value < 1:
                raise ValueError(f"Limits({field.name}={value!r}): must be a positive integer.")
        if self.message_bytes > MOST_MESSAGE_BYTES:
            raise ValueError(
                f"Limits(message_bytes={self.message_bytes}): a message holds "
                f"{MOST_MESSAGE_BYTES} bytes."
            )

    @staticmethod
    def from_words(words: Iterable[str]) -> Limits:
        """Limits from "sessions=40" and the like; ValueError for what is none."""
        found: dict[str, int] = {}
        known = [field.name for field in fields(Limits)]
        for word in words:
            name, _, number = word.partition("=")
            if name not in known or not (number.isascii() and number.isdigit()):
                raise ValueError(
                    f"Could not understand the limit {word!r}. Write it like sessions=40; there "
                    f"are {', '.join(known)}."
                )
            found[name] = int(number)
        return replace(Limits(), **found)

    def check(self, name: str, count: int, what: str, remedy: str) -> None:
        """ResourceExhaustedError if `count` is more than the limit `name`."""
        limit = getattr(self, name)
        if count > limit:
            raise self._exhausted(f"{what}: {count}, but this server takes {limit}. {remedy}", name)

    def check_graph(self, graph_def: graph_pb2.GraphDef, before: int = 0) -> None:
        """Refuse a graph that is too large, or would grow so when its constants are unfolded.

        Args:
          before: nodes that the session has already.
        """
        bodies = [function.node_def for function in graph_def.library.function]
        count = before + len(graph_def.node) + sum(map(len, bodies))
        self.check("nodes", count, "Too many nodes in the graph", "Send less of it.")
        unfolded = sum(map(_unfolded_bytes, _tensors([graph_def.node, *bodies])))
        remedy = "Write all values of the constants, or make them where they are used (tf.fill)."
        what = "Too many bytes of constants that are written shorter than they are"
        self.check("unfolded_bytes", unfolded, what, remedy)

    @staticmethod
    def _exhausted(text: str, name: str) -> OpError:
        return ResourceExhaustedError(
            f"{text} Whoever runs the server sets the limit: tf.train.Server(..., "
            f"limits=Limits({name}=...)), tinytf serve --limit {name}=..."
        )


#: What a server takes on if nothing else is said.
USUAL = Limits()


def _tensors(groups: Iterable[Any]) -> Iterable[Any]:
    """The tensors in the attributes of nodes."""
    for nodes in groups:
        for node in nodes:
            for value in node.attr.values():
                kind = value.WhichOneof("value")
                if kind == "tensor":
                    yield value.tensor
                elif kind == "list":
                    yield from value.list.tensor


def _unfolded_bytes(tensor: Any) -> int:
    """How much more a tensor takes than its message."""
    dtype = dtypes._BY_ENUM.get(tensor.dtype)
    sizes = [dim.size for dim in tensor.tensor_shape.dim]
    if any(size < 0 for size in sizes):
        return 0  # is refused anyway
    size = _POINTER_BYTES if dtype is None else dtype.size or _POINTER_BYTES
    return max(0, math.prod(sizes) * size - tensor.ByteSize() * _POINTER_BYTES)
