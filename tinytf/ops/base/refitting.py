"""An array that does not fit, and what would make it fit: a reshape, or a transpose."""

from __future__ import annotations

import math
from collections.abc import Sequence

_FEED = " Its elements would fit: feed {}."


def how_to_fit(given: Sequence[int], wanted: Sequence[int | None]) -> str:
    """What to feed so that an array of one shape has another; "" if its elements do not fit.

    Arrays of equal rank are not reshaped: that would tear rows apart.

    Args:
      given: its sizes. wanted: the sizes that are needed, None for any.

    Example:
      >>> how_to_fit((784,), (None, 784))
      ' Its elements would fit: feed np.reshape(value, (-1, 784)), which has shape (1, 784).'
    """
    if len(given) == len(wanted):
        turned = tuple(reversed(given))
        fits = all(size in (None, here) for size, here in zip(wanted, turned, strict=True))
        return _FEED.format(f"np.transpose(value), which has shape {turned}") if fits else ""
    known, unknown = math.prod(size or 1 for size in wanted), wanted.count(None)
    count = math.prod(given)
    if not count or 0 in wanted or unknown > 1 or count % known or (not unknown and count != known):
        return ""
    target = tuple(-1 if size is None else size for size in wanted)
    shape = tuple(count // known if size is None else size for size in wanted)
    note = f", which has shape {shape}" if unknown else ""
    return _FEED.format(f"np.reshape(value, {target}){note}")
