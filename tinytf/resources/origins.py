"""Where lines came from: what an error about a line, steps later, can still name.

A line is an object of Python that goes through queues and batches as it is. The last ones that
readers gave out are kept here for a while, with their keys ("file:line").
"""

from __future__ import annotations

from collections import deque

#: Lines that are kept, and the longest that are.
_COUNT, _LENGTH = 1024, 1024

_recent: deque[tuple[bytes, bytes]] = deque(maxlen=_COUNT)


def remember(key: bytes, line: bytes) -> None:
    """Keep the key of a line that is given out; not of one byte: Python shares these."""
    if 1 < len(line) <= _LENGTH:
        _recent.append((line, key))


def origin(line: bytes) -> bytes | None:
    """The key of this very line, if a reader gave it out not long ago."""
    for known, key in reversed(_recent.copy()):
        if known is line:
            return key
    return None
