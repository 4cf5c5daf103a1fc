"""Rows of an array, combined with other rows at places that may repeat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.errors import invalid


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
        found = repeats(places)
        if found is None:
            array[places] = function(array[places], rows)
            return
        part = array[found.places]
        rows = np.broadcast_to(rows, (len(places), *array.shape[1:]))
        _accumulate(function, part, found.positions, rows, found)
        array[found.places] = part  # at once: an interrupt leaves all rows or none

    return combine


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
    found = repeats(places)
    if found is None:
        array[places] = function(array[places], rows)
    else:
        _accumulate(function, array, places, rows, found)


def _accumulate(function: Any, array: Any, places: Any, rows: Any, found: Repeats) -> None:
    if found.most > _MANY and isinstance(function, np.ufunc):
        width = array[:1].size
        if width != 1:  # on vectors, ufunc.at is several times faster
            places = (places.astype(np.int64)[:, None] * width + np.arange(width)).reshape(-1)
        function.at(array.reshape(-1), places, rows.reshape(-1))
        return
    for which in found.rounds():
        at = places[which]
        array[at] = function(array[at], rows[which])


class Repeats:
    """A vector of places, of which some occur several times.

    Attributes:
      places: the different ones, in order.
      positions: for each entry, where in `places` it is.
      most: how often the most frequent one occurs.
    """

    __slots__ = ("_occurrence", "most", "places", "positions")

    def __init__(self, order: np.ndarray, ordered: np.ndarray, is_first: np.ndarray):
        count = len(order)
        starts = np.flatnonzero(is_first)
        self.places = ordered[starts]
        group = np.cumsum(is_first) - 1
        self.positions = np.empty(count, np.int64)
        self.positions[order] = group
        #: for each entry, how many before it are of the same place
        self._occurrence = np.empty(count, np.int64)
        self._occurrence[order] = np.arange(count) - starts[group]
        self.most = int(np.diff(starts, append=count).max())

    def rounds(self) -> list[np.ndarray]:
        """The numbers of the entries, in order, in groups that have no place twice."""
        by_round = np.argsort(self._occurrence, kind="stable")
        return np.split(by_round, np.cumsum(np.bincount(self._occurrence))[:-1])


def repeats(places: np.ndarray) -> Repeats | None:
    """What occurs several times in a vector of places; None if all are different."""
    if all_differ(places):
        return None
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    is_first = np.empty(len(places), np.bool_)
    is_first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return Repeats(order, ordered, is_first)


def all_differ(values: np.ndarray) -> bool:
    """Whether no number is twice in a vector."""
    ordered = np.sort(values)
    return not np.equal(ordered[1:], ordered[:-1]).any()


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
