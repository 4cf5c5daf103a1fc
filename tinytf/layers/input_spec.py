"""What a layer expects of its inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tinytf.framework import nest
from tinytf.framework.dtypes import as_dtype
from tinytf.framework.tensor_shape import as_shape


class InputSpec:
    """Rank, shape and dtype that an input must have (TensorFlow: `tf.layers.InputSpec`).

    Args:
      dtype: of the input. shape: with None for sizes that may be any.
      ndim, max_ndim, min_ndim: how many dimensions it has, exactly, at most, at least.
      axes: {axis: size}.

    Raises:
      TypeError: if `axes` has other keys than whole numbers. ValueError: if there is no such axis.

    Example:
      >>> tf.layers.InputSpec(min_ndim=2, axes={-1: 4})
      InputSpec(min_ndim=2, axes={-1: 4})
    """

    def __init__(
        self,
        dtype: Any = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: Any = None,
    ):
        sizes = as_shape(shape).sizes
        self.dtype = None if dtype is None else as_dtype(dtype).name
        self.shape = None if sizes is None else tuple(sizes)
        self.ndim = ndim if sizes is None else len(sizes)
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        try:
            self.axes = {int(axis): axes[axis] for axis in axes or {}}
        except (ValueError, TypeError):
            raise TypeError(
                f"Argument `axes` must be a dict with integer keys. Received: axes={axes}"
            ) from None
        most = self.max_ndim if self.ndim is None else self.ndim
        if self.axes and most is not None and max(self.axes) >= most:
            raise ValueError(
                f"Axis {max(self.axes)} is greater than the maximum allowed value: {most - 1}"
            )

    def __repr__(self) -> str:
        known = {name: value for name, value in vars(self).items() if value}
        order = [
            name for name in "dtype shape ndim max_ndim min_ndim axes".split() if name in known
        ]
        return f"InputSpec({', '.join(f'{name}={known[name]}' for name in order)})"

    def problems_of(self, tensor: Any) -> Iterator[str]:
        """What is wrong with an input, in TensorFlow's words."""
        sizes = tensor.shape.sizes
        if sizes is None:
            return
        rank, full = len(sizes), f". Full shape received: {_shown(sizes)}"
        least = self.min_ndim if self.ndim is None else self.ndim
        if least is not None and rank == least - 1:
            full += ". tf.expand_dims(inputs, axis) adds a dimension of one image, or one channel"
        if self.ndim is not None and rank != self.ndim:
            yield f"expected ndim={self.ndim}, found ndim={rank}{full}"
        if self.max_ndim is not None and rank > self.max_ndim:
            yield f"expected max_ndim={self.max_ndim}, found ndim={rank}"
        if self.min_ndim is not None and rank < self.min_ndim:
            yield f"expected min_ndim={self.min_ndim}, found ndim={rank}{full}"
        if self.dtype is not None and tensor.dtype.base_dtype.name != self.dtype:
            yield f"expected dtype={self.dtype}, found dtype={tensor.dtype}"
        for axis, size in self.axes.items():
            if size is not None and sizes[axis] not in (size, None):
                yield (
                    f"expected axis {axis} of input shape to have value {size}, but received input "
                    f"with shape {_shown(sizes)}"
                )
        for wanted, size in zip(self.shape or (), sizes, strict=False):
            if None not in (wanted, size) and wanted != size:
                yield f"expected shape={self.shape}, found shape={_shown(sizes)}"


def check_inputs(specs: Any, inputs: Any, layer: str) -> None:
    """Raise ValueError if inputs are not what a layer expects.

    Args:
      specs: an `InputSpec`, or a nest of them; None for anything. layer: its name.
    """
    if not specs:
        return
    specs, tensors = nest.flatten(specs), nest.flatten(inputs)
    if len(tensors) != len(specs):
        raise ValueError(
            f'Layer "{layer}" expects {len(specs)} input(s), but it received {len(tensors)} input '
            f"tensors. Inputs received: {tensors}. A Python list is taken for several inputs: make "
            "one tensor of it, tf.constant([...]) or tf.stack([...])."
        )
    for number, (tensor, spec) in enumerate(zip(tensors, specs, strict=True)):
        for problem in spec.problems_of(tensor) if spec is not None else ():
            raise ValueError(
                f'Input {number} of layer "{layer}" is incompatible with the layer: {problem}'
            )


def _shown(sizes: Any) -> str:
    return str(tuple(sizes))
