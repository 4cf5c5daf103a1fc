"""`Dataset.from_generator`: elements out of the user's own Python code."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from tinytf.data import structure
from tinytf.data.base import made
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.flat_map import flat_map
from tinytf.data.from_tensors import from_tensors
from tinytf.data.functions import StructuredFunction, captured_functions
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import OpError
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.functions.python_functions import py_func

# GeneratorDataset ---------------------------------------------------------------------------------


_FUNCTIONS = ("init_func", "next_func", "finalize_func")
_INPUTS = (
    "init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args, "
    "finalize_func_other_args: Tfinalize_func_args"
)
_ATTRS = (
    "init_func: func, next_func: func, finalize_func: func, Tinit_func_args: list(type) >= 0, "
    "Tnext_func_args: list(type) >= 0, Tfinalize_func_args: list(type) >= 0"
)


@dataset_op(_INPUTS, _ATTRS, FORM, stateful=True)
class GeneratorDataset(DatasetValue):
    """What `next` returns, until it says that there is no more (OutOfRangeError)."""

    def start(self, context: Context, stage: Stage) -> Next:
        make, advance, end = captured_functions(self, context, "other_args", *_FUNCTIONS)
        state: tuple | None = None
        is_over = False

        def finalize() -> None:
            nonlocal state, is_over
            held, state, is_over = state, None, True
            if held is not None:
                with suppress(OpError, StopIteration):  # what the user's `finally` does, he sees
                    end(held)

        def generated() -> tuple:
            nonlocal state
            if is_over:
                raise StopIteration
            if state is None:
                state = tuple(make(()))  # the dummy is among what is captured
            try:
                return tuple(advance(state))
            except StopIteration:
                finalize()
                raise

        stage.on_close(finalize)
        return generated


# What the user's code gives -----------------------------------------------------------------------

_WHAT = "Dataset.from_generator()"


class _Generators:
    """The generators that are running, by number. Thread-safe: one call for each of them at once.

    Args:
      make: the user's function. spec: describes the elements.
    """

    def __init__(self, make: Callable[..., Any], spec: Any):
        self._make, self._spec = make, spec
        self._leaves = structure.flatten(spec)
        self._numbers = itertools.count()
        self._running: dict[int, Iterator[Any]] = {}

    def begin(self, *arguments: Any) -> np.int64:
        """Start one; its number."""
        number = next(self._numbers)
        self._running[number] = iter(self._make(*arguments))
        return np.int64(number)

    def advance(self, number: np.int64) -> list[np.ndarray]:
        """The next element of one: its components. StopIteration at the end."""
        value = next(self._running[int(number)])
        if isinstance(value, list):
            value = tuple(value) if isinstance(self._spec, tuple) else value
        try:
            structure.assert_same_structure(self._spec, value)
            parts = structure.flatten(value)
        except (TypeError, ValueError):
            raise TypeError(
                f"`generator` yielded an element that did not match the expected structure. The "
                f"expected structure was {structure.types_of(self._spec)!r}, but the yielded "
                f"element was {value!r}."
            ) from None
        return [_component(part, leaf) for part, leaf in zip(parts, self._leaves, strict=True)]

    def end(self, number: np.int64) -> np.int64:
        """Forget one; its `finally` runs."""
        running = self._running.pop(int(number), None)
        close = getattr(running, "close", None)
        if close is not None:
            close()
        return np.int64(0)


def _component(value: Any, leaf: Any) -> np.ndarray:
    """A component as an array; TypeError if it is not what was announced."""
    kind = leaf.dtype.as_numpy_dtype
    try:
        array = _strings(value) if leaf.dtype is dtypes.string else np.asarray(value)
        if array.size and array.dtype.kind not in _FROM.get(np.dtype(kind).kind, array.dtype.kind):
            raise TypeError("another kind")
        array = array.astype(kind)
    except (TypeError, ValueError):
        raise TypeError(
            f"`generator` yielded an element that could not be converted to the expected type. "
            f"The expected type was {leaf.dtype.name}, but the yielded element was {value!r}."
        ) from None
    if not leaf.shape.is_compatible_with(array.shape):
        raise TypeError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape "
            f"{leaf.shape} was expected."
        )
    return array


#: Which kinds of arrays may become an array of a kind.
_FROM = {"i": "iub", "u": "iub", "f": "fiub", "c": "cfiub", "b": "b", "O": "O"}


def _strings(value: Any) -> np.ndarray:
    found = np.asarray(value, object)
    result = np.empty(found.shape, object)
    for place, part in np.ndenumerate(found):
        if not isinstance(part, str | bytes):
            raise TypeError("no text")
        result[place] = part.encode() if isinstance(part, str) else part
    return result


# Method -------------------------------------------------------------------------------------------


def from_generator(
    generator: Callable[..., Any],
    output_types: Any = None,
    output_shapes: Any = None,
    args: Any = None,
    output_signature: Any = None,
    name: str | None = None,
) -> Any:
    """What a Python generator yields (TensorFlow: `Dataset.from_generator`).

    It runs in this process, on the thread that asks for elements: such a graph cannot be run
    elsewhere.

    Args:
      generator: called each time somebody begins to iterate; returns an iterable of elements.
      output_types: dtypes in the form of the elements. output_shapes: static shapes in the same
        form; None: unknown.
      args: tensors whose values, as arrays, are its arguments.
      output_signature: `tf.TensorSpec`s in that form, instead of types and shapes.
      name: kept in the graph.

    Raises:
      TypeError: for arguments that do not fit. InvalidArgumentError ...: when it runs, if the
      generator raises (the message has its line, and the number of the element), or yields
      what was not announced.

    Example:
      >>> tf.data.Dataset.from_generator(lambda: range(3), tf.int64, [])  # 0, 1, 2
    """
    if not callable(generator):
        raise TypeError(
            f"`generator` must be a Python callable. Got {generator!r}: give the function itself, "
            f"from_generator(rows), not what rows() returns; of a list, from_tensor_slices."
        )
    spec = _signature(output_types, output_shapes, output_signature)
    arguments = tuple(
        convert_to_tensor(value, name=f"args_{index}")
        for index, value in enumerate(() if args is None else args)
    )
    running = _Generators(generator, spec)
    kinds = structure.flat_types(spec)

    def get_iterator_id_fn(unused_dummy: Tensor) -> Tensor:
        return py_func(running.begin, list(arguments), dtypes.int64)

    def generator_next_fn(iterator_id: Tensor) -> Any:
        values = py_func(running.advance, [iterator_id], kinds)
        for value, shape in zip(values, structure.flat_shapes(spec), strict=True):
            value.set_shape(shape)
        return structure.pack(spec, values)

    def finalize_fn(iterator_id: Tensor) -> Tensor:
        return py_func(running.end, [iterator_id], dtypes.int64)

    def flat_map_fn(dummy: Tensor) -> Any:
        first = StructuredFunction(get_iterator_id_fn, _WHAT, structure.spec_of(dummy))
        following = StructuredFunction(generator_next_fn, _WHAT, first.spec)
        last = StructuredFunction(finalize_fn, _WHAT, first.spec)
        return made(
            GeneratorDataset.card,
            [dummy, *first.captured],
            following.captured,
            last.captured,
            init_func=first.attr,
            next_func=following.attr,
            finalize_func=last.attr,
            spec=spec,
            name=name,
        )

    return flat_map(from_tensors(0, name=name), flat_map_fn, name=name)


def _signature(types: Any, shapes: Any, signature: Any) -> Any:
    """What describes the elements."""
    if types is not None and signature is not None:
        raise TypeError(
            "The `output_types` argument can not be used together with the `output_signature` "
            "argument."
        )
    if shapes is not None and signature is not None:
        raise TypeError(
            "The `output_shapes` argument can not be used together with the `output_signature` "
            "argument."
        )
    if types is None and signature is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` "
            "argument or the `output_types` argument."
        )
    if signature is None:
        return structure.spec_from_legacy(types, shapes)
    for leaf in structure.flatten(signature):
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                f"`output_signature` must contain objects that are subclass of `tf.TypeSpec` but "
                f"found {type(leaf)} which is not."
            )
    return signature
