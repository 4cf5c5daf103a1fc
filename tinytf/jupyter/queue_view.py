"""A queue of a session as it is: its elements, its capacity, who waits, whether it is closed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.errors import OutOfRangeError
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.jupyter.picture import plural
from tinytf.resources.queues.queue import UNLIMITED, Queue

#: How many elements are drawn.
MOST_ELEMENTS = 24
_MOST_LETTERS = 24
_RANDOM = "in no order"
#: What is so of every queue after its session was closed: who waited was cancelled.
AT_THE_END: dict[str, Any] = {"ended": True, "enqueues": [], "dequeues": []}


def queue_of(session: Any, handle: Tensor) -> Queue | None:
    """The queue that a session has for a handle; None if no step has needed it yet."""
    op = handle.op
    shared = op.attrs["shared_name"].decode()
    container = op.attrs["container"].decode()
    for place, kind, name, resource in session._backend.resources.items():
        if kind == "Queue" and name == (shared or f"_{op.name}"):
            if not container or container == place:
                return resource
    return None


def state_of(op: Operation, queue: Queue | None) -> dict[str, Any]:
    """All that the browser gets of a queue; see static/queue.js."""
    capacity = op.attrs["capacity"]
    state: dict[str, Any] = {
        "title": op.name,
        "kind": op.type.removesuffix("V2"),
        "line": line_of(op),
        "capacity": capacity if 0 <= capacity < UNLIMITED else None,
        "ordered": not op.type.startswith("RandomShuffle"),
        "stay": op.attrs.get("min_after_dequeue", 0),
    }
    state |= {"made": False, "closed": False, "why": "", "count": 0, "in": 0, "out": 0}
    state |= {"elements": [], "enqueues": [], "dequeues": []}
    if queue is None:
        return state
    now = queue.snapshot()
    state |= {"made": True, "closed": now.is_closed, "count": len(now.contents)}
    state |= {"in": now.put_in, "out": now.taken_out, "enqueues": now.enqueues}
    return state | {
        "dequeues": [list(pair) for pair in now.dequeues],
        "elements": [shown(element) for element in now.contents[:MOST_ELEMENTS]],
        "why": reason(queue.closed_because),
    }


def reason(error: BaseException | None) -> str:
    """Why a queue was closed, in one line; "" if somebody just closed it."""
    if error is None:
        return ""
    if isinstance(error, OutOfRangeError):
        return "what fills it has come to its end"
    return f"{type(error).__name__}: {str(error).splitlines()[0]}"


def line_of(op: Operation) -> str:
    """Where it was built, in short; "" if nobody knows."""
    text = op.describe_origin().splitlines()
    return text[1].strip() if len(text) > 1 else ""


def shown(element: tuple[Any, ...]) -> str:
    """An element in a few letters: "3.0", "(1, [28, 28] float32)"."""
    parts = [_short(value) for value in element]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _short(value: Any) -> str:
    array = np.asarray(value)
    if array.size > 4:
        return f"{list(array.shape)} {array.dtype.name}".replace("object", "string")
    if array.dtype.kind == "O":
        texts = [_text(item) for item in array.reshape(-1)]
        return texts[0] if not array.ndim else f"[{', '.join(texts)}]"
    return " ".join(str(array.tolist()).split())


def _text(item: Any) -> str:
    text = item.decode("utf-8", "backslashreplace") if isinstance(item, bytes) else str(item)
    return repr(text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…")


def as_text(state: dict[str, Any]) -> str:
    """A queue's state as a few lines."""
    return "\n".join(_lines(state))


def _lines(state: dict[str, Any]) -> list[str]:
    ended = state.get("ended")
    if not state["made"]:
        return [f"{_title(state)}: no step {'ever used it' if ended else 'has used it yet'}"]
    room = "" if state["capacity"] is None else f" of {state['capacity']}"
    lines = [
        f"{_title(state)}: {state['count']}{room} elements, "
        + ("when its session was closed" if ended else "closed" if state["closed"] else "open")
    ]
    if state["why"]:
        lines.append(f"  closed: {state['why']}")
    if state["elements"]:
        more = state["count"] - len(state["elements"])
        end = f" and {more} more" if more else ""
        order = "next out" if state["ordered"] else _RANDOM
        lines.append(f"  {order}: {', '.join(state['elements'])}{end}")
    lines += [f"  waits: {text}" for text in waiting_texts(state)]
    lines.append(f"  put in: {state['in']}, taken out: {state['out']}")
    return lines


def _title(state: dict[str, Any]) -> str:
    return f"queue '{state['title']}' ({state['kind']})"


def waiting_texts(state: dict[str, Any]) -> list[str]:
    """Who waits at a queue, in the order of service."""
    texts = [f"an enqueue, to put in {plural(count, 'element')}" for count in state["enqueues"]]
    for missing, taken in state["dequeues"]:
        has = f" (it has taken {taken})" if taken else ""
        texts.append(f"a dequeue, for {plural(missing, 'element')}{has}")
    return texts
