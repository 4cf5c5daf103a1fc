"""Feeds: from what a user passes in `feed_dict` to arrays a step may use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tinytf.framework import tensor_value
from tinytf.framework.graph import Graph
from tinytf.framework.tensor import Tensor
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
            raise ValueError(
                f"Cannot feed value of shape {array.shape} for Tensor {self.tensor.name}, which "
                f"has shape {self._shape}.\n{self.tensor.op.describe_origin()}"
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
    return isinstance(key, tuple | list) or hasattr(key, "_feed_components")


def check_feed_dict(feed_dict: Any) -> None:
    """TypeError for what is no dictionary; None is one without feeds."""
    if feed_dict is None or isinstance(feed_dict, Mapping):
        return
    is_session = hasattr(feed_dict, "make_callable")
    raise TypeError(
        f"feed_dict must be a dictionary, got {tensor_value.short_repr(feed_dict)}"
        + (". Name the session: session=..." if is_session else "")
    )


def expand_feeds(feed_dict: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """The (key, value) pairs of a `feed_dict`, with tuples and composite keys taken apart."""
    pairs: list[tuple[Any, Any]] = []
    for key, value in feed_dict.items():
        components = getattr(key, "_feed_components", None)
        if isinstance(key, tuple | list):
            if not isinstance(value, tuple | list) or len(value) != len(key):
                count = len(value) if isinstance(value, tuple | list) else 1
                raise ValueError(
                    f"Could not flatten dictionary. Key had {len(key)} elements, but value had "
                    f"{count} elements. Key: {list(key)}, value: {tensor_value.short_repr(value)}."
                )
            pairs.extend(zip(key, value, strict=True))
        elif components is not None:
            pairs.extend(components(value))
        else:
            pairs.append((key, value))
    return pairs
