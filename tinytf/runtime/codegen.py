"""A segment as straight-line Python.

For the nodes `a = x + y; b = tanh(a); c = b * 2`, with x and y from outside and c wanted outside:

    def segment(s, v):
     v0 = v[0]; v1 = v[1]; v[0] = v[1] = None     # in: the only reader takes it away
     v3 = k3(v0, v1); del v0, v1                  # one line a node, in order
     v4 = k4(v3); del v3                          # a value goes at its last use
     v5 = k5(v4, c0); del v4; v[2] = v5; del v5   # out

`v` holds the values that pass between segments, `s` is the step, `k3` the kernel of node 3 and
`c0` a constant. The source holds numbers only, never a name or a text from the graph: nothing
received can end up in code. Since equal shapes of graph give equal source, compiled code is shared.
The line of a traceback tells which node failed.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, TracebackType
from typing import Any

from tinytf.framework.operation import Operation

#: At most this many nodes to one code object: compiling is not linear beyond.
MAX_NODES = 1000
_FIRST_NODE_LINE = 3
_FILE = "<tinytf segment>"


@dataclass(slots=True)
class NodeCode:
    """One node, ready to be written as a line.

    Attributes:
      op: the operation.
      kernel: the bound kernel; None for a constant that only has to be stored.
      arguments: one expression for each input: "v3", "v3.read()", "c0".
      results: variable names for the outputs, "_" where nobody reads one; empty for none.
      unpack: whether the kernel returns a sequence.
      wants_step: whether the step is the first argument.
      deletes: variables that nobody reads after this line.
      stores: (slot, expression) to put into `v` after this line.
    """

    op: Operation
    kernel: Callable[..., Any] | None
    arguments: list[str]
    results: list[str]
    unpack: bool
    wants_step: bool
    deletes: list[str] = field(default_factory=list)
    stores: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Chunk:
    """A piece of a segment that becomes one function.

    Attributes:
      loads: slots read from `v` at the start. takes: those that no one reads after it.
      nodes: in order. constants: values of "c0", "c1" ...
    """

    loads: list[int] = field(default_factory=list)
    takes: list[int] = field(default_factory=list)
    nodes: list[NodeCode] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)


class SegmentFunction:
    """The compiled function of a chunk, and the nodes behind its lines.

    Call `function(step, values)`; on an exception, `failed_op` names the node.
    """

    __slots__ = ("_code", "_lines", "function", "ops")

    def __init__(self, function: Callable[[Any, list[Any]], None], lines: dict[int, Operation]):
        self.function = function
        self._code: CodeType = function.__code__
        self._lines = lines
        self.ops = list(lines.values())

    def release(self) -> None:
        """Forget constants and kernels: it can no longer be called."""
        self.function.__globals__.clear()

    def failed_op(self, traceback: TracebackType | None) -> Operation | None:
        """The operation whose line raised, or None if the exception came from elsewhere."""
        while traceback is not None:
            if traceback.tb_frame.f_code is self._code:
                return self._lines.get(traceback.tb_lineno)
            traceback = traceback.tb_next
        return None


def compile_chunk(chunk: Chunk, record: Callable[..., None] | None = None) -> SegmentFunction:
    """Turn a chunk into a function.

    Args:
      chunk: the nodes.
      record: with tracing, called after every node, as `record(step, node number, start, end,
        results, iterations)`; times are those of `time.perf_counter_ns`, results what the kernel
        returned.
    """
    source = _source(chunk, record is not None)
    numbers = range(_FIRST_NODE_LINE, _FIRST_NODE_LINE + len(chunk.nodes))
    return link(source, chunk.nodes, dict(chunk.constants), record, list(numbers))


def link(
    source: str,
    nodes: list[NodeCode],
    namespace: dict[str, Any],
    record: Callable[..., None] | None,
    line_numbers: list[int],
) -> SegmentFunction:
    """Compile `source`, in which node i is called k<i> and stands on line `line_numbers[i]`."""
    for number, node in enumerate(nodes):
        if node.kernel is not None:
            namespace[f"k{number}"] = node.kernel
    if record is not None:
        namespace["record"], namespace["clock"] = record, time.perf_counter_ns
    exec(_compile(source), namespace)  # noqa: S102 - our own source, made of numbers only
    lines = {line: node.op for line, node in zip(line_numbers, nodes, strict=True)}
    # Not in its own namespace: a plan that is dropped lets go of its constants at once.
    return SegmentFunction(namespace.pop("segment"), lines)


@functools.lru_cache(maxsize=1024)
def _compile(source: str) -> CodeType:
    return compile(source, _FILE, "exec")


def _source(chunk: Chunk, trace: bool) -> str:
    loads = "; ".join(f"v{slot} = v[{slot}]" for slot in chunk.loads)
    takes = "".join(f"v[{slot}] = " for slot in chunk.takes)
    header = "; ".join(part for part in (loads, takes + "None" if takes else "") if part)
    lines = ["def segment(s, v):", " " + (header or "pass")]
    lines.extend(" " + node_line(number, node, trace) for number, node in enumerate(chunk.nodes))
    return "\n".join(lines)


def node_line(number: int, node: NodeCode, trace: bool, iteration: str = "()") -> str:
    """The line of one node, without its indentation.

    Args:
      trace: whether it tells `record` what it did and gave.
      iteration: then, an expression for the iterations of the loops around it.
    """
    if node.kernel is None:
        return _statements(node, "")
    arguments = ["s", *node.arguments] if node.wants_step else node.arguments
    call = f"k{number}({', '.join(arguments)})"
    if not trace:
        return _statements(node, call)
    return (
        f"t = clock(); r = {call}; e = clock(); {_statements(node, 'r')}; "
        f"record(s, {number}, t, e, r, {iteration}); r = None"
    )


def _statements(node: NodeCode, call: str) -> str:
    parts: list[str] = []
    if node.kernel is not None:
        if not node.results or all(name == "_" for name in node.results):
            parts.append(call)
        elif node.unpack:
            parts.append(f"{', '.join(node.results)}, = {call}")
        else:
            parts.append(f"{node.results[0]} = {call}")
        if node.unpack and "_" in node.results:
            parts.append("_ = None")
    if node.deletes and node.kernel is not None:
        early = [name for name in node.deletes if name not in node.results]
        if early:
            parts.append(f"del {', '.join(early)}")
    parts.extend(f"v[{slot}] = {expression}" for slot, expression in node.stores)
    late = [name for name in node.deletes if name in node.results]
    if late:
        parts.append(f"del {', '.join(late)}")
    return "; ".join(parts) or "pass"
