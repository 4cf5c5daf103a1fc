"""Which pixels a resized image is made of, and how much of each.

A method says this for rows and for columns apart: for each pixel of the result a few *taps*, the
indices of pixels and their weights. Numbers are float32 and computed in TensorFlow's order, so
that results agree to the last bit where they are cast to whole numbers afterwards.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

#: Weights of bicubic interpolation are looked up in a table with this many steps a pixel.
_STEPS = 1024


class Taps(NamedTuple):
    """For each pixel of a result along one axis: indices and weights, (pixels, taps).

    Attributes:
      scale: what the weights of a pixel sum up to.
    """

    indices: np.ndarray
    weights: np.ndarray
    scale: np.float32 = np.float32(1)


def _scale(size: int, count: int, align_corners: bool) -> np.float32:
    """How many pixels one pixel of the result stands for."""
    if align_corners and size > 1 and count > 1:
        size, count = size - 1, count - 1
    return np.float32(size) / np.float32(count)


def _places(size: int, count: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """Where in the image the pixels of the result are."""
    numbers, scale = np.arange(count, dtype=np.float32), _scale(size, count, align_corners)
    half = np.float32(0.5)
    return (numbers + half) * scale - half if half_pixel_centers else numbers * scale


def bilinear(size: int, count: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    """The pixels before and after each place; the nearer counts more."""
    places = _places(size, count, align_corners, half_pixel_centers)
    floor = np.floor(places)
    after = np.minimum(np.ceil(places), size - 1)
    before = np.minimum(np.maximum(floor, 0), after)
    share = places - floor
    return Taps(np.stack([before, after], 1).astype(int), np.stack([1 - share, share], 1))


def nearest(size: int, count: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    """The one pixel that each place is in."""
    places = _places(size, count, align_corners, half_pixel_centers)
    if half_pixel_centers:
        numbers = np.arange(count, dtype=np.float32) + np.float32(0.5)
        places = numbers * _scale(size, count, align_corners)
    # halves are rounded up, not to even numbers
    chosen = np.floor(places + np.float32(0.5)) if align_corners else np.floor(places)
    indices = np.clip(chosen, 0, size - 1).astype(int)[:, None]
    return Taps(indices, np.ones(indices.shape, np.float32))


@lru_cache(2)
def _cubic_table(keys: bool) -> np.ndarray:
    """Weights of pixels (at most one away, one to two away) from a place, for each step."""
    a = -0.5 if keys else -0.75
    x = np.arange(_STEPS + 1) / _STEPS
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    x = x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.stack([near, far], 1).astype(np.float32)


def bicubic(size: int, count: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    """Four pixels around each place."""
    places = _places(size, count, align_corners, half_pixel_centers)
    floor = np.floor(places)
    steps = np.rint((places - floor) * np.float32(_STEPS)).astype(int)
    table = _cubic_table(half_pixel_centers)
    weights = np.stack(
        [
            table[steps, 1],
            table[steps, 0],
            table[_STEPS - steps, 0],
            table[_STEPS - steps, 1],
        ],
        1,
    )
    wanted = floor.astype(int)[:, None] + np.arange(-1, 3)
    indices = np.clip(wanted, 0, size - 1)
    if half_pixel_centers:  # pixels outside do not count
        weights = np.where(indices == wanted, weights, np.float32(0))
        total = weights.sum(1, keepdims=True)
        enough = np.abs(total) >= 1000 * np.finfo(np.float32).tiny
        weights = np.where(enough, weights * (np.float32(1) / np.where(enough, total, 1)), weights)
    return Taps(indices, weights.astype(np.float32))


def area(size: int, count: int, align_corners: bool, half_pixel_centers: bool = False) -> Taps:
    """All pixels that the pixel of the result covers, each by how much of it."""
    scale = _scale(size, count, align_corners)
    numbers = np.arange(count, dtype=np.float32)
    starts, ends = (numbers * scale)[:, None], ((numbers + 1) * scale)[:, None]
    first = np.floor(starts)
    most = int((np.ceil(ends) - first).max())
    wanted = first + np.arange(most, dtype=np.float32)
    begun, ended = wanted < starts, wanted + 1 > ends
    last = np.where(ended, np.where(begun, scale, ends - wanted), np.float32(1))
    weights = np.where(begun & ~ended, wanted + 1 - starts, last)
    weights = np.where(wanted < np.ceil(ends), weights, np.float32(0))
    return Taps(np.clip(wanted, 0, size - 1).astype(int), weights, scale)


METHODS = {"bilinear": bilinear, "nearest": nearest, "bicubic": bicubic, "area": area}


@lru_cache(256)
def taps(method: str, size: int, count: int, align_corners: bool, half_pixel: bool) -> Taps:
    """The taps of a method along one axis, remembered.

    Args:
      method: a name of `METHODS`. size: of the image. count: of the result.
      align_corners, half_pixel: attributes of the operation.

    Example:
      >>> taps("bilinear", 2, 4, False, False).indices
      array([[0, 0], [0, 1], [1, 1], [1, 1]])
    """
    return METHODS[method](size, count, align_corners, half_pixel)


@lru_cache(256)
def spread(method: str, size: int, count: int, align_corners: bool, half_pixel: bool) -> Taps:
    """For each pixel of the image, the pixels of the result that it is in, for gradients.

    Arguments as of `taps`.
    """
    found = taps(method, size, count, align_corners, half_pixel)
    pixels, numbers = np.nonzero(found.weights)
    sources = found.indices[pixels, numbers]
    order = np.argsort(sources, kind="stable")
    sources, pixels, numbers = sources[order], pixels[order], numbers[order]
    counts = np.bincount(sources, minlength=size)
    places = np.arange(len(sources)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = size, max(int(counts.max()), 1)
    indices, weights = np.zeros(shape, int), np.zeros(shape, np.float32)
    indices[sources, places] = pixels
    weights[sources, places] = found.weights[pixels, numbers]
    return Taps(indices, weights)
