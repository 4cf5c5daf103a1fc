"""Which ready node is taken next, if somebody else than the executor shall choose.

By a list of names, or by a seed. It is the real executor that asks: with its lock held, whenever a
thread takes a node from the ready queue.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.jupyter.words import listed
from tinytf.runtime.iterations import Ready

if TYPE_CHECKING:
    from tinytf.jupyter.recorder import Recorder


def steering_by(order: Any) -> Seeded | Ordered | None:
    """What steers a step.

    Args:
      order: None; a whole number, the seed of a random order; or names of operations (or
        operations, or tensors). In a loop "name#2" is the node in iteration 2, a mere name the
        next one that is ready.

    Raises:
      TypeError: for anything else.
    """
    if order is None:
        return None
    if isinstance(order, int) and not isinstance(order, bool):
        return Seeded(order)
    if isinstance(order, str) or not isinstance(order, Sequence):
        raise TypeError(
            f"order is a list of names of operations, such as ['a', 'b'], or the seed of a random "
            f"order. Got: {order!r}"
        )
    return Ordered([_name_of(item, place) for place, item in enumerate(order)])


def _name_of(item: Any, place: int) -> str:
    if isinstance(item, Tensor):
        return item.op.name
    if isinstance(item, Operation):
        return item.name
    if not isinstance(item, str):
        raise TypeError(f"order[{place}] is to be the name of an operation, got {item!r}")
    return item


class Seeded:
    """Any ready node, at random, but the same ones for the same seed (on one thread)."""

    def __init__(self, seed: int):
        self.title = f"seed {seed}"
        self._random = random.Random(seed)

    def begin(self, recorder: Recorder) -> None:
        """The step begins."""

    def choose(self, ready: Sequence[Ready]) -> int:
        """The place of the next one."""
        return self._random.randrange(len(ready))

    def taken(self, name: str, label: str, dead: bool) -> None:
        """A thread has taken a node."""

    def left_over(self) -> str:
        """What to say at the end."""
        return ""


class Ordered:
    """In the order of a list; after its end, the oldest first.

    Nodes that are skipped run no kernel: they may be left out, and are taken when they come. With
    several threads a node may still wait for what another thread runs: then the one that is named
    next of those that are ready is taken.
    """

    title = "order"

    def __init__(self, names: list[str]):
        self._given = names
        self._rest = [(place, *_parts(name)) for place, name in enumerate(names)]
        self._skipped: list[tuple[str, str]] = []

    def begin(self, recorder: Recorder) -> None:
        """The step begins. Raises ValueError: for a name that is not in the step."""
        self._recorder = recorder
        known = recorder.recording.names
        for place, name, _ in self._rest:
            if name not in known:
                raise ValueError(f"order[{place}] is {name!r}: {_unknown(name, known, recorder)}")

    def choose(self, ready: Sequence[Ready]) -> int:
        """The place of the next one.

        Raises:
          ValueError: if the one that is named next is not ready, and nothing runs that could make
            it ready.
        """
        self._forget_skipped()
        if not self._rest:
            return 0
        label = self._recorder.label
        waiting = [(unit.op.name, label(where), dead) for unit, where, dead in ready]
        found = _find(self._rest[0], waiting)
        if found is None:  # they cost nothing, and nobody has to name them
            found = next((n for n, (_, _, dead) in enumerate(waiting) if dead), None)
        if found is None and self._recorder.is_running:
            later = (_find(item, waiting) for item in self._rest)
            found = next((place for place in later if place is not None), 0)
        if found is None:
            raise self._not_ready(waiting)
        return found

    def _forget_skipped(self) -> None:
        while self._rest:
            _, name, label = self._rest[0]
            gone = [s for s in self._skipped if s[0] == name and label in ("", s[1])]
            if not gone:
                return
            self._skipped.remove(gone[0])
            del self._rest[0]

    def taken(self, name: str, label: str, dead: bool) -> None:
        """A thread has taken a node."""
        for place, (_, wanted, where) in enumerate(self._rest):
            if wanted == name and where in ("", label):
                if place and dead:
                    break
                del self._rest[place]
                return
        if dead:
            self._skipped.append((name, label))

    def _not_ready(self, waiting: Sequence[tuple[str, str, bool]]) -> ValueError:
        place, name, label = self._rest[0]
        why = self._recorder.waits_for(name, label)
        ready = listed([_text(name, label) for name, label, _ in waiting], 8)
        return ValueError(
            f"order[{place}] is {self._given[place]!r}, which is not ready at that point: it {why}."
            f" Ready: {ready}."
        )

    def left_over(self) -> str:
        """What to say at the end."""
        self._forget_skipped()
        names = [self._given[place] for place, _, _ in self._rest]
        return f" In the order, but never ready: {listed(names)}." if names else ""


def _find(item: tuple[int, str, str], waiting: Sequence[tuple[str, str, bool]]) -> int | None:
    """Where a node is in the queue; one that really runs rather than one that is skipped."""
    _, name, label = item
    found = [
        n for n, (other, where, _) in enumerate(waiting) if other == name and label in ("", where)
    ]
    return min(found, key=lambda n: waiting[n][2], default=None)


def _parts(name: str) -> tuple[str, str]:
    """("while/Mul", "2") of "while/Mul#2"."""
    name, _, label = name.partition("#")
    return name, label


def _text(name: str, label: str) -> str:
    return f"{name}#{label}" if label else name


def _unknown(name: str, known: Sequence[str], recorder: Recorder) -> str:
    op, colon, _ = name.partition(":")
    if colon and op in known:
        return f"that is a tensor. Write the name of the operation: {op!r}"
    if recorder.is_in_graph(name):
        return "that operation is not part of this step: nothing that is fetched needs it"
    near = difflib.get_close_matches(name, known, 3, 0.5)
    hint = f"Similar: {', '.join(near)}" if near else f"There are: {listed(known, 8)}"
    return f"the step has no operation of this name. {hint}"
