"""A random part of an image with enough of an object in it, to the last bit what TensorFlow draws.

Numbers are float32 and rounded where TensorFlow rounds them; an attempt takes random words only
for what it has to decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tinytf.ops.random.philox import to_float32


class Box(NamedTuple):
    """The first row and column, and those after the last."""

    top: int
    left: int
    low: int
    right: int

    @property
    def area(self) -> int:
        """In pixels; 0 for one that ends before it begins."""
        return max(self.low - self.top, 0) * max(self.right - self.left, 0)

    def common(self, other: Box) -> Box:
        """What is in both."""
        return Box(
            max(self.top, other.top),
            max(self.left, other.left),
            min(self.low, other.low),
            min(self.right, other.right),
        )


class Limits(NamedTuple):
    """What a part has to be.

    Attributes:
      areas: the least and the greatest, in parts of the image. ratios: of width to height.
      covered: how much of some object is in it. attempts: how many, before the image is taken.
    """

    areas: Sequence[float]
    ratios: Sequence[float]
    covered: Any
    attempts: int


def distorted_box(image: Box, objects: Sequence[Box], limits: Limits, words: Iterator[int]) -> Box:
    """A part of an image, or all of it when no attempt succeeds.

    Args:
      words: random numbers of 32 bits.
    """
    least, most = map(np.float32, limits.ratios)
    for _ in range(limits.attempts):
        share = to_float32(np.array([next(words)], np.uint32))[0]
        box = _attempt(image, limits, share * (most - least) + least, words)
        if box is not None and _shows_enough(box, objects, limits.covered):
            return box
    return image


def _below(count: int, words: Iterator[int]) -> int:
    """A whole number below `count`, all equally likely."""
    if count & (count - 1) == 0:
        return next(words) & (count - 1)
    skipped = 0xFFFFFFFF % count + 1  # these would make the small numbers likelier
    while (word := next(words)) < skipped:
        pass
    return word % count


def _rounded(value: Any) -> int:
    return int(np.rint(value))


def _attempt(image: Box, limits: Limits, ratio: Any, words: Iterator[int]) -> Box | None:
    """A part with a ratio of width to height; None if it cannot be as large as it should."""
    tall, wide = image.low, image.right
    least, most = (np.float32(part) * np.float32(wide) * np.float32(tall) for part in limits.areas)
    if most <= 0 or ratio <= 0 or least > most:
        return None
    height = _rounded(np.sqrt(least / ratio))
    highest = _rounded(np.sqrt(most / ratio))
    if _rounded(np.float32(highest) * ratio) > wide:
        highest = int((wide + 0.5 - 1e-7) / float(ratio))
        if _rounded(np.float32(highest) * ratio) > wide:
            highest -= 1
    highest = min(highest, tall)
    height = min(height, highest)
    if height < highest:
        height += _below(highest - height + 1, words)
    width = _rounded(np.float32(height) * ratio)
    if width * height < least:  # rounding has done it
        height += 1
        width = _rounded(np.float32(height) * ratio)
    if width * height > most:
        height -= 1
        width = _rounded(np.float32(height) * ratio)
    if not least <= width * height <= most:
        return None
    if not 0 < width <= wide or not 0 < height <= tall:
        return None
    top = _below(tall - height, words) if height < tall else 0
    left = _below(wide - width, words) if width < wide else 0
    return Box(top, left, top + height, left + width)


def _shows_enough(box: Box, objects: Sequence[Box], covered: Any) -> bool:
    if box.area < 1:
        return False
    return any(
        np.float32(box.common(thing).area) / np.float32(thing.area) >= covered
        for thing in objects
        if thing.area >= 1
    )
