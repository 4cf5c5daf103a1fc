"""Examples that look alike, taken apart in one step.

The examples of a data set mostly have the same features in the same order, of the same lengths. So
what was found out about one message is kept as its layout: which bytes are values, and what all
others are. In a message of the same length whose other bytes are the same, the values are in the
same places; one call of `struct` cuts it there, instead of a walk through its fields.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from tinytf.ops.io import example_wire as wire

#: Lengths of messages that are remembered.
_MOST_SIZES = 1024
#: Where so many messages had to be looked at closely, and most had to, layouts do not pay.
_TRIAL = 200


class Layout(NamedTuple):
    """Where the values are in a message.

    Attributes:
      cut: a message into pieces: what is no value, a value, what is no value, a value ...
      same: the pieces that are no values, which have to be these.
      row: picks the values, one piece for each key (and one more, so that it is always a tuple).
      lacks: whether features are empty or missing: two more pieces stand for these, b"" and None.
    """

    cut: Callable[[bytes], tuple[bytes, ...]]
    same: tuple[bytes, ...]
    row: Callable[[Any], Any]
    lacks: bool


class Layouts:
    """What is known about the messages that one operation has seen.

    Args:
      keys: of the features that are wanted. kinds: of their values, as in `example_wire`.
    """

    def __init__(self, keys: Sequence[bytes], kinds: Sequence[int]):
        self._wanted = list(zip(keys, kinds, strict=True))
        self._by_size: dict[int, Layout] = {}
        self._seen = self._learned = 0

    def rows(self, serialized: Sequence[bytes]) -> list[Any] | None:
        """For each message the bytes of each feature (None: it is missing).

        None, if some message is not as others are: too few or many strings, wrong kinds, damage.
        """
        if not self._wanted or (self._learned > _TRIAL and self._learned * 3 > self._seen):
            return None
        found: list[Any] = []
        add, known = found.append, self._by_size
        self._seen += len(serialized)
        for data in serialized:
            layout = known.get(len(data))
            if layout is not None:
                pieces = layout.cut(data)
                if pieces[::2] == layout.same:
                    add(layout.row((*pieces, b"", None) if layout.lacks else pieces))
                    continue
            layout = self._learn(data)
            if layout is None:
                return None
            add(layout.row((*layout.cut(data), b"", None)))
        return found

    def _learn(self, data: bytes) -> Layout | None:
        self._learned += 1
        try:
            layout = _layout_of(data, self._wanted)
        except wire.MalformedError:
            return None
        if layout is not None:
            if len(self._by_size) >= _MOST_SIZES:
                self._by_size.clear()
            self._by_size[len(data)] = layout
        return layout


#: One for each set of features, and shared: it holds nothing but how messages are laid out.
layouts = functools.lru_cache(128)(Layouts)


def _layout_of(data: bytes, wanted: list[tuple[bytes, int]]) -> Layout | None:
    features = wire.features(data)
    spans: list[wire.Span | None] = []
    for key, kind in wanted:
        feature = features.pop(key, None)
        found, places = (0, []) if feature is None else wire.values(data, feature)
        if (
            found not in (0, kind)
            or len(places) > 1
            or (kind == wire.BYTES and found and not places)
        ):
            return None
        spans.append(places[0] if places else (0, 0) if found else None)
    # What is in other features does not matter; where they begin and end is in fixed pieces.
    free = {*features.values(), *(span for span in spans if span and span[1])}
    places_of, position, form, count = {}, 0, "", 0
    for begin, end in sorted(free):
        if begin < position:
            return None
        places_of[begin, end] = count + 1
        form += f"{begin - position}s{end - begin}s"
        count, position = count + 2, end
    form += f"{len(data) - position}s"
    count += 1
    row = [
        count + 1 if span is None else count if not span[1] else places_of[span] for span in spans
    ]
    cut = struct.Struct("<" + form).unpack
    return Layout(cut, cut(data)[::2], itemgetter(*row, 0), max(row) >= count)
