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

from tinytf.ops.shape_rules import invalid

_LAST = 0x10FFFF
#: Stands for malformed bytes, as many as it is above this: no codec gives such a lone surrogate.
_MALFORMED = 0xDC80
#: Encodings whose texts may begin with a mark of the byte order; without one, high bytes go first.
_MARKS = {
    "utf-16": ((codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF16_LE, "utf-16-le")),
    "utf-32": ((codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF32_LE, "utf-32-le")),
}
#: Codecs of Python's that are no encodings of text elsewhere.
_PYTHON_S_OWN = {
    "idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-8-sig", "mbcs",
    "oem",
}  # fmt: skip


def _mark(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    length = error.end - error.start
    if error.encoding.startswith(("cp125", "charmap")) and 0x80 <= error.object[error.start] < 0xA0:
        return chr(error.object[error.start]), error.start + 1
    return chr(_MALFORMED + min(length, 0x40)), error.end


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


def decoded(text: bytes, encoding: bytes, rules: Rules) -> tuple[list[int], list[int]]:
    """The code points of a text, and at which byte each begins.

    Raises:
      InvalidArgumentError: for bytes that are malformed, if the rules are strict.
    """
    name, decode = _codec(encoding.decode())
    start = 0
    if name in _MARKS:
        start, name = _order(text, name)
        _, decode = _codec(name)
    characters, _ = decode(text[start:], "tinytf.mark_malformed")
    points, starts = [], []
    for point in map(ord, characters):
        is_malformed = _MALFORMED < point <= _MALFORMED + 0x40
        length = point - _MALFORMED if is_malformed else _length(point, name)
        if is_malformed or (rules.replace_control_characters and point < 0x20):
            if rules.errors == b"strict":
                raise invalid("Invalid formatting on input string")
            point = -1 if rules.errors == b"ignore" else rules.replacement_char
        if point >= 0:
            points.append(point)
            starts.append(start)
        start += length
    return points, starts


def _order(text: bytes, name: str) -> tuple[int, str]:
    """How long the mark of the byte order is, and the encoding that it means."""
    for mark, encoding in _MARKS[name]:
        if text.startswith(mark):
            return len(mark), encoding
    return 0, f"{name}-be"


def _length(point: int, encoding: str) -> int:
    """How many bytes a character has taken."""
    if encoding == "utf-8":
        return 1 + (point > 0x7F) + (point > 0x7FF) + (point > 0xFFFF)
    if encoding.startswith("utf-16"):
        return 4 if point > 0xFFFF else 2
    if encoding.startswith("utf-32"):
        return 4
    if point < 0x80:
        return 1
    try:
        return len(chr(point).encode(encoding))
    except UnicodeEncodeError:
        return 1


def is_character(point: int) -> bool:
    """Whether a number is a code point of Unicode that may be a character."""
    if not 0 <= point <= _LAST or 0xD800 <= point <= 0xDFFF:
        return False
    return not (0xFDD0 <= point <= 0xFDEF or point & 0xFFFE == 0xFFFE)


def encoded(points: list[int], encoding: bytes) -> bytes:
    """The bytes of code points. UTF-8 has none for a lone surrogate, which becomes U+FFFD."""
    text = "".join(map(chr, points))
    if encoding == b"UTF-8":
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
    return text.encode(encoding.decode(), "surrogatepass")


def encoded_by(points: list[int], encoding: bytes, rules: Rules) -> bytes:
    """The bytes of numbers that need not be code points.

    Raises:
      InvalidArgumentError: for one that is none, if the rules are strict.
    """
    if all(map(is_character, points)):
        return encoded(points, encoding)
    if rules.errors == b"strict":
        raise invalid("Code point is out of range for Unicode, or a noncharacter.")
    if rules.errors == b"ignore":
        return encoded([p for p in points if 0 <= p <= _LAST], encoding)
    return encoded([p if is_character(p) else rules.replacement_char for p in points], encoding)
