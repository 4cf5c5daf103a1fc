"""What the instruments say about a step: values in a few words, events in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytf.jupyter.picture import plural
from tinytf.resources.memory import taken
from tinytf.resources.variable import Variable

_VALUE_LENGTH = 72


def describe_value(value: Any, shape: tuple[int, ...] | None = None) -> str:
    """A value in a few words: type, shape and what fits of the content.

    Args:
      shape: of the whole, if `value` is only its corners; see `corners_of`.
    """
    value = taken(value)
    if isinstance(value, Variable):
        held = describe_value(value.read()) if value.is_initialized else "not initialized"
        return f"variable {value.name} ({held})"
    if not isinstance(value, np.ndarray | np.generic):
        return f"a {type(value).__name__}"
    array = np.asarray(value)
    kind = "string" if array.dtype == np.dtype(object) else array.dtype.name
    with np.printoptions(precision=4, threshold=8, edgeitems=2, linewidth=10_000, suppress=True):
        text = " ".join(str(array).split())
    if len(text) > _VALUE_LENGTH:
        text = text[: _VALUE_LENGTH - 1] + "…"
    shape = array.shape if shape is None else shape
    return f"{kind} {shape} {text}" if shape else f"{kind} {text}"


def corners_of(array: np.ndarray) -> np.ndarray:
    """A copy of all that `describe_value` shows of an array: the ends along each axis.

    As many of them as it takes for numpy to leave out the middle of the copy, too.
    """
    ends = 5 if array.ndim <= 4 else 3
    kept = [
        range(size) if size <= 2 * ends else [*range(ends), *range(size - ends, size)]
        for size in array.shape
    ]
    return array[np.ix_(*kept)] if array.ndim else array.copy()


def on_thread(name: str) -> str:
    """A thread in a sentence: "the calling thread", "inter-op thread 1"."""
    return name if name[-1].isdigit() else f"the {name}"


def listed(names: Sequence[str], most: int = 4) -> str:
    """Names in a sentence: "a, b and c"; many are counted."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else "Nothing"


def beginning(names: Sequence[str]) -> str:
    """How a step begins."""
    if not names:
        return "The step begins. It has no operations: all that is fetched is fed."
    verb = "waits" if len(names) == 1 else "wait"
    return f"The step begins. {listed(names)} {verb} for nothing: ready to run."


def ending(ran: int, skipped: int) -> str:
    """How a step ends."""
    text = f"The step is over: {plural(ran, 'operation')} ran"
    return text + (f", {skipped} skipped." if skipped else ".")


def cut_text(events: int, more: int) -> str:
    """What is said in place of the rest of a recording."""
    return (
        f"The recording ends here, after {plural(events, 'event')}. The step went on for "
        f"{more:,} more. Watch a smaller part: fewer fetches, or fewer iterations."
    )


def ran_text(title: str, port: int | None, values: Sequence[str]) -> str:
    """That a node ran, and what came out. `port`: of a Switch, the output that is alive."""
    if port is not None:
        way = "output 1, the true side" if port else "output 0, the false side"
        return f"{title} sent its input to {way}; the other output is dead."
    return f"{title} ran: {'; '.join(values)}." if values else f"{title} ran."


def consequences(
    waiting: Sequence[tuple[str, int]], alive: Sequence[str], skipped: Sequence[str]
) -> str:
    """What an event leads to: who still waits, who is ready, who will be skipped."""
    text = ""
    if 0 < len(waiting) <= 3:
        told = [f"{name} still waits for {plural(count, 'input')}" for name, count in waiting]
        text += f" {'; '.join(told)}."
    if alive:
        text += f" {listed(alive)} {'is' if len(alive) == 1 else 'are'} ready now."
    if skipped:
        text += f" {listed(skipped)} will be skipped."
    return text
