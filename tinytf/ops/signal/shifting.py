"""Spectra with frequency 0 in the middle, and back."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.roll import roll
from tinytf.ops.array.where import where
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.comparison import less


def _shifted(x: Any, axes: Any, name: str | None, default: str, back: bool) -> Tensor:
    with op_scope(name, default) as scope:
        x = convert_to_tensor(x)
        if axes is None:
            if x.shape.ndims is None:
                raise TypeError(
                    f"{default} of all axes needs to know how many there are, and the shape of x "
                    f"is unknown: give axes, or call x.set_shape"
                )
            axes = tuple(range(x.shape.ndims))
            sizes: Any = ops.shape(x)
        elif isinstance(axes, int):
            running: Any = ops.shape(x)
            sizes = running[axes]
        else:
            rank: Any = ops.rank(x)
            axes = where(less(axes, 0), axes + rank, axes)
            sizes = ops.gather(ops.shape(x), axes)
        half = sizes // 2
        return roll(x, -half if back else half, axes, name=scope)


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Halves exchanged: frequency 0 in the middle (TensorFlow: `tf.signal.fftshift`).

    Args:
      x: a tensor.
      axes: a dimension or several; all by default.
      name: of the operation.

    Raises:
      TypeError: if all dimensions are meant and the rank is not known.

    Example:
      >>> tf.signal.fftshift([0, 1, 2, -2, -1])  # [-2, -1, 0, 1, 2]
    """
    return _shifted(x, axes, name, "fftshift", back=False)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `fftshift` (TensorFlow: `tf.signal.ifftshift`); see there.

    Example:
      >>> tf.signal.ifftshift([-2, -1, 0, 1, 2])  # [0, 1, 2, -2, -1]
    """
    return _shifted(x, axes, name, "ifftshift", back=True)
