"""The iterator that a session holds: where a pipeline has got to.

One step at a time pulls elements; a second one waits until the first has its own. Initialising it
again, and closing the session, end what the stages have started.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from tinytf.data.cards import TYPES, element_shapes
from tinytf.data.stages import Context, DatasetValue, Row, Stage
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import (
    CancelledError,
    FailedPreconditionError,
    OutOfRangeError,
    invalid,
)
from tinytf.framework.function_library import Function
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import brackets, is_scalar, no_outputs
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.waiting import Wait, wait_until
from tinytf.ops.math.cast import kernel_name


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
        self.dataset: DatasetValue | None = None
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
        self,
        dataset: DatasetValue,
        functions: Any,
        resources: Any,
        cancellation: CancellationManager | None = None,
        once: bool = False,
    ) -> None:
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
            f"that iterator.make_initializer(dataset) returned, in this session first.)"
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
    for index, one, other in _pairs(expected, given, "types"):
        if one is not other:
            raise invalid(
                f"Data type mismatch at component {index}: expected {kernel_name(one)} but got "
                f"{kernel_name(other)}."
            )


def check_shapes(expected: Sequence[TensorShape], given: Sequence[TensorShape]) -> None:
    """InvalidArgumentError unless the shapes of components may be those expected; () is any."""
    for index, one, other in _pairs(expected, given, "shapes"):
        if not one.is_compatible_with(other):
            raise invalid(
                f"Incompatible shapes at component {index}: expected {brackets(one)} but got "
                f"{brackets(other)}."
            )


def _pairs(expected: Sequence[Any], given: Sequence[Any], what: str) -> Iterable[tuple]:
    """What is to be compared for each component, with its number."""
    if not expected or not given:
        return ()
    if len(expected) != len(given):
        raise invalid(
            f"Number of components does not match: expected {len(expected)} {what} but got "
            f"{len(given)}."
        )
    return zip(count(), expected, given)


# The handles that are fed ------------------------------------------------------------------------

_numbers = count()


class _Handles:
    """The iterators of a session by their string handles."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._iterators: dict[bytes, Iterator] = {}  # guarded by self._lock

    def of(self, iterator: Iterator) -> bytes:
        """The handle of an iterator, always the same one."""
        with self._lock:
            for text, known in self._iterators.items():
                if known is iterator:
                    return text
            # Of another session, no handle is by chance one of this.
            text = f"iterator {next(_numbers)}-{secrets.token_hex(4)}: {iterator.name}".encode()
            self._iterators[text] = iterator
        return text

    def find(self, text: bytes) -> Iterator | None:
        """The iterator with a handle."""
        with self._lock:
            return self._iterators.get(text)


def _handles(resources: Any) -> _Handles:
    return resources.lookup_or_create("", "_iterators_by_handle", _Handles, _Handles)


def checked_iterator(handle: Any) -> Iterator:
    """The iterator behind a handle; InvalidArgumentError for another resource."""
    if not isinstance(handle, Iterator):
        raise invalid(f"This is not the handle of an iterator: {handle!r}")
    return handle


# IteratorV2, Iterator, OneShotIterator ------------------------------------------------------------


def _define(name: str, signature: str, *attrs: str, shape: Any = is_scalar) -> OpCard:
    return define_op(
        name, signature, *attrs, stateful=True, shape=shape, no_gradient="an iterator is state"
    )


_NAMED = f"shared_name: string, container: string, {TYPES}"
iterator = _define("Iterator", "-> handle: resource", _NAMED)
iterator_v2 = _define("IteratorV2", "-> handle: resource", _NAMED)
one_shot_iterator = _define(
    "OneShotIterator",
    "-> handle: resource",
    "dataset_factory: func",
    TYPES,
    "container: string = '', shared_name: string = ''",
)


def _found(
    node: Any, resources: Any, container: bytes, shared_name: bytes, types: Any, shapes: Any
) -> Iterator:
    """The iterator that a node means: its own, of this session, or the one shared under a name."""
    where, name = container.decode(), shared_name.decode() or node.name

    def create() -> Iterator:
        return Iterator(name, types, shapes)

    if shared_name:
        found = resources.lookup_or_create(where, name, Iterator, create)
    else:  # as TensorFlow's private resources are called; nobody shares a name that begins so
        found = resources.of_node(f"_{name}", Iterator, create, where)
    check_types(found.types, types)
    check_shapes(found.shapes, shapes)
    return found


@iterator_v2.kernel
@iterator.kernel
def _iterator(
    *,
    shared_name: bytes,
    container: bytes,
    output_types: Any,
    output_shapes: Any,
    node: Any,
    resources: Any,
) -> Iterator:
    return _found(node, resources, container, shared_name, output_types, output_shapes)


@one_shot_iterator.kernel
def _one_shot(
    step: Any,
    *,
    dataset_factory: Function,
    output_types: Any,
    output_shapes: Any,
    container: bytes,
    shared_name: bytes,
    node: Any,
    resources: Any,
) -> Iterator:
    found = _found(node, resources, container, shared_name, output_types, output_shapes)
    if found.dataset is None:
        results = step.functions.run(dataset_factory, [], step.cancellation, node.name)
        found.initialise(results[0], step.functions, step.resources, step.cancellation, once=True)
    return found


# MakeIterator -------------------------------------------------------------------------------------

make_iterator = _define("MakeIterator", "dataset: variant, iterator: resource", shape=no_outputs)


@make_iterator.kernel
def _make(step: Any, dataset: DatasetValue, iterator: Iterator) -> tuple[()]:
    checked_iterator(iterator).initialise(
        dataset, step.functions, step.resources, step.cancellation
    )
    return ()


# IteratorGetNext, IteratorGetNextSync -------------------------------------------------------------

_NEXT = "iterator: resource -> components: output_types"
iterator_get_next = _define("IteratorGetNext", _NEXT, TYPES, shape=element_shapes)
iterator_get_next_sync = _define("IteratorGetNextSync", _NEXT, TYPES, shape=element_shapes)


@iterator_get_next.kernel
@iterator_get_next_sync.kernel
def _get_next(step: Any, iterator: Iterator, *, output_types: Any) -> tuple[Any, ...]:
    if checked_iterator(iterator).types != output_types:  # of another graph that shares its name
        check_types(iterator.types, output_types)
    return iterator.get_next(step.cancellation)


# IteratorToStringHandle, IteratorFromStringHandleV2, IteratorFromStringHandle ---------------------

iterator_to_string_handle = _define(
    "IteratorToStringHandle", "resource_handle: resource -> string_handle: string"
)
_FROM = "string_handle: string -> resource_handle: resource"
_ANY = "output_types: list(type) >= 0 = [], output_shapes: list(shape) >= 0 = []"
iterator_from_string_handle_v2 = _define("IteratorFromStringHandleV2", _FROM, _ANY)
iterator_from_string_handle = _define("IteratorFromStringHandle", _FROM, _ANY)


@iterator_to_string_handle.kernel
def _to_handle(step: Any, handle: Iterator) -> np.ndarray:
    result = np.empty((), object)
    result[()] = _handles(step.resources).of(checked_iterator(handle))
    return result


@iterator_from_string_handle_v2.kernel
@iterator_from_string_handle.kernel
def _from_handle(
    step: Any, string_handle: Any, *, output_types: Any, output_shapes: Any
) -> Iterator:
    if string_handle.shape != ():
        raise invalid("string_handle must be a scalar")
    found = _handles(step.resources).find(string_handle[()])
    if found is None:
        raise invalid(
            f"Could not parse string_handle as a valid ResourceHandle: no iterator of this session "
            f"has the handle {string_handle[()]!r}. Feed what session.run(iterator.string_handle())"
            f" returned, in this very session."
        )
    check_types(output_types, found.types)
    check_shapes(output_shapes, found.shapes)
    return found
