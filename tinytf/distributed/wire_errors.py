"""Errors on their way through the cluster.

A server sends a code and a text that names the operation as `[[{{node NAME}}]]`; where it was
built only the client knows. So the server leaves that line out, and the client, who finds the
operation in its own graph, puts its own in.
"""

from __future__ import annotations

import re
from typing import Any

from tinytf.framework.errors import OpError, UnknownError, exception_type_from_error_code
from tinytf.framework.graph import Graph

_NODE = re.compile(r"(?<!\}\})\{\{node ([^\s}]+)\}\}")
#: A node in the body of a function; below it, a tinytf server says that it was imported.
_INSIDE = re.compile(
    r"\[\[\{\{function_node ([^\s}]+)\}\}\s?\{\{node ([^\s}]+)\}\}\]\]"
    r"(\n.* \(built by an imported graph\))?"
)


def text_for_peer(error: OpError) -> str:
    """The message of a server's error, without what only describes the server's copy of the op."""
    text = error.message
    op = error.op
    if op is not None:
        text = text.replace("\n" + op.describe_origin(), "").replace(op.describe_origin(), "")
        if f"{{{{node {op.name}}}}}" not in text:
            text = f"{text}\n\t [[{{{{node {op.name}}}}}]]"
    return text.rstrip()


def error_from_peer(code: int, text: str, graph: Graph | None, hint: str = "") -> OpError:
    """The error that a user sees for one reported by a server.

    Args:
      code: TensorFlow's (and gRPC's) number of the error. text: the server's words.
      graph: the client's graph, in which the operation is looked for.
      hint: what to do, if anything is known; ends the message.
    """
    op = _operation_in(text, graph)
    if graph is not None:
        text = _INSIDE.sub(lambda match: _with_our_line(match, graph), text)
    if op is not None:
        text = f"{text}\n{op.describe_origin()}"
    if hint:
        text = f"{text}\n{hint}"
    return _class_for(code)(None, op, text)


def _with_our_line(match: re.Match[str], graph: Graph) -> str:
    """A mention of an operation inside a function, with the line of ours that built it."""
    function = graph._functions.get(match[1])
    op = None if function is None else function.operation(match[2])
    if op is None:
        return match[0]
    return f"{match[0].removesuffix(match[3] or '')}\n{op.describe_origin()}"


def _class_for(code: int) -> type[OpError]:
    try:
        return exception_type_from_error_code(code)
    except KeyError:
        return UnknownError


def _operation_in(text: str, graph: Graph | None) -> Any:
    if graph is None:
        return None
    names = [name for name in _NODE.findall(text) if f"[[{{{{node {name}}}}}" in text]
    called = [function for function, _, _ in _INSIDE.findall(text)]
    if called and not names:  # a real TensorFlow's server names no call: there may be only one
        calls = [op for op in graph.get_operations() if op.type == called[-1]]
        return calls[0] if len(calls) == 1 else None
    for name in names or _NODE.findall(text):
        op = graph._by_name.get(name)
        if op is not None:
            return op
    return None
