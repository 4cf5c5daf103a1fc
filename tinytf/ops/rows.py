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
        elif isinstance(function, np.ufunc):
            flat, numbers = _elements(array, places)
            rows = np.broadcast_to(rows, (len(places), *array.shape[1:])).reshape(-1)
            function.at(flat, numbers, rows)
        else:
            rows = np.broadcast_to(rows, (len(places), *array.shape[1:]))
            one_after_another(array, places, lambda old, which: function(old, rows[which]))

    return combine


def _elements(array: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The array as a vector, and the numbers of the elements in the rows at `places`.

    (numpy's `ufunc.at` is several times faster on vectors.)
    """
    flat = array.reshape(-1)
    width = array[:1].size
    if width == 1:
        return flat, places
    numbers = places.astype(np.int64)[:, None] * width + np.arange(width)
    return flat, numbers.reshape(-1)


def are_different(places: np.ndarray) -> bool:
    """Whether no place of a vector occurs twice."""
    return len(places) < 2 or len(np.unique(places)) == len(places)


def one_after_another(
    array: np.ndarray, places: np.ndarray, function: Callable[[np.ndarray, np.ndarray], Any]
) -> None:
    """`array[place] = function(array[place], number)` for each place in order, many at a time.

    Args:
      function: gets rows of the array, and which entries of `places` they stand for. What happens
        to rows at different places is independent, so each call gets no place twice.
    """
    unique, position = np.unique(places, return_inverse=True)
    rows = array[unique]
    for which in rounds(position):
        rows[position[which]] = function(rows[position[which]], which)
    array[unique] = rows


def rounds(places: np.ndarray) -> list[np.ndarray]:
    """The numbers 0 ... n - 1 of places, in groups that have no place twice, in order."""
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(places)])
    occurrence = np.empty(len(places), np.int64)
    occurrence[order] = np.arange(len(places)) - np.repeat(starts, lengths)
    return [np.flatnonzero(occurrence == k) for k in range(int(lengths.max(initial=0)))]


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
