"""Feeds: from what a user passes in `feed_dict` to arrays a step may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tinytf.framework import misplaced, nest, tensor_value
from tinytf.framework.graph import Graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.refitting import how_to_fit
from tinytf.session.tensor_handles import SessionHandles, TensorHandle


class Feed:
    """Checks and converts the values fed for one tensor.

    Args:
      tensor: what is fed. handles: of the session, whose tensors can be fed.
    """

    __slots__ = (
        "_any_shape",
        "_handles",
        "_is_plain",
        "_number_types",
        "_numpy_dtype",
        "_shape",
        "_type",
        "tensor",
    )

    def __init__(self, tensor: Tensor, handles: SessionHandles | None = None):
        self.tensor = tensor
        self._handles = handles
        self._shape = tensor.shape
        self._any_shape = tensor.shape.ndims is None
        dtype = tensor.dtype.base_dtype
        self._type = dtype.as_numpy_dtype
        self._numpy_dtype = np.dtype(dtype.as_numpy_dtype)
        # Arrays of objects may hold anything: each element is looked at.
        self._is_plain = not self._numpy_dtype.hasobject
        # Python numbers that convert exactly, and without looking at them twice.
        self._number_types: tuple[type, ...] = (float,) if dtype.is_floating else ()

    def convert(self, value: Any) -> Any:
        """`value` as a read-only array or numpy scalar of the tensor's type.

        The array may share memory with `value`; being read-only, it is copied by whoever keeps
        it. Raises TypeError and ValueError in TensorFlow's words.
        """
        if type(value) is np.ndarray and self._is_plain and value.dtype == self._numpy_dtype:
            array = value
        elif type(value) in self._number_types and (self._any_shape or not self._shape.sizes):
            return self._type(value)
        else:
            array = self._as_array(value)
        if not self._any_shape and not self._shape.is_compatible_with(array.shape):
            advice = how_to_fit(array.shape, self._shape.as_list())
            raise ValueError(
                f"Cannot feed value of shape {array.shape} for Tensor {self.tensor.name}, which "
                f"has shape {self._shape}.{advice}\n{self.tensor.op.describe_origin()}"
            )
        if array.ndim == 0 and self._is_plain:
            return array[()]
        view = array.view()
        view.flags.writeable = False
        return view

    def _as_array(self, value: Any) -> np.ndarray:
        if isinstance(value, Tensor):
            raise TypeError(
                f"The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
                f"Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, "
                f"the tensor object was {value} which was passed to the argument `feed_dict` with "
                f"key {self.tensor}. Evaluate it first: sess.run({value.name!r})."
            )
        if isinstance(value, TensorHandle) and self._handles is not None:
            return np.asarray(self._handles.fed(value, self.tensor))
        dtype = self.tensor.dtype.base_dtype
        if not dtype.is_numpy_compatible:
            return np.asarray(value, object)
        if dtype.name == "string":
            return tensor_value.to_array(value, dtype)
        if isinstance(value, np.ndarray) and value.dtype.names:
            value = tensor_value.unquantized(value)
        if type(value) is int and dtype.is_integer and not dtype.min <= value <= dtype.max:
            raise self._not_convertible(value, None)
        try:
            array = np.asarray(value, dtype=self._type)
        except (TypeError, ValueError, OverflowError) as error:
            raise self._not_convertible(value, error) from None
        if isinstance(value, int) and array != value:
            raise self._not_convertible(value, None)
        return array

    def _not_convertible(self, value: Any, error: Exception | None) -> Exception:
        name = self.tensor.dtype.base_dtype.name
        shown = tensor_value.short_repr(value)
        if isinstance(value, int) or isinstance(error, OverflowError):
            return TypeError(
                f"Type of feed value {shown} with type {type(value)} is not compatible with Tensor "
                f"type {self._type}. Try explicitly setting the type of the feed tensor to a "
                f"larger type (e.g. int64).\n{self.tensor.op.describe_origin()}"
            )
        kind = TypeError if isinstance(error, TypeError) else ValueError
        return kind(
            f"Cannot feed {shown} of type '{type(value).__name__}' for Tensor "
            f"{self.tensor.name}, which has dtype {name}: {error}.\n"
            f"{self.tensor.op.describe_origin()}"
        )


def resolve_feed(graph: Graph, key: Any) -> Tensor:
    """The tensor that a key of a `feed_dict` stands for.

    Raises:
      TypeError: if the key is no tensor of the graph. ValueError: if it may not be fed.
    """
    try:
        tensor = graph.as_graph_element(key, allow_tensor=True, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(
            f"Cannot interpret feed_dict key as Tensor: {error.args[0]}{_key_hint(key)}"
        ) from None
    if not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor.name} may not be fed.")
    return tensor


def _key_hint(key: Any) -> str:
    """What to say of a key that was meant for something else."""
    if isinstance(key, Tensor):
        return (
            " It was built in another graph than the one this session was opened for.\n"
            f"{key.op.describe_origin()}"
        )
    if isinstance(key, float | np.generic | np.ndarray):
        return (
            " The keys of a feed_dict are placeholders or other tensors. This is a value: was it "
            "given the name of the placeholder, as in `for x in data:`?"
        )
    return ""


def is_composite(key: Any) -> bool:
    """Whether a key of a `feed_dict` stands for several tensors."""
    return isinstance(key, tuple | list) or hasattr(key, "_fetch_components")


def components_of(key: Any) -> list[Any]:
    """What a key stands for: the leaves of nested tuples, the tensors of a composite."""
    if isinstance(key, tuple | list):
        return [part for leaf in nest.flatten(key) for part in components_of(leaf)]
    return key._fetch_components()[0] if is_composite(key) else [key]


def check_feed_dict(feed_dict: Any) -> None:
    """TypeError for what is no dictionary; None is one without feeds, as is an empty list."""
    if isinstance(feed_dict, Mapping):
        return
    advice = misplaced.advice(feed_dict, misplaced.FEED_DICT)
    if advice or isinstance(feed_dict, np.ndarray) or feed_dict:
        shown = tensor_value.short_repr(feed_dict)
        raise TypeError(f"feed_dict must be a dictionary, got {shown}{advice}")


def expand_feeds(feed_dict: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """The (key, value) pairs of a `feed_dict`, with tuples and composite keys taken apart.

    Raises:
      ValueError: if a value has not the parts of its key.
    """
    return [
        pair
        for key, value in feed_dict.items()
        for leaf, part in _leaves(key, value)
        for pair in _components(leaf, part)
    ]


def _leaves(key: Any, value: Any) -> list[tuple[Any, Any]]:
    """The leaves of nested tuples, each with its value."""
    if not isinstance(key, tuple | list):
        return [(key, value)]
    keys, values = nest.flatten(key), nest.flatten(value)
    if len(values) != len(keys):
        raise ValueError(
            f"Could not flatten dictionary. Key had {len(keys)} elements, but value had "
            f"{len(values)} elements. Key: {keys}, value: {tensor_value.short_repr(value)}. "
            f"Tuples and lists are taken apart in both: give what belongs to one tensor as an "
            f"array, np.array([1, 2])."
        )
    return list(zip(keys, values, strict=True))


def _components(key: Any, value: Any) -> list[tuple[Any, Any]]:
    """The tensors of a composite key, such as a SparseTensor, with the parts of its value."""
    if not is_composite(key):
        return [(key, value)]
    tensors, name = key._fetch_components()[0], type(key).__name__
    if isinstance(value, np.generic) or not hasattr(value, "__len__"):
        raise TypeError(
            f"A {name} is fed {len(tensors)} values, as a {name}Value or a tuple; got "
            f"{tensor_value.short_repr(value)}"
        )
    parts = list(value)
    if len(parts) == len(tensors) + 1 and parts[-1] is None:
        parts.pop()  # of IndexedSlices whose shape is not known
    if len(parts) != len(tensors):
        names = ", ".join(tensor.name for tensor in tensors)
        raise ValueError(
            f"A {name} is fed {len(tensors)} values ({names}), but got {len(parts)}: "
            f"{tensor_value.short_repr(value)}"
        )
    return list(zip(tensors, parts, strict=True))
