"""Pooling of sequences, and of whatever has the rank: composites of pooling in two and three."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import as_shape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.nn import pooling, windows
from tinytf.ops.nn.atrous import with_space_to_batch
from tinytf.ops.nn.pooling_deep import avg_pool3d, max_pool3d


def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest number of each window and channel of sequences (TensorFlow: `tf.nn.max_pool1d`).

    Args:
      input: [batch, width, channels].
      ksize: the size of a window: a number, or three as in `data_format`.
      strides: from window to window, written the same way.
      padding: "SAME", "VALID", or three pairs of numbers: see `tf.nn.conv2d`.
      data_format: "NWC", or "NCW" if the channels come second.
      name: of the operation.

    Raises:
      ValueError: if a window does not fit.

    Example:
      >>> tf.nn.max_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID")  # [[[3.], [3.]]]
    """
    with op_scope(name, "MaxPool1d", (input,)) as scope:
        return _pool1d(pooling.max_pool_op, input, ksize, strides, padding, data_format, scope)


def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window and channel of sequences (TensorFlow: `tf.nn.avg_pool1d`).

    Args:
      input: [batch, width, channels].
      padding: "SAME" or "VALID".
      ksize, strides, data_format, name: as for `tf.nn.max_pool1d`.

    Raises:
      ValueError: if a window does not fit.

    Example:
      >>> tf.nn.avg_pool1d([[[1.0], [3.0], [2.0]]], 2, 1, "VALID")  # [[[2.], [2.5]]]
    """
    with op_scope(name, "AvgPool1D", (input,)) as scope:
        return _pool1d(pooling.avg_pool_op, input, ksize, strides, padding, data_format, scope)


def _pool1d(
    card: Any, input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, name: str
) -> Tensor:
    """Images of one row."""
    data_format = data_format or "NWC"
    channel, row = (1, 2) if data_format.startswith("NC") else (2, 1)
    sizes = {"ksize": ksize, "strides": strides}
    attrs: dict[str, Any] = {
        key: [1, *windows.sequence(size, channel, key, 1)] for key, size in sizes.items()
    }
    attrs["padding"] = padding
    if card is pooling.max_pool_op:
        attrs["padding"], explicit = windows.paddings(padding, 3)
        attrs["explicit_paddings"] = [0, 0, *explicit] if explicit else []
    attrs["data_format"] = "NHWC" if data_format == "NWC" else "NCHW"
    return ops.squeeze(card(ops.expand_dims(input, row), name=name, **attrs), row)


def max_pool_v2(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """`max_pool1d`, `max_pool2d` or `max_pool3d`, by rank (TensorFlow: `tf.nn.max_pool_v2`).

    Args:
      input: [batch, ..., channels], with one, two or three sizes between.
      ksize, strides, padding, data_format, name: as for these.

    Raises:
      ValueError: for another rank; if a window does not fit.

    Example:
      >>> tf.nn.max_pool_v2(tf.constant([[[1.0], [3.0], [2.0]]]), 2, 1, "VALID")  # [[[3.], [3.]]]
    """
    rank = _spatial_rank(input, data_format)
    if rank == 3:
        if isinstance(padding, list | tuple):
            raise ValueError(
                "Explicit padding is not supported with an input tensor of rank 5. Received: "
                f"padding={padding}. Use tf.pad before, and 'VALID'."
            )
        return max_pool3d(input, ksize, strides, padding, data_format, name)
    function = max_pool1d if rank == 1 else pooling.max_pool2d
    return function(input, ksize, strides, padding, data_format, name)


def avg_pool_v2(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """`avg_pool1d`, `avg_pool2d` or `avg_pool3d`, by rank (TensorFlow: `tf.nn.avg_pool_v2`).

    Args:
      input: [batch, ..., channels], with one, two or three sizes between.
      ksize, strides, padding, data_format, name: as for these.

    Raises:
      ValueError: for another rank; if a window does not fit.

    Example:
      >>> tf.nn.avg_pool_v2(tf.constant([[[1.0], [3.0], [2.0]]]), 2, 1, "VALID")  # [[[2.], [2.5]]]
    """
    by_rank: dict[int, Any] = {1: avg_pool1d, 2: pooling.avg_pool, 3: avg_pool3d}
    function = by_rank[_spatial_rank(input, data_format)]
    return function(input, ksize, strides, padding, data_format, name)


def _spatial_rank(input: Any, data_format: str | None) -> int:
    rank = as_shape(input.shape).ndims if data_format is None else len(data_format)
    if rank not in (3, 4, 5):
        raise ValueError(
            f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={input.shape} of rank "
            f"{rank}."
        )
    return int(rank) - 2


_BY_KIND = {
    "MAX": (pooling.max_pool, pooling.max_pool, max_pool3d),
    "AVG": (pooling.avg_pool, pooling.avg_pool, avg_pool3d),
}


def pool(
    input: Any,
    window_shape: Sequence[int],
    pooling_type: str,
    padding: str,
    dilation_rate: Any = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """The largest, or the mean, of windows of any rank (TensorFlow: `tf.nn.pool`).

    Args:
      input: [batch, ..., channels], with one, two or three sizes between.
      window_shape: the sizes of a window, for each dimension.
      pooling_type: "MAX" or "AVG".
      padding: "SAME" or "VALID".
      dilation_rate, dilations: the distance of pixels in a window, for each dimension.
      strides: from window to window, likewise; not larger than the windows.
      name: of the operation.
      data_format: begins with "NC" if the channels come second.

    Raises:
      ValueError: if numbers or ranks do not fit; for dilations with "SAME" or strides.

    Example:
      >>> tf.nn.pool(tf.constant([[[1.0], [3.0], [2.0]]]), [2], "MAX", "VALID")  # [[[3.], [3.]]]
    """
    dilation_rate = ops.deprecated_lookup("dilations", dilations, "dilation_rate", dilation_rate)
    with op_scope(name, f"{pooling_type.lower()}_pool", (input,)) as scope:
        input = convert_to_tensor(input, name="input")
        rank = len(window_shape)
        if not 1 <= rank <= 3:
            raise ValueError(
                f"`len(window_shape)` must be 1, 2, or 3. Received: window_shape={window_shape} of "
                f"length {rank}"
            )
        input.shape.with_rank(rank + 2)
        strides, rate = _strides_and_rate(rank, strides, dilation_rate, window_shape, padding)
        if pooling_type not in _BY_KIND:
            raise ValueError(f"{rank}-D {pooling_type} pooling is not supported.")
        if rank == 1 and data_format not in (None, "NWC", "NCW"):
            raise ValueError(
                f"data_format must be either 'NWC' or 'NCW'. Received: data_format={data_format}"
            )
        first = (data_format or "").startswith("NC")
        row = 2 if first else 1
        filled = [1, *[1] * first, *[1] * (rank == 1)]
        end = [] if first else [1]
        how: dict[str, Any] = {"data_format": data_format, "name": scope}
        if rank == 1:
            how["data_format"] = "NCHW" if first else "NHWC"

        def pooled(value: Tensor, _: int, padding: str) -> Tensor:
            value = ops.expand_dims(value, row) if rank == 1 else value
            sizes = [*filled, *window_shape, *end], [*filled, *strides, *end]
            value = _BY_KIND[pooling_type][rank - 1](value, *sizes, padding, **how)
            return ops.squeeze(value, [row]) if rank == 1 else value

        dims = range(row, row + rank)
        return with_space_to_batch(input, rate, padding, pooled, window_shape, dims)


def _strides_and_rate(
    rank: int, strides: Any, dilation_rate: Any, window_shape: Any, padding: str
) -> tuple[list[int], list[int]]:
    """Both as lists, if they fit one another, the windows and the padding."""
    found = []
    for name, given in (("dilation_rate", dilation_rate), ("strides", strides)):
        values = [1] * rank if given is None else [int(one) for one in given]
        if len(values) != rank:
            raise ValueError(
                f"`len({name})` should be {rank}. Received: {name}={given} of length {len(given)}"
            )
        if min(values) < 1:
            raise ValueError(f"all values of `{name}` must be positive. Received: {name}={values}")
        found.append(values)
    rate, strides = found
    if max(strides) > 1 and max(rate) > 1:
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={strides} and dilation_rate={rate}"
        )
    if padding == "SAME" and max(rate) > 1:
        raise ValueError(
            "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: "
            f"padding={padding} and dilation_rate={rate}"
        )
    if np.any(np.array(strides) > np.array(window_shape)):
        raise ValueError(
            "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU "
            f"implementations. Received: strides={strides} and window_shape={window_shape}"
        )
    return strides, rate
