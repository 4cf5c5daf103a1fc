"""`equal_to`: an answer's value against the one expected."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.grading.assertions.plain_values import Strange, plain, shown
from tinytf.grading.authoring import Wrong

# An answer may put something else into numpy's namespace: these were there before it.
_asarray, _isnan, _nonzero, _equal = np.asarray, np.isnan, np.nonzero, np.equal
_errstate, _maximum, _isfinite = np.errstate, np.maximum, np.isfinite
#: From here on not every whole number is a float64.
_EXACT_FLOATS = 1 << 53


class Difference(NamedTuple):
    """How a value differs: where ("[2]['x']"), in which way, and the two."""

    where: str
    how: str
    expected: Any
    got: Any
    hint: str = ""


def equal_to(
    got: Any, expected: Any, tolerance: float = 0, *, what: str = "the value", hint: str = ""
) -> None:
    """A value is the one expected.

    What is compared are plain values, taken out of `got` without calling any method of it: an
    object that says it equals everything is wrong. Numbers are equal whatever their types, but
    True is no number, bytes are no text, and where both are numpy's the dtypes must be the same.
    NaN equals NaN. A list, a tuple and an array with the same items are equal; dictionaries and
    sets are compared item by item.

    Args:
      got: the answer's. expected: numbers, strings, None, arrays; lists and dictionaries of these.
      tolerance: by how much a number may be off, relative to the expected one if that is beyond 1.
      what: names the value in the message. hint: what to think about.

    Raises:
      Wrong: saying where the first difference is, and of which kind.

    Example:
      >>> tinytf.grading.equal_to([0.1 + 0.2], [0.3], tolerance=1e-9)
      >>> try:
      ...     tinytf.grading.equal_to({"a": [1, 2, 4]}, {"a": [1, 2, 3]}, what="answer")
      ... except tinytf.grading.Wrong as wrong:
      ...     print(wrong)
      answer['a'][2] is wrong; expected 3, got 4
    """
    found = difference(plain(got), plain(expected), tolerance, "")
    if found is not None:
        one, other = (v if type(v) is str else shown(v) for v in (found.expected, found.got))
        raise Wrong(f"{what}{found.where} {found.how}", one, other, hint=hint or found.hint)


def difference(got: Any, expected: Any, tolerance: float, where: str) -> Difference | None:
    """The first difference of two plain values; None if there is none."""
    if isinstance(expected, Strange):
        same = isinstance(got, Strange) and type(got.value) is type(expected.value)
        if same and bool(expected.value == got.value):
            return None
        return Difference(where, "is wrong", str(expected.value), shown(got))
    if isinstance(got, Strange):
        return _strange(got, expected, where)
    numbers = as_numbers(expected)
    if numbers is not None:
        return _numbers(got, expected, numbers, tolerance, where)
    if isinstance(expected, dict):
        return _dictionaries(got, expected, tolerance, where)
    if isinstance(expected, list | tuple | np.ndarray):
        return _sequences(got, expected, tolerance, where)
    if type(got) is not type(expected):
        hint = ""
        if {type(got), type(expected)} == {bytes, str}:
            hint = "the strings of a tensor are bytes: b'text', and .decode() makes text of them"
        return Difference(where, "is of another type", _kind(expected), _kind(got), hint)
    return None if got == expected else Difference(where, "is wrong", shown(expected), shown(got))


def as_numbers(value: Any) -> Any:
    """An array of numbers, or of truth values, if a plain value is nothing else; or None."""
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind in "biufcV" else None
    if not isinstance(value, bool | int | float | complex | list | tuple):
        return None
    if isinstance(value, list | tuple):
        arrays = [as_numbers(item) for item in value]
        if any(array is None for array in arrays):
            return None
        kinds = {(array.dtype.kind == "b", array.shape) for array in arrays}
        if len(kinds) > 1:
            return None  # ragged, or both numbers and truth values
    try:
        array = _asarray(value)
    except OverflowError:
        return None
    return array if array.dtype.kind in "biufc" else None


def _numbers(
    got: Any, expected: Any, wanted: Any, tolerance: float, where: str
) -> Difference | None:
    array = as_numbers(got)
    if array is None:
        if isinstance(got, list | tuple | np.ndarray) and wanted.ndim:
            return _sequences(got, wanted.tolist(), tolerance, where)  # it says which item
        return Difference(where, "is of another type", _kind(expected), _kind(got))
    if array.shape != wanted.shape:
        shapes = f"shape {list(wanted.shape)}", f"shape {list(array.shape)}: {shown(got)}"
        return Difference(where, "has another shape", *shapes)
    if "b" in (array.dtype.kind + wanted.dtype.kind) and array.dtype != wanted.dtype:
        if array.size:
            return Difference(where, "is of another type", _kind(expected), _kind(got))
    both_numpy = isinstance(got, np.ndarray) and isinstance(expected, np.ndarray)
    if both_numpy and array.dtype != wanted.dtype:
        return Difference(where, "has another dtype", wanted.dtype.name, array.dtype.name)
    wrong = _nonzero(~_asarray(_close(array, wanted, tolerance)).reshape(wanted.shape or (1,)))
    count = len(wrong[0])
    if not count:
        return None
    place = tuple(int(index[0]) for index in wrong) if wanted.shape else ()
    one, other = wanted[place].item(), array[place].item()
    how = "is wrong" if count == 1 else f"is wrong, and so are {count - 1} more of {wanted.size}"
    hint = ""
    if other != other:
        hint = "NaN (no number) comes of 0 / 0, of inf - inf, and of whatever is computed with NaN"
    elif tolerance:
        how += f" by more than {tolerance:g}"
    return Difference(where + "".join(f"[{i}]" for i in place), how, one, other, hint)


def _close(array: Any, wanted: Any, tolerance: float) -> Any:
    """Where two arrays of one shape have the same numbers, or nearly."""
    kinds = array.dtype.kind + wanted.dtype.kind
    if set(kinds) <= set("biu"):
        exact = (
            _equal(array.astype(object), wanted.astype(object))
            if "u" in kinds
            else (_equal(array, wanted))
        )
        if not tolerance:
            return exact.astype(bool)
    if set(kinds) & set("iu") and not tolerance and _is_large(array, wanted):
        return _equal(array.astype(object), wanted.astype(object)).astype(bool)
    wide = np.complex128 if "c" in kinds else np.float64
    one, other = array.astype(wide), wanted.astype(wide)
    with _errstate(all="ignore"):
        same = (one == other) | (_isnan(one) & _isnan(other))
        if tolerance:
            near = abs(one - other) <= tolerance * _maximum(1.0, abs(other))
            same |= near & _isfinite(one) & _isfinite(other)
    return same


def _is_large(*arrays: Any) -> bool:
    """Whether a whole number among these may be none as a float64."""
    whole = [a for a in arrays if a.dtype.kind in "iu" and a.size]
    return any(max(abs(int(a.max())), abs(int(a.min()))) > _EXACT_FLOATS for a in whole)


def _sequences(got: Any, expected: Any, tolerance: float, where: str) -> Difference | None:
    if not isinstance(got, list | tuple | np.ndarray) or getattr(got, "shape", None) == ():
        return Difference(where, "is of another type", _kind(expected), _kind(got))
    got, expected = (x.tolist() if isinstance(x, np.ndarray) else x for x in (got, expected))
    if len(got) != len(expected):
        lengths = f"{len(expected)} items", f"{len(got)} items: {shown(got)}"
        return Difference(where, "has another length", *lengths)
    for number, (one, other) in enumerate(zip(got, expected, strict=True)):
        found = difference(one, other, tolerance, f"{where}[{number}]")
        if found is not None:
            return found
    return None


def _dictionaries(got: Any, expected: Any, tolerance: float, where: str) -> Difference | None:
    if not isinstance(got, dict):
        return Difference(where, "is of another type", _kind(expected), _kind(got))
    for title, one, other in (("lacks", expected, got), ("has too much:", got, expected)):
        missing = [key for key in one if key not in other]
        if missing:
            keys = ", ".join(map(shown, missing[:5]))
            return Difference(where, f"{title} {keys}", shown([*expected]), shown([*got]))
    for key, value in expected.items():
        found = difference(got[key], value, tolerance, f"{where}[{shown(key)}]")
        if found is not None:
            return found
    return None


def _strange(got: Strange, expected: Any, where: str) -> Difference:
    kind, hint = type(got.value), ""
    if issubclass(kind, Tensor | Operation):
        hint = "a tensor has no value before it is run: sess.run(tensor) gives it"
    elif any("_as_graph_element" in vars(base) for base in type.mro(kind)):
        hint = "a variable has no value of its own, only in a session: sess.run(variable) gives it"
    return Difference(where, "is no value that can be compared", shown(expected), shown(got), hint)


def _kind(value: Any) -> str:
    """A plain value with the name of its type."""
    if value is None:
        return "None (a function without `return` gives None)"
    if isinstance(value, np.ndarray) and value.shape == ():
        return f"{shown(value)} ({value.dtype.name})"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype.name}, shape {list(value.shape)}"
    return f"{shown(value)} ({type(value).__name__})"
