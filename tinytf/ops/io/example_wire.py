"""`Example` and `SequenceExample` messages, read from their bytes.

    Example          { 1: Features }                 Feature    { 1: BytesList  2: FloatList
    SequenceExample  { 1: Features 2: FeatureLists }              3: Int64List }
    Features         { 1: entry* }                   BytesList  { 1: bytes* }
    FeatureLists     { 1: entry* }                   FloatList  { 1: float*, packed or not }
    entry            { 1: key  2: value }            Int64List  { 1: varint*, packed or not }
    FeatureList      { 1: Feature* }

Python objects for every number would cost more than all the rest: here values stay where they are
in the message, as places ("spans"), until whole columns of a batch become arrays.
"""

from __future__ import annotations

import numpy as np

BYTES, FLOAT, INT64 = 1, 2, 3
#: Where a piece of a message begins and ends.
Span = tuple[int, int]
#: The kind of a feature (0: none was set), and where its values are: each of the byte strings; or
#: pieces that hold the numbers one after the other.
Values = tuple[int, list[Span]]


class MalformedError(Exception):
    """Bytes that are no such message."""


def number_at(data: bytes, position: int, end: int) -> tuple[int, int]:
    """A varint, and where it ends."""
    value = shift = 0
    while position < end and shift < 70:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7
    raise MalformedError


def _span_at(data: bytes, position: int, end: int) -> Span:
    """What follows a length."""
    if position < end and data[position] < 128:
        size, begin = data[position], position + 1
    else:
        size, begin = number_at(data, position, end)
    if begin + size > end:
        raise MalformedError
    return begin, begin + size


def _skip(data: bytes, tag: int, position: int, end: int) -> int:
    """Where an unknown field ends."""
    kind = tag & 7
    if tag < 8:
        raise MalformedError
    if kind == 0:
        return number_at(data, position, end)[1]
    if kind == 2:
        return _span_at(data, position, end)[1]
    position += {1: 8, 5: 4}.get(kind, end)
    if position > end:
        raise MalformedError
    return position


def parts(data: bytes, span: Span, field: int) -> list[Span]:
    """The messages or byte strings with this number in a message."""
    position, end = span
    wanted = field << 3 | 2
    found = []
    while position < end:
        tag, position = number_at(data, position, end)
        if tag == wanted:
            part = _span_at(data, position, end)
            found.append(part)
            position = part[1]
        else:
            position = _skip(data, tag, position, end)
    return found


def entries(data: bytes, span: Span) -> dict[bytes, Span]:
    """A map from keys to messages: `Features` or `FeatureLists`. Of equal keys the last counts."""
    found = {}
    for entry in parts(data, span, 1):
        begin, end = entry
        # As everybody writes it: the key, then the value, and nothing else.
        if end - begin > 3 and data[begin] == 10 and data[begin + 1] < 128:
            middle = begin + 2 + data[begin + 1]
            if middle < end and data[middle] == 18:
                value = _span_at(data, middle + 1, end)
                if value[1] == end:
                    found[data[begin + 2 : middle]] = value
                    continue
        keys, values = parts(data, entry, 1), parts(data, entry, 2)
        key = data[slice(*keys[-1])] if keys else b""
        found[key] = values[-1] if values else (end, end)
    return found


def features(data: bytes, field: int = 1) -> dict[bytes, Span]:
    """The features of an example by name; with field 2, the feature lists of a sequence example.

    Raises:
      MalformedError: if the bytes are no such message.
    """
    found: dict[bytes, Span] = {}
    for span in parts(data, (0, len(data)), field):
        found.update(entries(data, span))
    return found


def values(data: bytes, feature: Span) -> Values:
    """The kind and the values of a `Feature`."""
    kind = 0
    spans: list[Span] = []
    position, end = feature
    while position < end:
        tag, position = number_at(data, position, end)
        if tag not in (10, 18, 26):
            position = _skip(data, tag, position, end)
            continue
        begin, position = _span_at(data, position, end)
        if tag >> 3 != kind:  # of several kinds the last counts
            kind, spans = tag >> 3, []
        _list_values(data, kind, begin, position, spans)
    return kind, spans


#: Tags of the values of each kind when they are not packed, and how numbers are then laid out.
_SINGLE = {FLOAT: 13, INT64: 8}


def _list_values(data: bytes, kind: int, position: int, end: int, found: list[Span]) -> None:
    while position < end:
        tag, position = number_at(data, position, end)
        if tag == 10:
            begin, position = _span_at(data, position, end)
            if kind != BYTES and begin == position:
                continue
            found.append((begin, position))
        elif tag == _SINGLE.get(kind):
            begin = position
            position = _skip(data, tag, position, end)
            found.append((begin, position))
        else:
            position = _skip(data, tag, position, end)


def payload(data: bytes, spans: list[Span]) -> bytes:
    """The pieces of a list of numbers, one after the other."""
    if len(spans) == 1:
        begin, end = spans[0]
        return data[begin:end]
    return b"".join([data[begin:end] for begin, end in spans])


def floats(data: bytes) -> np.ndarray:
    """Packed numbers as float32.

    Raises:
      MalformedError: for a number of bytes that is no multiple of four.
    """
    if len(data) % 4:
        raise MalformedError
    return np.frombuffer(data, "<f4")


def integers(data: bytes) -> np.ndarray:
    """Packed varints as int64.

    Raises:
      MalformedError: for a varint that does not end, or not within ten bytes.
    """
    raw = np.frombuffer(data, np.uint8)
    last = raw < 128
    if not raw.size or last.all():
        return raw.astype(np.int64)
    ends = np.flatnonzero(last)
    if not last[-1]:
        raise MalformedError
    starts = np.empty_like(ends)
    starts[0] = 0
    starts[1:] = ends[:-1] + 1
    lengths = ends - starts
    longest = int(lengths.max())
    if longest >= 10:
        raise MalformedError
    result = (raw[starts] & 127).astype(np.uint64)
    for place in range(1, longest + 1):
        longer = np.flatnonzero(lengths >= place)
        digits = (raw[starts[longer] + place] & 127).astype(np.uint64)
        result[longer] |= digits << np.uint64(7 * place)
    return result.view(np.int64)


def count_integers(payloads: list[bytes]) -> np.ndarray:
    """How many varints there are in each.

    Raises:
      MalformedError: if the last one of some does not end.
    """
    ends = np.cumsum([0, *map(len, payloads)])
    last = np.frombuffer(b"".join(payloads), np.uint8) < 128
    filled = ends[1:] > ends[:-1]
    if not last[ends[1:][filled] - 1].all():
        raise MalformedError
    before = np.concatenate(([0], np.cumsum(last)))
    return before[ends[1:]] - before[ends[:-1]]
