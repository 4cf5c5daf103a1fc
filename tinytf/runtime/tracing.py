"""Steps that are watched: for their times, which become TensorFlow's `StepStats`, or a deadline.

What is written down while a step runs is as little as will do: when, on which thread, and what the
results look like, not the results. `step_stats` makes the message of it when the step is over.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from tinytf.framework.operation import Operation
from tinytf.resources.memory import Window
from tinytf.resources.variable import Variable
from tinytf.runtime.frames import SWITCH
from tinytf.runtime.intra_op import take_shards

_NO_COPIES: Mapping[Operation, str] = MappingProxyType({})


class Output(NamedTuple):
    """One output of a node, without its elements.

    Attributes:
      slot: which output. shape: None for what is no tensor, such as a resource.
      size: bytes; of strings, those of their texts.
      address: of its memory; 0 if unknown.
    """

    slot: int
    shape: tuple[int, ...] | None
    size: int
    address: int


class Event(NamedTuple):
    """One node that ran: times in ns of `time.perf_counter_ns`.

    Attributes:
      name: of the node, with the calls of functions that lead to it.
      scheduled: when it became ready, if whoever ran it knew.
      iteration: of the loops around it, the outermost first.
      shards: (thread, start, end) of the pieces in which threads of the intra-op pool ran it.
      scope: the calls of functions in the name, "outer/inner/".
    """

    name: str
    op: Operation
    start: int
    end: int
    thread: int
    outputs: tuple[Output, ...] = ()
    scheduled: int | None = None
    iteration: tuple[int, ...] = ()
    shards: tuple[tuple[int, int, int], ...] = ()
    scope: str = ""


class Trace:
    """The times of the nodes of one step, in the order they ended.

    Attributes:
      events: those of all devices; the `device` of an event's operation says which, "" the first.
      thread_names: of the threads that ran them, by native id.
      begun: when the trace was made.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.thread_names: dict[int, str] = {}
        self.begun = time.perf_counter_ns()
        #: Puts the process's steady clock on the calendar.
        self.offset = time.time_ns() - self.begun

    def add(
        self,
        op: Operation,
        start: int,
        end: int,
        scope: str = "",
        results: Any = None,
        scheduled: int | None = None,
        iteration: tuple[int, ...] = (),
    ) -> None:
        """Record one node. Call it on the thread that ran it, before that runs another.

        Args:
          scope: in which calls of functions it is, "outer/inner/".
          results: what it gave, one value for each output, if that is at hand.
          scheduled: when it became ready to run, if that is known: a time as `start` and `end` are.
          iteration: of the loops around it, the outermost first.
        """
        thread = threading.get_native_id()
        if thread not in self.thread_names:
            self.thread_names[thread] = threading.current_thread().name
        outputs = outputs_of(op, results) if isinstance(results, tuple | list) else ()
        shards = tuple(take_shards(start))
        name = scope + op.name if scope else op.name
        event = Event(name, op, start, end, thread, outputs, scheduled, iteration, shards, scope)
        self.events.append(event)

    def write_to(
        self,
        metadata: Any,
        home: str,
        ops: Iterable[Operation] = (),
        copies: Mapping[Operation, str] = _NO_COPIES,
    ) -> None:
        """Add the events to a `RunMetadata`, by device; what has none assigned is at `home`.

        Args:
          ops: all operations of the plan, so that constants which it holds are listed as well.
          copies: the plan's.
        """
        from tinytf.runtime.step_stats import write

        write(self, metadata.step_stats, home, ops, copies)


def outputs_of(op: Operation, results: Any) -> tuple[Output, ...]:
    """What the results of a node look like."""
    if op.type in SWITCH:  # (value, which way it went)
        value, port = results
        return (_output(port, value),)
    return tuple(_output(slot, value) for slot, value in enumerate(results) if value is not None)


def _output(slot: int, value: Any) -> Output:
    if type(value) is Window:
        value = value.read()
    if type(value) is Variable:
        value = value.read() if value.is_initialized else None
    if type(value) is np.ndarray:
        size = value.nbytes if value.dtype != object else _texts(value)
        return Output(slot, value.shape, size, value.__array_interface__["data"][0])
    if isinstance(value, np.generic):
        return Output(slot, (), value.nbytes, 0)
    if isinstance(value, bytes):
        return Output(slot, (), len(value), 0)
    if not hasattr(value, "nbytes"):
        return Output(slot, None, 0, 0)
    pointer = getattr(getattr(value, "data", None), "ptr", 0)  # of an array on a GPU
    return Output(slot, tuple(value.shape), int(value.nbytes), int(pointer))


def _texts(value: np.ndarray) -> int:
    return sum(len(item) for item in value.flat if isinstance(item, bytes))


def record_function(ops: list[Operation]) -> Callable[..., None]:
    """What a watched segment calls after each of its nodes: for the trace and the deadline."""
    many = [not op.op_def.single_output for op in ops]
    none = [not op.outputs for op in ops]

    def record(
        step: Any, number: int, start: int, end: int, results: Any, iteration: tuple[int, ...] = ()
    ) -> None:
        op = ops[number]
        if step.trace is not None:
            results = () if none[number] else results if many[number] else (results,)
            if iteration:  # the loops count the iterations that they have begun
                iteration = tuple(begun - 1 for begun in iteration)
            step.trace.add(op, start, end, step.scope_of(op), results, None, iteration)
        step.check(op)
        step.began(ops[number + 1] if number + 1 < len(ops) else op)

    return record
