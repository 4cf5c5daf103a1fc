"""What a CUDA card computes differently from numpy: reductions, softmax, gathering, stacking.

Each function here has its kernel's parameters and takes the card's arrays; arguments that a GPU
keeps in host memory (axes, sizes) are numpy's. What is unusual, an empty tensor or one that the
kernel refuses, is not repeated here: `NotImplemented` has numpy's kernel compute it, which also
has the words for what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Reductions -----------------------------------------------------------------------------------


def _axes(x: Any, indices: Any) -> tuple[int, ...] | None:
    """The axes to reduce; None where there is nothing to reduce, or something is wrong."""
    axes = tuple(indices.reshape(-1).tolist())
    distinct = {axis % x.ndim for axis in axes if -x.ndim <= axis < x.ndim}
    return axes if axes and x.size and len(distinct) == len(axes) else None


def _wide(x: Any) -> Any:
    """16-bit numbers as float32: sums of them would stop growing."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _reduction(reduce: Callable[[Any, tuple[int, ...], bool], Any]) -> Callable[..., Any]:
    def kernel(input: Any, reduction_indices: Any, *, keep_dims: bool) -> Any:
        axes = _axes(input, reduction_indices)
        return NotImplemented if axes is None else reduce(input, axes, keep_dims)

    return kernel


def _sum(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    wide = _wide(x)
    return wide.sum(axes, dtype=wide.dtype, keepdims=keep).astype(x.dtype, copy=False)


def _mean(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    if x.dtype.kind in "iu":
        return NotImplemented  # rounded as C divides
    wide = _wide(x)
    total = wide.sum(axes, dtype=wide.dtype, keepdims=keep)
    return (total / wide.dtype.type(x.size // total.size)).astype(x.dtype, copy=False)


def _prod(x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    if x.dtype == np.float16:
        return NotImplemented  # rounded at every step
    return x.prod(axes, dtype=x.dtype, keepdims=keep)


REDUCTIONS = {
    "Sum": _reduction(_sum),
    "Mean": _reduction(_mean),
    "Prod": _reduction(_prod),
    "Max": _reduction(lambda x, axes, keep: x.max(axes, keepdims=keep)),
    "Min": _reduction(lambda x, axes, keep: x.min(axes, keepdims=keep)),
    "All": _reduction(lambda x, axes, keep: x.all(axes, keepdims=keep)),
    "Any": _reduction(lambda x, axes, keep: x.any(axes, keepdims=keep)),
}


def l2_loss(t: Any) -> Any:
    """Half the sum of the squares."""
    wide = _wide(t)
    return ((wide * wide).sum() / wide.dtype.type(2)).astype(t.dtype, copy=False)


def cumsum(x: Any, axis: Any, *, exclusive: bool, reverse: bool) -> Any:
    """Running sums along an axis."""
    along = int(axis) if axis.ndim == 0 else x.ndim
    if exclusive or reverse or not -x.ndim <= along < x.ndim:
        return NotImplemented
    return x.cumsum(along, dtype=x.dtype)


# Arranging ------------------------------------------------------------------------------------


def pack(*values: Any, axis: int, xp: Any) -> Any:
    """Arrays of one shape, side by side along a new dimension."""
    rank = values[0].ndim + 1
    if not -rank <= axis < rank or any(v.shape != values[0].shape for v in values):
        return NotImplemented
    return xp.stack(values, axis)


def fill(dims: Any, value: Any, *, xp: Any) -> Any:
    """An array of one value; the sizes are in host memory."""
    if dims.ndim != 1 or value.ndim or (dims < 0).any():
        return NotImplemented
    return xp.broadcast_to(value, tuple(dims.tolist())).copy()


def gather(params: Any, indices: Any, axis: Any, *, batch_dims: int, xp: Any) -> Any:
    """Slices of `params`; a card would not notice an index that is out of bounds."""
    position = int(axis) if axis.ndim == 0 else params.ndim
    if batch_dims or not -params.ndim <= position < params.ndim or not indices.size:
        return NotImplemented
    limit = params.shape[position]
    if bool(((indices < 0) | (indices >= limit)).any()):
        return NotImplemented
    return xp.take(params, indices, axis=position)


# Classification -------------------------------------------------------------------------------


def _shifted(logits: Any) -> Any:
    wide = _wide(logits)
    return wide - wide.max(-1, keepdims=True)


def softmax(logits: Any, *, xp: Any) -> Any:
    """exp(logits) / sum(exp(logits)) along the last dimension."""
    if not logits.ndim or not logits.size:
        return NotImplemented
    powers = xp.exp(_shifted(logits))
    return (powers / powers.sum(-1, keepdims=True)).astype(logits.dtype, copy=False)


def log_softmax(logits: Any, *, xp: Any) -> Any:
    """The logarithm of `softmax`."""
    if not logits.ndim or not logits.size:
        return NotImplemented
    shifted = _shifted(logits)
    total = xp.log(xp.exp(shifted).sum(-1, keepdims=True))
    return (shifted - total).astype(logits.dtype, copy=False)


def cross_entropy(logits: Any, labels: Any, *, xp: Any) -> Any:
    """The losses of rows of logits, and the gradients of the logits."""
    if logits.shape != labels.shape or logits.ndim != 2 or not logits.size:
        return NotImplemented
    shifted, wanted = _shifted(logits), _wide(labels)
    powers = xp.exp(shifted)
    total = powers.sum(-1, keepdims=True)
    loss = (wanted * (xp.log(total) - shifted)).sum(-1)
    backprop = powers / total - wanted
    return loss.astype(logits.dtype, copy=False), backprop.astype(logits.dtype, copy=False)


def sparse_cross_entropy(logits: Any, labels: Any, *, xp: Any) -> Any:
    """The same for labels that are the numbers of classes."""
    if logits.ndim != 2 or labels.shape != logits.shape[:1] or not logits.size:
        return NotImplemented
    classes = logits.shape[1]
    if bool(((labels < 0) | (labels >= classes)).any()):
        return NotImplemented
    hot = labels.reshape(-1, 1) == xp.arange(classes, dtype=labels.dtype)
    shifted = _shifted(logits)
    powers = xp.exp(shifted)
    total = powers.sum(-1, keepdims=True)
    zero, one = shifted.dtype.type(0), shifted.dtype.type(1)
    loss = xp.log(total.reshape(-1)) - xp.where(hot, shifted, zero).sum(-1)
    backprop = powers / total - xp.where(hot, one, zero)
    return loss.astype(logits.dtype, copy=False), backprop.astype(logits.dtype, copy=False)
