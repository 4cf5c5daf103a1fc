"""Nested structures: sequences, dictionaries, views of dictionaries and attrs objects of tensors.

Mirrors tensorflow/python/util/nest.py. Dictionaries are walked in the order of their sorted keys,
their views (`d.values()`) in the order they have, and become lists;
an `IndexedSlices` or `SparseTensor` is a leaf, unless `expand_composites` asks for its tensors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import (
    Callable,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    ValuesView,
)
from typing import Any

from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.sparse_tensor import SparseTensor

#: What `d.keys()`, `d.values()` and `d.items()` give.
DictView = KeysView | ValuesView | ItemsView


def is_nested(value: Any) -> bool:
    """Whether `value` is a structure, not a leaf (TensorFlow: `tf.nest.is_nested`).

    Structures are sequences other than strings, dictionaries, their views, and objects of classes
    that attrs has made; a set, a generator and an array are leaves.

    Example:
      >>> tf.nest.is_nested([1, 2]), tf.nest.is_nested(1)  # (True, False)
    """
    return _children(value, False) is not None


def with_lists(structure: Any) -> Any:
    """The same structure with a list for every view of a dictionary."""
    return map_structure(lambda leaf: leaf, structure)


def _is_namedtuple(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def _sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def _children(value: Any, expand_composites: bool) -> list[Any] | None:
    """The parts of a structure, in order; None for a leaf."""
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Mapping):
        return [value[key] for key in _sorted_keys(value)]
    if isinstance(value, Sequence | DictView):
        return None if isinstance(value, str | bytes) else list(value)
    fields = getattr(type(value), "__attrs_attrs__", None)
    if fields is not None:
        return [getattr(value, field.name) for field in fields]
    if expand_composites and isinstance(value, IndexedSlices):
        parts = [value.values, value.indices]
        return parts if value.dense_shape is None else [*parts, value.dense_shape]
    if expand_composites and isinstance(value, SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    return None


def _rebuilt(value: Any, children: list[Any]) -> Any:
    """A structure like `value` with other parts."""
    if _is_namedtuple(value):
        return type(value)(*children)
    if isinstance(value, DictView | range):
        return children
    if isinstance(value, Mapping):
        by_key = dict(zip(_sorted_keys(value), children, strict=True))
        pairs = ((key, by_key[key]) for key in value)
        if isinstance(value, defaultdict):
            return type(value)(value.default_factory, pairs)
        return type(value)(pairs)  # type: ignore[call-arg]
    if isinstance(value, Sequence):
        return type(value)(children)  # type: ignore[call-arg]
    return type(value)(*children)


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a structure, from left to right (TensorFlow: `tf.nest.flatten`).

    Example:
      >>> tf.nest.flatten({"b": 2, "a": [0, (1,)]})  # [0, 1, 2]
    """
    children = _children(structure, expand_composites)
    if children is None:
        return [structure]
    return [leaf for child in children for leaf in flatten(child, expand_composites)]


def pack_sequence_as(
    structure: Any, flat_sequence: Iterable[Any], expand_composites: bool = False
) -> Any:
    """Leaves, put together in the form of `structure` (TensorFlow: `tf.nest.pack_sequence_as`).

    Raises:
      ValueError: if there are more or fewer of them than `structure` has leaves.

    Example:
      >>> tf.nest.pack_sequence_as({"a": 0, "b": (0,)}, [1, 2])  # {"a": 1, "b": (2,)}
    """
    leaves = list(flat_sequence)
    count = len(flatten(structure, expand_composites))
    if count != len(leaves):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} elements, but flat_sequence had "
            f"{len(leaves)} elements. Structure: {structure}, flat_sequence: {leaves}."
        )
    return _pack(structure, iter(leaves), expand_composites)


def _pack(structure: Any, leaves: Iterator[Any], expand_composites: bool) -> Any:
    children = _children(structure, expand_composites)
    if children is None:
        return next(leaves)
    return _rebuilt(structure, [_pack(child, leaves, expand_composites) for child in children])


def map_structure(
    function: Callable[..., Any], *structures: Any, expand_composites: bool = False
) -> Any:
    """`function` of corresponding leaves, in the form of the first structure.

    TensorFlow: `tf.nest.map_structure`.

    Raises:
      ValueError, TypeError: if the structures differ.

    Example:
      >>> tf.nest.map_structure(lambda x, y: x + y, [1, (2,)], [10, (20,)])  # [11, (22,)]
    """
    first, *others = structures
    for other in others:
        assert_same_structure(first, other, expand_composites=expand_composites)
    columns = [flatten(structure, expand_composites) for structure in structures]
    results = [function(*row) for row in zip(*columns, strict=True)]
    return pack_sequence_as(first, results, expand_composites)


def assert_same_structure(
    first: Any, second: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Check that two structures are nested in the same way.

    TensorFlow: `tf.nest.assert_same_structure`.

    Raises:
      ValueError: if numbers of elements or levels differ.
      TypeError: if `check_types` and kinds of sequences differ, or keys of dictionaries.

    Example:
      >>> tf.nest.assert_same_structure([1, (2,)], ["a", ("b",)])
    """
    try:
        _compare(first, second, check_types, expand_composites)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"The two structures don't have the same nested structure.\n\n"
            f"First structure: {_describe(first)}\n\nSecond structure: {_describe(second)}\n\n"
            f"More specifically: {error}\n"
            f"Entire first structure:\n{_dots(first)}\nEntire second structure:\n{_dots(second)}"
        ) from None


def _compare(first: Any, second: Any, check_types: bool, expand_composites: bool) -> None:
    parts, others = _children(first, expand_composites), _children(second, expand_composites)
    if parts is None and others is None:
        return
    if parts is None or others is None:
        nested, leaf = (second, first) if parts is None else (first, second)
        raise ValueError(
            f'Substructure "{_describe(nested)}" is a sequence, while substructure '
            f'"{_describe(leaf)}" is not'
        )
    if check_types and type(first) is not type(second) and not _are_dictionaries(first, second):
        raise TypeError(
            f"The two structures don't have the same sequence type. First structure "
            f"{_describe(first)} has type {type(first).__name__}, while second structure "
            f"{_describe(second)} has type {type(second).__name__}"
        )
    if len(parts) != len(others):
        raise ValueError(
            f"The two structures don't have the same number of elements. First structure: "
            f"{_describe(first)}. Second structure: {_describe(second)}"
        )
    if isinstance(first, Mapping) and set(first) != set(second):
        raise ValueError(
            f"The two dictionaries don't have the same set of keys. First structure has keys "
            f"{_sorted_keys(first)}, while second structure has keys {_sorted_keys(second)}"
        )
    for part, other in zip(parts, others, strict=True):
        _compare(part, other, check_types, expand_composites)


def _are_dictionaries(first: Any, second: Any) -> bool:
    return isinstance(first, Mapping) and isinstance(second, Mapping)


def _describe(value: Any) -> str:
    return f"type={type(value).__name__} str={value}"


def _dots(structure: Any) -> str:
    """The form of a structure, with "." for every leaf."""
    leaves = [_Dot()] * len(flatten(structure))
    return str(pack_sequence_as(structure, leaves))


class _Dot:
    def __repr__(self) -> str:
        return "."
