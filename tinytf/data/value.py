"""What an edge of type `variant` carries: a dataset as it runs, and what it may use meanwhile.

A dataset that does something new is a class with one method; with `kernel=TakeDataset` its op makes
one of the values of its inputs:

    class TakeDataset(DatasetValue):
        def __init__(self, source, count, *, node):
            super().__init__(source, node=node)
            self._count = int(count)

        def start(self, context, stage):
            advance, left = self.inputs[0].iterate(context, stage).next, self._count
            def take():
                nonlocal left
                if left == 0:
                    raise StopIteration
                left -= 1
                return advance()
            return take
"""

from __future__ import annotations

import copy
import itertools
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tinytf.data.stages import Next, Stage, counted
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.operation import Operation
from tinytf.framework.step_context import FunctionRunner
from tinytf.framework.tensor_shape import TensorShape, scalar

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
      inputs: the datasets it is made of. node: the operation that makes it.

    Attributes:
      types, shapes: of the components of each element.
      keeps_state: whether it matters which iterator, and which of the pipeline's stages, uses it.
      use: the number of this copy, of those that `finalised` made for one iterator; else 0.
    """

    keeps_state = False

    def __init__(self, *inputs: DatasetValue, node: Operation):
        self.node = node
        self.inputs = inputs
        self.use = 0
        self._finalised: DatasetValue | None = None  # guarded by _finalising
        attrs = node.attrs
        self.types: tuple[Any, ...] = tuple(
            attrs.get("output_types") or attrs.get("Toutput_types") or ()
        )
        self.shapes: tuple[TensorShape, ...] = tuple(
            attrs.get("output_shapes") or (scalar(),) * len(self.types)
        )

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
