"""Code points out of bytes, and bytes out of code points, as the ops on Unicode need them.

Python's codecs do the work. What TensorFlow's (ICU's) do otherwise is here: which names there
are, that the high byte goes first where nothing else is said, and what the bytes 80 to 9F are in
Windows' encodings.
"""

from __future__ import annotations

import codecs
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tinytf.framework.errors import invalid

_LAST = 0x10FFFF
#: Stands for malformed bytes, as many as it is above this: no codec gives such a lone surrogate.
_MALFORMED, _LONGEST = 0xDC80, 0x40
#: Encodings whose texts may begin with a mark of the byte order; without one, high bytes go first.
_MARKS = {
    "utf-16": ((codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF16_LE, "utf-16-le")),
    "utf-32": ((codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF32_LE, "utf-32-le")),
}
#: Codecs of Python's that are no encodings of text elsewhere.
_PYTHON_S_OWN = {
    "idna",
    "punycode",
    "raw-unicode-escape",
    "undefined",
    "unicode-escape",
    "utf-8-sig",
    "mbcs",
    "oem",
}


def _mark(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    length = error.end - error.start
    if error.encoding.startswith(("cp125", "charmap")) and 0x80 <= error.object[error.start] < 0xA0:
        return chr(error.object[error.start]), error.start + 1
    return chr(_MALFORMED + min(length, _LONGEST)), error.end


codecs.register_error("tinytf.mark_malformed", _mark)


@functools.cache
def _codec(encoding: str) -> tuple[str, Callable[..., Any]]:
    """The name and the decoder of an encoding.

    Raises:
      InvalidArgumentError: "Could not create converter for input encoding: nothing".
    """
    name = encoding.lower().replace("_", "-")
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        found = None
    is_text = getattr(found, "_is_text_encoding", False)
    if found is None or not is_text or found.name.replace("_", "-") in _PYTHON_S_OWN:
        raise invalid(f"Could not create converter for input encoding: {encoding}")
    return found.name, found.decode


class Rules(NamedTuple):
    """What becomes of malformed bytes and of control characters; the attributes of the ops."""

    errors: bytes
    replacement_char: int
    replace_control_characters: bool = False

    def check(self) -> None:
        """InvalidArgumentError for a replacement that is no code point."""
        if not 0 <= self.replacement_char <= _LAST:
            raise invalid("replacement_char out of unicode codepoint range")


def decoded(text: bytes, encoding: bytes, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """The code points of a text, and at which byte each begins.

    Raises:
      InvalidArgumentError: for bytes that are malformed, if the rules are strict.
    """
    name, decode = _codec(encoding.decode())
    start = 0
    if name in _MARKS:
        start, name = _order(text, name)
        _, decode = _codec(name)
    characters, count = decode(text[start:], "tinytf.mark_malformed")
    points = np.frombuffer(characters.encode("utf-32-le", "surrogatepass"), "<i4")
    is_wrong = (points > _MALFORMED) & (points <= _MALFORMED + _LONGEST)
    lengths = np.where(is_wrong, points - _MALFORMED, _lengths(points, name, count))
    starts = start + np.cumsum(lengths) - lengths
    starts[:1] = 0  # a mark belongs to the first character
    if rules.replace_control_characters:
        is_wrong |= points < 0x20
    if is_wrong.any():
        if rules.errors == b"strict":
            raise invalid("Invalid formatting on input string")
        if rules.errors == b"ignore":
            return points[~is_wrong], starts[~is_wrong]
        points = np.where(is_wrong, rules.replacement_char, points)
    return points, starts


def _order(text: bytes, name: str) -> tuple[int, str]:
    """How long the mark of the byte order is, and the encoding that it means."""
    for mark, encoding in _MARKS[name]:
        if text.startswith(mark):
            return len(mark), encoding
    return 0, f"{name}-be"


def _lengths(points: np.ndarray, encoding: str, count: int) -> Any:
    """How many of `count` bytes each character has taken."""
    if encoding == "utf-8":
        return 1 + (points > 0x7F) + (points > 0x7FF) + (points > 0xFFFF)
    if encoding.startswith("utf-16"):
        return 2 + 2 * (points > 0xFFFF)
    if encoding.startswith("utf-32"):
        return 4
    if len(points) == count:
        return 1
    texts = map(chr, points.tolist())
    return np.array([max(len(t.encode(encoding, "ignore")), 1) for t in texts], np.int64)


def _are_characters(points: np.ndarray) -> np.ndarray:
    """Which numbers are code points of Unicode that may be characters."""
    is_surrogate = (points >= 0xD800) & (points <= 0xDFFF)
    is_reserved = (points >= 0xFDD0) & (points <= 0xFDEF) | (points & 0xFFFE == 0xFFFE)
    return (points >= 0) & (points <= _LAST) & ~is_surrogate & ~is_reserved


def encoded(points: np.ndarray, encoding: bytes) -> bytes:
    """The bytes of code points. UTF-8 has none for a lone surrogate, which becomes U+FFFD."""
    if encoding == b"UTF-8":
        points = np.where((points >= 0xD800) & (points <= 0xDFFF), 0xFFFD, points)
    text = points.astype("<i4").tobytes().decode("utf-32-le", "surrogatepass")
    return text.encode(encoding.decode(), "surrogatepass")


def encoded_by(points: np.ndarray, encoding: bytes, rules: Rules) -> bytes:
    """The bytes of numbers that need not be code points.

    Raises:
      InvalidArgumentError: for one that is none, if the rules are strict.
    """
    are_characters = _are_characters(points)
    if are_characters.all():
        return encoded(points, encoding)
    if rules.errors == b"strict":
        raise invalid("Code point is out of range for Unicode, or a noncharacter.")
    if rules.errors == b"ignore":
        return encoded(points[(points >= 0) & (points <= _LAST)], encoding)
    return encoded(np.where(are_characters, points, rules.replacement_char), encoding)
