"""Ops of iterators: making, initialising, naming them, and getting their elements."""

from __future__ import annotations

import itertools
import secrets
import threading
from typing import Any

import numpy as np

from tinytf.data.card_sources import TYPES
from tinytf.data.iterator_resource import Iterator, check_shapes, check_types
from tinytf.data.value import Dataset
from tinytf.framework import shape_inference
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.function_library import Function
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor_shape import TensorShape

_REASON = "an iterator is state"
_NAMED = ["shared_name: string", "container: string", *TYPES]
_numbers = itertools.count()


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
        raise InvalidArgumentError(f"This is not the handle of an iterator: {handle!r}")
    return handle


def _found(
    node: Any, resources: Any, container: bytes, shared_name: bytes, types: Any, shapes: Any
) -> Iterator:
    """The iterator that a node means: its own, of this session, or the one shared under a name."""
    where = container.decode()
    if not shared_name:
        # As TensorFlow's private resources are called; nobody shares a name that begins so.
        found = resources.of_node(
            f"_{node.name}", Iterator, lambda: Iterator(node.name, types, shapes), where
        )
    else:
        name = shared_name.decode()
        found = resources.lookup_or_create(
            where, name, Iterator, lambda: Iterator(name, types, shapes)
        )
    check_types(found.types, types)
    check_shapes(found.shapes, shapes)
    return found


# IteratorV2, Iterator ---------------------------------------------------------------------------

iterator_v2 = define_op("IteratorV2", "-> handle: resource", *_NAMED, stateful=True)
iterator = define_op("Iterator", "-> handle: resource", *_NAMED, stateful=True)
for _card in (iterator, iterator_v2):
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(_REASON)


@iterator_v2.kernel
@iterator.kernel
def _iterator(
    *, shared_name: bytes, container: bytes, output_types: Any, output_shapes: Any, node: Any,
    resources: Any,
) -> Iterator:  # fmt: skip
    found = _found(node, resources, container, shared_name, output_types, output_shapes)
    return found


# OneShotIterator ----------------------------------------------------------------------------------

one_shot_iterator = define_op(
    "OneShotIterator",
    "-> handle: resource",
    "dataset_factory: func",
    *TYPES,
    "container: string = '', shared_name: string = ''",
    stateful=True,
    shape=shape_inference.is_scalar,
    no_gradient=_REASON,
)


@one_shot_iterator.kernel
def _one_shot(
    step: Any, *, dataset_factory: Function, output_types: Any, output_shapes: Any,
    container: bytes, shared_name: bytes, node: Any, resources: Any,
) -> Iterator:  # fmt: skip
    found = _found(node, resources, container, shared_name, output_types, output_shapes)
    if found.dataset is None:
        results = step.functions.run(dataset_factory, [], step.cancellation, node.name)
        found.initialise(results[0], step.functions, step.resources, step.cancellation, once=True)
    return found


# MakeIterator -------------------------------------------------------------------------------------

make_iterator = define_op(
    "MakeIterator",
    "dataset: variant, iterator: resource",
    stateful=True,
    shape=shape_inference.no_outputs,
    no_gradient=_REASON,
)


@make_iterator.kernel
def _make(step: Any, dataset: Dataset, iterator: Iterator) -> tuple[()]:
    checked_iterator(iterator).initialise(
        dataset, step.functions, step.resources, step.cancellation
    )
    return ()


# IteratorGetNext, IteratorGetNextSync -------------------------------------------------------------

iterator_get_next = define_op(
    "IteratorGetNext",
    "iterator: resource -> components: output_types",
    *TYPES,
    stateful=True,
    no_gradient=_REASON,
)
iterator_get_next_sync = define_op(
    "IteratorGetNextSync",
    "iterator: resource -> components: output_types",
    *TYPES,
    stateful=True,
    no_gradient=_REASON,
)


@iterator_get_next.shape
@iterator_get_next_sync.shape
def _element_shapes(c: InferenceContext) -> list[TensorShape]:
    return list(c.attrs["output_shapes"])


@iterator_get_next.kernel
@iterator_get_next_sync.kernel
def _get_next(step: Any, iterator: Iterator, *, output_types: Any) -> tuple[Any, ...]:
    if checked_iterator(iterator).types != output_types:  # of another graph that shares its name
        check_types(iterator.types, output_types)
    return iterator.get_next(step.cancellation)


# IteratorToStringHandle, IteratorFromStringHandleV2 -----------------------------------------------

iterator_to_string_handle = define_op(
    "IteratorToStringHandle", "resource_handle: resource -> string_handle: string", stateful=True
)
iterator_from_string_handle_v2 = define_op(
    "IteratorFromStringHandleV2",
    "string_handle: string -> resource_handle: resource",
    "output_types: list(type) >= 0 = [], output_shapes: list(shape) >= 0 = []",
    stateful=True,
)
iterator_from_string_handle = define_op(
    "IteratorFromStringHandle",
    "string_handle: string -> resource_handle: resource",
    "output_types: list(type) >= 0 = [], output_shapes: list(shape) >= 0 = []",
    stateful=True,
)
for _card in (
    iterator_to_string_handle, iterator_from_string_handle, iterator_from_string_handle_v2
):  # fmt: skip
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(_REASON)


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
        raise InvalidArgumentError("string_handle must be a scalar")
    found = _handles(step.resources).find(string_handle[()])
    if found is None:
        raise InvalidArgumentError(
            f"Could not parse string_handle as a valid ResourceHandle: no iterator of this session "
            f"has the handle {string_handle[()]!r}. Feed what session.run(iterator.string_handle())"
            f" returned, in this very session.",
        )
    check_types(output_types, found.types)
    check_shapes(output_shapes, found.shapes)
    return found
