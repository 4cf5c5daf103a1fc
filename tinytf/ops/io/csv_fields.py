"""One CSV record cut into its fields, by TensorFlow's rules.

A field may stand in quotes, which are doubled inside it; delimiters and line ends are part of such
a field, and of no other. Line ends before a field are passed over.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

#: What stands between quotes, without the closing one. Possessive: half a doubled quote is no end.
_QUOTED = re.compile(rb'"((?:[^"]|"")*+)')
_ENDS = b"\r\n"


class FieldError(Exception):
    """A record that is no CSV. `place` is where in it, in bytes; `field` is the field's number."""

    def __init__(self, message: str, place: int, field: int):
        super().__init__(message)
        self.place, self.field = place, field


@functools.lru_cache(64)
def _unquoted(delimiter: bytes) -> re.Pattern[bytes]:
    return re.compile(b"[^" + re.escape(delimiter) + b"]*")


def fields(
    record: bytes, delimiter: bytes, quotes: bool, selected: Sequence[int] = ()
) -> list[bytes]:
    """The fields of a record; of the selected columns only, if any are named.

    What comes after the last selected column is not looked at, as in TensorFlow.

    Raises:
      FieldError: "Unquoted fields cannot have quotes/CRLFs inside", "Quote inside a string ...",
        "Quoted field has to end ...".
    """
    found: list[bytes] = []
    position, number, end = 0, 0, len(record)
    while position < end:
        if record[position] in _ENDS:
            position += 1
            continue
        if quotes and record[position] == 34:
            field, position = _quoted_field(record, position, delimiter, number)
        else:
            match = _unquoted(delimiter).match(record, position)
            field = match.group() if match else b""
            _check_unquoted(field, quotes, position, number)
            position += len(field) + 1
        if not selected or selected[len(found)] == number:
            found.append(field)
            if len(found) == len(selected):
                return found
        number += 1
    # A delimiter at the end: one field more, which is empty.
    if record.endswith(delimiter) and (not selected or selected[len(found)] == number):
        found.append(b"")
    return found


def _check_unquoted(field: bytes, quotes: bool, position: int, number: int) -> None:
    wrong = re.search(rb'[\r\n"]' if quotes else rb"[\r\n]", field)
    if wrong:
        raise FieldError(
            "Unquoted fields cannot have quotes/CRLFs inside", position + wrong.start(), number
        )


def _quoted_field(record: bytes, position: int, delimiter: bytes, number: int) -> tuple[bytes, int]:
    """The field that begins with a quote here, and where the next one begins."""
    match = _QUOTED.match(record, position)
    content, close = (match.group(1), match.end()) if match else (b"", position)
    after = close + 1
    if close < len(record) and record[after : after + 1] in (b"", delimiter):
        return content.replace(b'""', b'"'), after + 1
    if close < len(record):
        raise FieldError("Quote inside a string has to be escaped by another quote", close, number)
    raise FieldError(
        "Quoted field has to end with quote followed by delim or end", position, number
    )
