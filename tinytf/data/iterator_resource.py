"""The iterator that a session holds: where a pipeline has got to.

One step at a time pulls elements; a second one waits until the first has its own. Initialising it
again, and closing the session, end what the stages have started.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from tinytf.data.stages import Row, Stage
from tinytf.data.value import Context, Dataset
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import (
    CancelledError,
    FailedPreconditionError,
    InvalidArgumentError,
    OutOfRangeError,
)
from tinytf.framework.shape_inference import brackets
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.waiting import Wait, wait_until


class Iterator:
    """The state of iterating over a dataset; a resource. Thread-safe.

    Args:
      name: of the resource. types, shapes: of the components of its elements; () for any.

    Attributes:
      dataset: what it iterates over; None until it is initialised.
      produced: how many elements it has given since then.
    """

    kind = "Iterator"
    served_by: Mapping[str, frozenset[str]] = {"turn": frozenset(["IteratorGetNext"])}

    def __init__(self, name: str, types: Sequence[DType] = (), shapes: Sequence[TensorShape] = ()):
        self.name = name
        self.types, self.shapes = tuple(types), tuple(shapes)
        self.dataset: Dataset | None = None
        #: Held by whoever pulls, or replaces the pipeline; never while it waits for its turn.
        self._free = threading.Condition()
        #: Whose turn it is, a token of the call; None: nobody's. Set with self._free held.
        self._owner: object | None = None
        self._thread = 0  #: of the owner
        self._context: Context | None = None
        self._stage: Stage | None = None
        self._is_closed = False

    @property
    def produced(self) -> int:
        """How many elements it has given since it was initialised."""
        return 0 if self._stage is None else self._stage.produced

    def describe(self) -> str:
        """Its state in one line."""
        what = "not initialised" if self.dataset is None else f"{self.produced} elements given"
        return f"the iterator '{self.name}', {what}"

    def initialise(
        self, dataset: Dataset, functions: Any, resources: Any,
        cancellation: CancellationManager | None = None, once: bool = False,
    ) -> None:  # fmt: skip
        """Begin at the first element of a dataset.

        Args:
          once: not if it is initialised: of two steps that begin together, one does it.

        Raises:
          InvalidArgumentError: if its elements are not what this iterator is for.
        """
        check_types(self.types, dataset.types)
        check_shapes(self.shapes, dataset.shapes)
        turn = object()
        try:
            self._take_turn(turn, cancellation)
            if once and self.dataset is not None:
                return
            if self._is_closed:
                raise CancelledError(f"The iterator '{self.name}' is closed.")
            old, self._stage = self._stage, None
            if old is not None:
                old.close()
            context = Context(functions, resources, cancellation)
            finalised = dataset.finalised()
            self._stage = finalised.iterate(context)
            self._context, self.dataset = context, finalised
        finally:
            self._end_turn(turn)

    def get_next(self, cancellation: CancellationManager | None = None) -> tuple[Any, ...]:
        """The next element.

        Raises:
          OutOfRangeError: "End of sequence".
          FailedPreconditionError: if it is not initialised.
        """
        if self._stage is None:
            raise self._not_initialised()
        turn = object()
        try:
            self._take_turn(turn, cancellation)
            stage, context = self._stage, self._context
            if stage is None or context is None:
                raise self._not_initialised()
            context.cancellation = cancellation
            try:
                return stage.next()
            except StopIteration:
                stage.close()
                stage.next = _ended
                raise OutOfRangeError("End of sequence") from None
            finally:
                context.cancellation = None
        finally:
            self._end_turn(turn)

    def _not_initialised(self) -> FailedPreconditionError:
        return FailedPreconditionError(
            f"GetNext() failed because the iterator has not been initialized. Ensure that you have "
            f"run the initializer operation for this iterator before getting the next element. "
            f"(Iterator '{self.name}': run session.run(iterator.initializer), or the operation "
            f"that iterator.make_initializer(dataset) returned, in this session first.)",
        )

    def _take_turn(self, turn: object, cancellation: CancellationManager | None) -> None:
        with self._free:
            if self._owner is not None:
                wait_until(
                    lambda: self._owner is None, self._free, self._until_its_turn, cancellation
                )
            self._owner, self._thread = turn, threading.get_ident()

    def _until_its_turn(self) -> list[Wait]:
        return [Wait(f"its turn with {self.describe()}", threads=(self._thread,))]

    def _end_turn(self, turn: object) -> None:
        if self._owner is turn:  # an interrupt may come before the turn was taken
            self._owner = None
            with self._free:
                self._free.notify()

    def snapshot(self) -> list[Row]:
        """What each stage has done, the last one first; see `stages.Row`."""
        stage = self._stage
        return [] if stage is None else stage.rows()

    def close(self) -> None:
        """The session is closed: end what the stages have started."""
        self._is_closed = True
        stage = self._stage
        if stage is not None:
            stage.close()

    def __repr__(self) -> str:
        return f"<{self.describe()}>"


def _ended() -> tuple[Any, ...]:
    raise StopIteration


def check_types(expected: Sequence[DType], given: Sequence[DType]) -> None:
    """InvalidArgumentError unless the types of components are those expected; () is any."""
    if not expected or not given:
        return
    if len(expected) != len(given):
        raise InvalidArgumentError(
            f"Number of components does not match: expected {len(expected)} types but got "
            f"{len(given)}.",
        )
    for index, (one, other) in enumerate(zip(expected, given, strict=True)):
        if one is not other:
            raise InvalidArgumentError(
                f"Data type mismatch at component {index}: expected {_short(one)} but got "
                f"{_short(other)}.",
            )


def check_shapes(expected: Sequence[TensorShape], given: Sequence[TensorShape]) -> None:
    """InvalidArgumentError unless the shapes of components may be those expected; () is any."""
    if not expected or not given:
        return
    if len(expected) != len(given):
        raise InvalidArgumentError(
            f"Number of components does not match: expected {len(expected)} shapes but got "
            f"{len(given)}.",
        )
    for index, (one, other) in enumerate(zip(expected, given, strict=True)):
        if not one.is_compatible_with(other):
            raise InvalidArgumentError(
                f"Incompatible shapes at component {index}: expected {brackets(one)} but got "
                f"{brackets(other)}.",
            )


def _short(dtype: DType) -> str:
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)
