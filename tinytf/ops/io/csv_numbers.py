"""Columns of plain numbers, all read at once.

One call of Python's `float` for each field takes most of the time that a batch of records takes.
A plain decimal number is an integer over a power of ten; as long as both are exact in float64,
one division rounds as it should.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: Below, the calls of numpy cost more than they save.
_WORTHWHILE = 128
#: Digits that an int64 surely holds.
_DIGITS = 18
#: Powers of ten that are exact in float64.
_POWERS = 10.0 ** np.arange(23)
_EXACT = 1 << 53


def integers(column: Sequence[bytes]) -> np.ndarray | None:
    """Fields such as b"-12" as int64; None if some are of another form, or few."""
    if len(column) < _WORTHWHILE:
        return None
    text = b",".join(column)
    ends = np.flatnonzero(np.frombuffer(text + b",", np.uint8) == 44)
    return None if _longest(ends) > _DIGITS else _integers(text)


def _longest(ends: np.ndarray) -> int:
    """How long the longest field is, from where the commas behind fields are."""
    return int(max(np.diff(ends).max(initial=0) - 1, ends[0]))


def _integers(text: bytes) -> np.ndarray | None:
    if text.translate(None, b"0123456789,-") or b",," in text or text[:1] == b",":
        return None
    minus = text.count(b"-")
    if minus and (
        minus != text.count(b",-") + text.startswith(b"-") or b"-," in text or text[-1:] == b"-"
    ):
        return None
    if text[-1:] == b",":
        return None
    return np.fromstring(text, np.int64, sep=",")


def decimals(column: Sequence[bytes]) -> np.ndarray | None:
    """Fields such as b"-12.5" as float64; None if some are of another form, or few."""
    if len(column) < _WORTHWHILE:
        return None
    text = b",".join(column)
    raw = np.frombuffer(text + b",", np.uint8)
    marks = np.flatnonzero(raw < 47)  # commas, points and minus signs
    kinds = raw[marks]
    if _longest(marks[kinds == 44]) > _DIGITS:
        return None
    whole = _integers(text.replace(b".", b""))
    if whole is None or (np.abs(whole) >= _EXACT).any():
        return None
    result = whole.astype(np.float64)
    if b"-" in text:
        is_minus = kinds == 45
        if b"-0" in text:  # -0.0 is no integer
            negative = np.cumsum(kinds == 44)[is_minus]
            result[negative] = -np.abs(result[negative])
        marks, kinds = marks[~is_minus], kinds[~is_minus]
    points = np.flatnonzero(kinds == 46)
    if len(points) and (kinds[points + 1] == 46).any():
        return None  # two points in a field
    # Behind a point comes the comma that ends its field.
    digits = marks[points + 1] - marks[points] - 1
    owners = points - np.arange(len(points)) if len(points) < len(result) else slice(None)
    result[owners] /= _POWERS[digits]
    return result
