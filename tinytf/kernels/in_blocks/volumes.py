"""Convolutions of volumes and their gradients: those of images, place by place in depth.

What a place in the depth of all windows sees is images, as many as there are windows in depth for
each volume. Convolved with the filter's images at this place they are its share of all sums.
"""

from __future__ import annotations

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.kernels.in_blocks import convolution as images
from tinytf.kernels.in_blocks.convolution import Run, in_order, inside
from tinytf.ops.nn.windows import Axis

Axes = tuple[Axis, Axis, Axis]


def convolution(volume: Array, weights: Array, axes: Axes, run: Run = in_order) -> Array:
    """The weighted sums of all windows.

    Args:
      volume: [batch, depth, rows, columns, channels], in any order in memory.
      weights: [window depth, window rows, window columns, channels, outputs], of the type to
        compute in.
      axes: the windows along depth, rows and columns.
      run: shares the blocks among threads.

    Returns:
      [batch, depth.count, rows.count, columns.count, outputs], of the weights' type.
    """
    depth, rows, columns = axes
    shape = (len(volume), depth.count, rows.count, columns.count, weights.shape[4])
    result = np.zeros(shape, weights.dtype)
    for place in range(depth.window):
        seen, of_windows = inside(depth, place)
        sums = images.convolution(_flat(volume[:, seen]), weights[place], rows, columns, run)
        target = result[:, of_windows]
        np.add(target, sums.reshape(target.shape), out=target)
    return result


def filter_gradient(volume: Array, above: Array, axes: Axes, run: Run = in_order) -> Array:
    """What each weight's sum over all windows is, weighted by the gradient of their results.

    Args:
      volume: [batch, depth, rows, columns, channels], in any order in memory.
      above: [batch, depth.count, rows.count, columns.count, outputs], of the type to compute in.
      axes, run: as for `convolution`.

    Returns:
      [window depth, window rows, window columns, channels, outputs], of the type of `above`.
    """
    depth, rows, columns = axes
    shape = (depth.window, rows.window, columns.window, volume.shape[4], above.shape[4])
    result = np.empty(shape, above.dtype)
    for place in range(depth.window):
        seen, of_windows = inside(depth, place)
        of_place = _flat(volume[:, seen]), _flat(above[:, of_windows])
        result[place] = images.filter_gradient(*of_place, rows, columns, run)
    return result


def input_gradient(above: Array, weights: Array, axes: Axes, run: Run = in_order) -> Array:
    """What each pixel has of the gradients of all windows that it is in.

    Args:
      above: [batch, depth.count, rows.count, columns.count, outputs], in any order in memory.
      weights, axes, run: as for `convolution`.

    Returns:
      [batch, depth.size, rows.size, columns.size, channels], of the weights' type.
    """
    depth, rows, columns = axes
    shape = (len(above), depth.size, rows.size, columns.size, weights.shape[3])
    result = np.zeros(shape, weights.dtype)
    for place in range(depth.window):
        seen, of_windows = inside(depth, place)
        shares = images.input_gradient(
            _flat(above[:, of_windows]), weights[place], rows, columns, run
        )
        target = result[:, seen]
        np.add(target, shares.reshape(target.shape), out=target)
    return result


def _flat(volumes: Array) -> Array:
    """The images of volumes, one after the other."""
    return volumes.reshape(volumes.shape[0] * volumes.shape[1], *volumes.shape[2:])
