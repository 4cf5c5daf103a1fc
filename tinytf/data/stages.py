"""What each stage of a running pipeline has done: elements, time, what its buffer holds.

Counting is always on (0.1 microseconds for each element of a stage). Time costs more, so it is
measured while somebody watches:

    with stages.watched():
        ...                     # run the pipeline
        iterator.snapshot()     # rows of numbers, for a widget or a report
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tinytf.framework.errors import CancelledError, OpError, with_operation
from tinytf.framework.operation import Operation

#: Gives one element, a tuple of values; raises StopIteration at the end.
Next = Callable[[], tuple[Any, ...]]


class _Watch:
    """Whether time is measured: while anybody watches."""

    __slots__ = ("_lock", "_watchers", "on")

    def __init__(self) -> None:
        self.on = False
        self._watchers = 0  # guarded by self._lock
        self._lock = threading.Lock()

    def add(self, number: int) -> None:
        with self._lock:
            self._watchers += number
            self.on = self._watchers > 0


_watch = _Watch()


@contextmanager
def watched() -> Iterator[None]:
    """Measure the time of all stages, of all pipelines, inside the block."""
    _watch.add(1)
    try:
        yield
    finally:
        _watch.add(-1)


@dataclass(slots=True)
class Row:
    """One stage in a snapshot.

    Attributes:
      name, type: of the node that made the dataset: "MapDataset_1", "MapDataset".
      op: that node; its `describe_origin()` is the user's line.
      depth: how many stages are after it on the way to the iterator.
      produced: how many elements it has given on.
      seconds: how long that took while somebody watched, without the stages before it.
      buffered, capacity: what its buffer holds, and could; None if it has none.
    """

    name: str
    type: str
    op: Operation
    depth: int
    produced: int
    seconds: float
    buffered: int | None
    capacity: int | None


class Stage:
    """One dataset that is being iterated over.

    Attributes:
      node: the operation that made the dataset. inputs: the stages it pulls from now.
      next: gives one element. counted: how many it has given, unless `count` says it.
      count: of sources that know by themselves, so that nothing has to be counted.
      nanoseconds: that it, with the stages before it, took while somebody watched.
      buffer: gives (how many elements its buffer holds, how many fit); None without a buffer.
    """

    __slots__ = (
        "__weakref__",
        "_closers",
        "buffer",
        "count",
        "counted",
        "inputs",
        "nanoseconds",
        "next",
        "node",
    )

    def __init__(self, node: Operation, outer: Stage | None):
        self.node = node
        self.inputs: list[Stage] = []
        self.counted = 0
        self.count: Callable[[], int] | None = None
        self.nanoseconds = 0
        self.buffer: Callable[[], tuple[int, int]] | None = None
        self.next: Next = _not_started
        self._closers: list[Callable[[], None]] = []
        if outer is not None:
            outer.inputs.append(self)

    @property
    def produced(self) -> int:
        """How many elements it has given."""
        return self.counted if self.count is None else self.count()

    def on_close(self, function: Callable[[], None]) -> None:
        """Have `function` called, once, when nobody needs the stage any more."""
        self._closers.append(function)

    def close(self) -> None:
        """End what the stage started: threads, open files. Those before it first told to end."""
        closers, self._closers = self._closers, []
        for function in closers:
            function()
        inputs, self.inputs = self.inputs, []
        for stage in inputs:
            stage.close()

    def drop(self, stage: Stage) -> None:
        """Close one of the stages it pulls from: it is at its end."""
        if stage in self.inputs:
            self.inputs.remove(stage)
        stage.close()

    def rows(self, depth: int = 0) -> list[Row]:
        """This stage and those before it, for a snapshot."""
        node, inputs = self.node, list(self.inputs)
        own = self.nanoseconds - sum(stage.nanoseconds for stage in inputs)
        buffered, capacity = (None, None) if self.buffer is None else self.buffer()
        row = Row(
            node.name, node.type, node, depth, self.produced, max(own, 0) / 1e9, buffered, capacity
        )
        return [row, *(row for stage in inputs for row in stage.rows(depth + 1))]


def _not_started() -> tuple[Any, ...]:
    raise StopIteration


def counted(stage: Stage, advance: Next) -> Next:
    """`advance` with what every stage does: count, measure, and name the stage that fails."""
    clock, watch = time.perf_counter_ns, _watch
    if stage.count is not None and not watch.on:
        return advance  # it counts by itself, and cannot fail

    def next_element() -> tuple[Any, ...]:
        try:
            if watch.on:
                start = clock()
                try:
                    element = advance()
                finally:
                    stage.nanoseconds += clock() - start
            else:
                element = advance()
        except StopIteration:
            raise
        except Exception as error:
            raise in_stage(error, stage) from None
        stage.counted += 1
        return element

    return next_element


def in_stage(error: Exception, stage: Stage) -> Exception:
    """The error with the stage it comes from, and which element that was working on.

    `counted` does it, unless the stage sets `count`: then it says so itself.
    """
    if getattr(error, "_has_stage", False) or isinstance(error, CancelledError):
        return error
    node = stage.node
    if not isinstance(error, OpError):
        error = with_operation(error, node)
    inputs = stage.inputs
    number = inputs[0].produced if inputs else stage.produced + 1
    origin = node.describe_origin()
    text = (
        f"{error.message}\n\t In the pipeline's stage {node.name} ({node.type}), at element "
        f"{number} of {'its input' if inputs else 'it'} (the first one is 1).\n{origin}"
    )
    named = type(error)(text)
    named.__cause__ = error.__cause__
    named._has_stage = True  # type: ignore[attr-defined]
    return named
