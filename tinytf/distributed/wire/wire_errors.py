"""Errors on their way through the cluster.

A server sends a code and a text that names the operation as `[[{{node NAME}}]]`; where it was
built only the client knows. So the server leaves that line out, and the client, who finds the
operation in its own graph, puts its own in.
"""

from __future__ import annotations

import re
from typing import Any

from tinytf.framework.errors import (
    DeadlineExceededError,
    OpError,
    UnavailableError,
    UnknownError,
    exception_type_from_error_code,
)
from tinytf.framework.graph import Graph

_NODE = re.compile(r"(?<!\}\})\{\{node ([^\s}]+)\}\}")
#: A node in the body of a function; below it, a tinytf server says that it was imported.
_INSIDE = re.compile(
    r"\[\[\{\{function_node ([^\s}]+)\}\}\s?\{\{node ([^\s}]+)\}\}\]\]"
    r"(\n.* \(built by an imported graph\))?"
)

#: What brings a tensor to another task is named after what makes it (graph_parts.py).
_MENTION = re.compile(r"\n\t \[\[\{\{node (\S+?)(/_(?:recv|send)/_\d+)?\}\}\]\]")
_FROM = re.compile(r"From (/job:\S+):\n")
#: What a TensorFlow task adds to an error that it got in place of a tensor, and told as its own.
_RELAYED = re.compile(
    r"\nAdditional GRPC error information from remote target (/job:\S+) "
    r"while calling /tensorflow\.WorkerService/RecvTensor:\n[\s\S]*"
)

#: The stage of an input pipeline (data/stages.py), and what follows it there.
_STAGE = re.compile(
    r"( In the pipeline's stage (\S+) \((\S+)\), .*\n).* \(built by an imported graph\)"
)


#: How TensorFlow marks an error that only says that another task failed.
DERIVED_KEY = "type.googleapis.com/tensorflow.DerivedStatus"
#: The header that has this key.
DETAILS = "grpc-status-details-bin"
#: The header of an error that a server of ours reports, and not the network.
REPORTED = "tinytf-reported"
_DERIVED_PREFIX = "[_Derived_]"  # before TensorFlow 2


def mark_derived(error: OpError) -> OpError:
    """A copy of an error for those who only hear of it; the task where it happened tells it."""
    copy = type(error)(error.node_def, error.op, error.message)
    copy.is_derived = True  # type: ignore[attr-defined]
    return copy


def is_derived(error: OpError) -> bool:
    """Whether another task tells, or has told, what really happened."""
    return getattr(error, "is_derived", False) or error.message.startswith(_DERIVED_PREFIX)


def from_task(task: str, error: OpError, advice: str = "") -> OpError:
    """An error that a task has reported, with its name, once, as TensorFlow writes it.

    Args:
      advice: what else is known, or to be done about it.
    """
    relayed = _RELAYED.search(error.message)
    if relayed is not None:
        kept = error.message[: relayed.start()]
        return from_task(relayed[1], mark_derived(type(error)(None, error.op, kept)), advice)
    more = f"\n{advice}" if advice and advice not in error.message else ""
    if origin_of(error):
        if not more:
            return error
        named = type(error)(error.message + more, error.op)
    else:
        named = type(error)(f"From {task}:\n{error.message}{more}", error.op)
    return mark_derived(named) if is_derived(error) else named


def origin_of(error: OpError) -> str:
    """The task that an error comes from, if it names one; else ""."""
    found = _FROM.match(error.message) or _RELAYED.search(error.message)
    return "" if found is None else found[1]


def of_network(address: str, error: OpError, timeout: float | None) -> OpError:
    """An error that the network has reported, in words that help; any other as it is.

    Args:
      address: of the server. timeout: of the call, in seconds.
    """
    details = error.message
    told: UnavailableError | DeadlineExceededError
    if isinstance(error, UnavailableError):
        told = UnavailableError(
            f"No server answers at grpc://{address}: {details}. Its process has ended, "
            f"or the address is wrong. Start the server again and open a new Session: "
            f"variables that lived there are gone, so initialise or restore them.",
        )
    elif isinstance(error, DeadlineExceededError) and timeout is not None:
        told = DeadlineExceededError(
            f"{details}: grpc://{address} did not answer within {timeout:g} s. Is its "
            f"process paused or very busy, or the network cut?",
        )
    else:
        return error
    told.details = details  # type: ignore[union-attr]
    return told


def text_for_peer(error: OpError) -> str:
    """The message of a server's error, without what only describes the server's copy of the op."""
    text = error.message
    op = error.op
    if op is not None:
        text = text.replace("\n" + op.describe_origin(), "").replace(op.describe_origin(), "")
        if f"{{{{node {op.name}}}}}" not in text:
            text = f"{text}\n\t [[{{{{node {op.name}}}}}]]"
    # Names of files may be any bytes; messages are UTF-8.
    return text.rstrip().encode(errors="backslashreplace").decode()


def error_from_peer(code: int, text: str, graph: Graph | None, hint: str = "") -> OpError:
    """The error that a user sees for one reported by a server.

    Args:
      code: TensorFlow's (and gRPC's) number of the error. text: the server's words.
      graph: the client's graph, in which the operation is looked for.
      hint: what to do, if anything is known; ends the message.
    """
    text = _without_transfers(text)
    op = _operation_in(text, graph)
    if graph is not None:
        text = _INSIDE.sub(lambda match: _with_our_line(match, graph), text)
        text = _STAGE.sub(lambda match: _with_our_stage(match, graph), text)
    if op is not None:
        text = f"{text}\n{op.describe_origin()}"
    if hint:
        text = f"{text}\n{hint}"
    return _class_for(code)(text, op)


def _without_transfers(text: str) -> str:
    """The text without the Sends and Recvs that an error has come by; one, if that is all."""
    mentions = list(_MENTION.finditer(text))
    kept = [found for found in mentions if found[2] is None] or mentions[:1]

    def rest(found: re.Match[str]) -> str:
        is_kept = any(found.start() == other.start() for other in kept)
        return f"\n\t [[{{{{node {found[1]}}}}}]]" if is_kept else ""

    return _MENTION.sub(rest, text)


def _with_our_line(match: re.Match[str], graph: Graph) -> str:
    """A mention of an operation inside a function, with the line of ours that built it."""
    function = graph._functions.get(match[1])
    op = None if function is None else function.operation(match[2])
    if op is None:
        return match[0]
    return f"{match[0].removesuffix(match[3] or '')}\n{op.describe_origin()}"


def _with_our_stage(match: re.Match[str], graph: Graph) -> str:
    """The same for the stage of an input pipeline."""
    op = graph._by_name.get(match[2])
    if op is None or op.type != match[3]:
        return match[0]
    return match[1] + op.describe_origin()


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
