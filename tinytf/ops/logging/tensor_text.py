"""Tensors as text, as TensorFlow's C++ code prints them (`Tensor::SummarizeValue`).

`tf.Print` and `tf.Assert` show the first elements, "[[0 1 2...]...]"; `tf.print` shows the first
and last of each dimension, over several lines. Numbers are written as C's "%g" with as many
digits as it takes to read the same number again, bools as 0 and 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: C's FLT_DIG and DBL_DIG: digits that survive in any case; then those that always suffice.
_DIGITS = {4: (6, 9), 8: (15, 17)}
_ESCAPES = {
    ord("\n"): b"\\n",
    ord("\r"): b"\\r",
    ord("\t"): b"\\t",
    ord('"'): b'\\"',
    ord("'"): b"\\'",
    ord("\\"): b"\\\\",
}


def element_text(element: Any) -> str:
    """One element, without quotes."""
    if isinstance(element, bytes):
        escaped = b"".join(_ESCAPES.get(byte, bytes([byte])) for byte in element)
        return escaped.decode("utf-8", "backslashreplace")
    if isinstance(element, np.bool_ | bool):
        return str(int(element))
    if isinstance(element, np.integer):
        return str(int(element))
    if isinstance(element, np.complexfloating):
        return "?"  # so does TensorFlow
    return _float_text(element)


def _float_text(element: Any) -> str:
    value = float(element)
    if value != value:
        return "nan"
    wide = isinstance(element, np.float64)
    short, long = _DIGITS[8 if wide else 4]
    text = f"{value:.{short}g}"
    same = float(text) == value if wide else np.float32(text) == np.float32(value)
    return text if same else f"{value:.{long}g}"


def first_elements(value: Any, summarize: int) -> str:
    """The first `summarize` elements; negative for all. No brackets around the outermost dimension.

    Example:
      >>> first_elements(np.arange(4), 3)
      '0 1 2...'
    """
    array = np.asarray(value)
    elements = array.reshape(-1)
    limit = array.size if summarize < 0 else min(summarize, array.size)
    if array.ndim == 0:
        text = element_text(elements[0]) if limit else ""
    else:
        parts: list[str] = []
        _first_of_dimension(array.shape, 0, limit, elements, 0, parts)
        text = "".join(parts)
    return text + "..." if array.size > limit else text


def _first_of_dimension(
    shape: tuple[int, ...], axis: int, limit: int, elements: Any, index: int, parts: list[str]
) -> int:
    """Append one dimension's text; `index` counts the elements written so far."""
    if index >= limit:
        return index
    if axis == len(shape) - 1:
        for i in range(shape[axis]):
            if index >= limit:
                if axis:
                    parts.append("...")
                return index
            parts.append((" " if i else "") + element_text(elements[index]))
            index += 1
        return index
    for _ in range(shape[axis]):
        if index >= limit:
            break
        parts.append("[")
        index = _first_of_dimension(shape, axis + 1, limit, elements, index, parts)
        parts.append("]")
    return index


def ends_of_dimensions(value: Any, summarize: int) -> str:
    """The first and last `summarize` elements of each dimension; negative for all.

    Example:
      >>> ends_of_dimensions(np.arange(10), 3)
      '[0 1 2 ... 7 8 9]'
    """
    array = np.asarray(value)
    count = array.size if summarize < 0 else min(summarize, array.size)
    if array.ndim == 0 and count == 0:
        return "..."
    return _ends(array, 0, array.ndim, count)


def _ends(array: Any, axis: int, rank: int, count: int) -> str:
    if axis == rank:
        element = array[()] if isinstance(array, np.ndarray) else array
        text = element_text(element)
        return f'"{text}"' if isinstance(element, bytes) else text
    last = axis == rank - 1
    spacing = " " if last else "\n" * (rank - axis - 1) + " " * (axis + 1)
    size = len(array)
    parts = [_ends(array[i], axis + 1, rank, count) for i in range(min(count, size))]
    text = spacing.join(parts)
    if size > 2 * count:
        text += spacing + "..."
    for i in range(max(count, size - count), size):
        text += spacing + _ends(array[i], axis + 1, rank, count)
    return f"[{text}]"
