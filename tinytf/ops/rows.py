"""Rows of an array, combined with other rows at places that may repeat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.ops.shape_rules import invalid


def assign_rows(array: np.ndarray, places: np.ndarray, rows: Any) -> None:
    """`array[places] = rows`; of rows for the same place the last one stays."""
    array[places] = rows


def combining(function: Any) -> Callable[[np.ndarray, np.ndarray, Any], None]:
    """A function like `assign_rows` that does `array[place] = function(array[place], row)`.

    Rows for the same place are taken one after another, in order.

    Args:
      function: a ufunc of two arrays, or a function like one.
    """

    def combine(array: np.ndarray, places: np.ndarray, rows: Any) -> None:
        if are_different(places):
            array[places] = function(array[places], rows)
            return
        unique, positions = np.unique(places, return_inverse=True)
        part = array[unique]
        rows = np.broadcast_to(rows, (len(places), *array.shape[1:]))
        accumulate(function, part, positions, rows)
        array[unique] = part  # at once: an interrupt leaves all rows or none

    return combine


def are_different(places: np.ndarray) -> bool:
    """Whether no place of a vector occurs twice."""
    return len(places) < 2 or len(np.unique(places)) == len(places)


#: if one place occurs more often, numpy's own loop over places is faster
_MANY = 16


def accumulate(function: Any, array: np.ndarray, places: np.ndarray, rows: np.ndarray) -> None:
    """`array[place] = function(array[place], row)` for one place after another, in order.

    Args:
      function: a ufunc of two arrays, or a function like one.
      array: C-contiguous, written row by row.
      places: a vector of row numbers.
      rows: as many rows.
    """
    groups = rounds(places)
    if len(groups) <= _MANY or not isinstance(function, np.ufunc):
        for which in groups:
            at = places[which]
            array[at] = function(array[at], rows[which])
        return
    width = array[:1].size
    if width != 1:  # on vectors, ufunc.at is several times faster
        numbers = places.astype(np.int64)[:, None] * width + np.arange(width)
        places = numbers.reshape(-1)
    function.at(array.reshape(-1), places, rows.reshape(-1))


def rounds(places: np.ndarray) -> list[np.ndarray]:
    """The numbers 0 ... n - 1 of places, in groups that have no place twice, in order.

    As many groups as the place that occurs most often has entries; one if all are different.
    """
    count = len(places)
    if count < 2:
        return [np.arange(count)] if count else []
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    is_first = np.empty(count, np.bool_)
    is_first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    starts = np.flatnonzero(is_first)
    if len(starts) == count:
        return [np.arange(count)]
    lengths = np.diff(starts, append=count)
    occurrence = np.empty(count, np.int64)
    occurrence[order] = np.arange(count) - np.repeat(starts, lengths)
    by_round = np.argsort(occurrence, kind="stable")
    sizes = np.bincount(occurrence)
    return np.split(by_round, np.cumsum(sizes)[:-1])


def divide(x: Any, y: Any) -> Any:
    """`x / y`, of integers towards zero, as C++ divides.

    Raises:
      InvalidArgumentError: if an integer is divided by zero.
    """
    if np.asarray(x).dtype.kind not in "iu":
        return np.divide(x, y)
    if not np.all(y):
        raise invalid("Integer division by zero")
    return (x - np.fmod(x, y)) // y
