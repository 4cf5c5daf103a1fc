"""What runs of a pipeline: datasets, and the stages that go over them.

A dataset that does something new is a class with one method, and its op makes one of its inputs:

    @dataset_op("input_dataset: variant, count: int64", FORM)
    class TakeDataset(DatasetValue):
        def start(self, context, stage):
            advance, left = self.inputs[0].iterate(context, stage).next, self.given.count
            def take():
                nonlocal left
                if left == 0:
                    raise StopIteration
                left -= 1
                return advance()
            return take

What each stage has done is counted always (0.1 microseconds for each element of a stage). Time
costs more, so it is measured while somebody watches:

    with stages.watched():
        ...                     # run the pipeline
        iterator.snapshot()     # rows of numbers, for a widget or a report
"""

from __future__ import annotations

import copy
import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from types import SimpleNamespace
from typing import Any, ClassVar

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import variant
from tinytf.framework.errors import CancelledError, OpError, with_operation
from tinytf.framework.kernel_binding import bound_value, input_counts
from tinytf.framework.op_card import OpCard
from tinytf.framework.operation import Operation
from tinytf.framework.step_context import FunctionRunner
from tinytf.framework.tensor_shape import TensorShape, scalar

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


# Datasets ----------------------------------------------------------------------------------------

_finalising = threading.Lock()

#: What `cardinality` says of endless datasets, and of those that cannot know.
INFINITE, UNKNOWN = -1, -2
#: Stands for a number, of threads for example, that is left to the library.
AUTOTUNE = -1


class Context:
    """What stages may use of the session that iterates.

    Attributes:
      functions: runs the functions of map, filter ... resources: of the session.
      cancellation: of the step that asks for an element now, or of the thread that works ahead;
        whoever waits registers with it.
    """

    def __init__(
        self,
        functions: FunctionRunner,
        resources: Any,
        cancellation: CancellationManager | None = None,
    ):
        self.functions, self.resources = functions, resources
        self.cancellation = cancellation
        #: What the nodes of a function own is there once for an iterator, however often it begins.
        self._prepared: dict[Any, Any] = {}

    def prepared(self, function: Any, use: int = 0) -> Any:
        """See `FunctionRunner.prepare`; one for each function and `Dataset.use`."""
        return self.kept((function, use), lambda: self.functions.prepare(function))

    def check(self) -> None:
        """For loops that may last: raise if the step that asked was cancelled."""
        if self.cancellation is not None:
            self.cancellation.check()

    def kept(self, key: Any, make: Any) -> Any:
        """What belongs to an iterator, however often a stage begins; made when first asked for."""
        found = self._prepared.get(key)
        return self._prepared.setdefault(key, make()) if found is None else found

    def apart(self, cancellation: CancellationManager) -> Context:
        """The same for a thread of a stage, which steps do not cancel."""
        other = Context(self.functions, self.resources, cancellation)
        other._prepared = self._prepared
        return other


class DatasetValue:
    """A description of elements: what an edge of type `variant` carries. It never changes.

    Args:
      inputs: of the op that makes it. node: that operation.

    Attributes:
      card: of that op, which `dataset_op` defines.
      inputs: the datasets it is made of. given: the other inputs of the op, and its attributes, by
        their names: scalars as numbers or bytes, functions ready to be called.
      types, shapes: of the components of each element.
      keeps_state: whether it matters which iterator, and which of the pipeline's stages, uses it.
      use: the number of this copy, of those that `finalised` made for one iterator; else 0.
    """

    card: ClassVar[OpCard]
    keeps_state = False

    def __init__(self, *inputs: Any, node: Operation):
        self.node = node
        self.use = 0
        self._finalised: DatasetValue | None = None  # guarded by _finalising
        self.inputs, self.given = _arguments(node, inputs)
        attrs = node.attrs
        types = attrs.get("output_types") or attrs.get("Toutput_types") or ()
        self.types: tuple[Any, ...] = tuple(types)
        self.shapes: tuple[TensorShape, ...] = tuple(
            attrs.get("output_shapes") or (scalar(),) * len(self.types)
        )
        self.check()

    def check(self) -> None:
        """Raise an error for arguments that make no sense."""

    def finalised(self) -> DatasetValue:
        """What iterators over this dataset go over (TensorFlow: DatasetBase::Finalize).

        TensorFlow optimises the pipeline, which leaves a copy of a dataset for every use of it: a
        shuffled dataset of which both `take` and `skip` are used begins twice with the same seeds.
        Several iterators over the same dataset have the copies in common.
        """
        with _finalising:
            if self._finalised is None:
                self._finalised = self.copied(itertools.count(1))
            return self._finalised

    def copied(self, numbers: Iterator[int]) -> DatasetValue:
        """A copy with a state of its own, as of all before it; itself where there is none.

        Args:
          numbers: for `use`.
        """
        inputs = tuple(source.copied(numbers) for source in self.inputs)
        if not self.keeps_state and inputs == self.inputs:
            return self
        twin = copy.copy(self)
        twin.inputs, twin.use = inputs, next(numbers)
        return twin

    def iterate(self, context: Context, outer: Stage | None = None) -> Stage:
        """Begin: the stage whose `next()` gives the elements.

        Args:
          outer: the stage that will pull from this one; it closes it.
        """
        stage = Stage(self.node, outer)
        stage.next = counted(stage, self.start(context, stage))
        return stage

    def start(self, context: Context, stage: Stage) -> Next:
        """What gives the elements: the part that differs from dataset to dataset.

        It is called by one thread at a time. An error does not end the stage: the next call goes
        on with the next element.
        """
        raise NotImplementedError(type(self).__name__)

    def cardinality(self) -> int:
        """How many elements there are, INFINITE or UNKNOWN."""
        return UNKNOWN

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.node.name}>"


def _arguments(node: Operation, inputs: Iterable[Any]) -> tuple[tuple[Any, ...], Any]:
    """See `DatasetValue.inputs` and `given`."""
    given = {name: bound_value(node, value) for name, value in node.attrs.items()}
    datasets: tuple[Any, ...] = ()
    rest = iter(inputs)
    for argument, count in zip(node.op_def.inputs, input_counts(node), strict=True):
        values = tuple(islice(rest, count))
        if argument.dtype is variant:
            datasets += values
        elif argument.is_list:
            given[argument.name] = values
        elif values:
            (value,) = values
            is_scalar = getattr(value, "shape", None) == ()
            given[argument.name] = value.item() if is_scalar else value
    return datasets, SimpleNamespace(**given)


class HeldDataset(DatasetValue):
    """Elements that are there already: a group, a window."""

    def __init__(
        self,
        elements: Iterable[tuple[Any, ...]],
        types: Sequence[Any],
        shapes: Sequence[TensorShape],
        *,
        node: Operation,
    ):
        super().__init__(node=node)
        self.types, self.shapes = tuple(types), tuple(shapes)
        self._elements = list(elements)

    def start(self, context: Context, stage: Stage) -> Next:
        return iter(self._elements).__next__

    def cardinality(self) -> int:
        return len(self._elements)
