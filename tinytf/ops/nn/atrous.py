"""Convolutions of any rank, and dilated ("atrous") ones.

A window whose places are `rate` pixels apart is an ordinary one in every `rate`th pixel: these are
moved into the batch, convolved, and moved back. So it is in TensorFlow's graphs, whose CPU has no
gradients of dilated convolutions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import as_shape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.shape import shape
from tinytf.ops.array.space_to_batch import (
    batch_to_space,
    batch_to_space_nd,
    required_space_to_batch_paddings,
    space_to_batch,
    space_to_batch_nd,
)
from tinytf.ops.array.stack import stack
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.nn import windows
from tinytf.ops.nn.convolution import conv2d, conv2d_backprop_input, conv2d_transpose
from tinytf.ops.nn.convolution_1d import conv1d, conv1d_transpose
from tinytf.ops.nn.convolution_3d import conv3d, conv3d_transpose

_BY_RANK: dict[int, Callable[..., Tensor]] = {1: conv1d, 2: conv2d, 3: conv3d}
_FORMATS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def convolution(
    input: Any,
    filter: Any,
    padding: Any,
    strides: Any = None,
    dilation_rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """A convolution of sequences, images or volumes (TensorFlow: `tf.nn.convolution`).

    Args:
      input: [batch, ..., channels], with one, two or three sizes between.
      filter, filters: [..., channels, outputs]: the weights of a window.
      padding: "SAME" or "VALID", as for `tf.nn.conv2d`.
      strides: from window to window, a number for each dimension.
      dilation_rate, dilations: the distance of pixels in a window, likewise.
      name: of the operation.
      data_format: "NWC", "NHWC", "NDHWC", or "NCW", "NCHW", "NCDHW" if channels come second.

    Raises:
      ValueError: if ranks or depths do not fit; if windows both move on by more than 1, and are
        dilated.

    Example:
      >>> tf.nn.convolution(tf.ones([1, 5, 1]), tf.ones([2, 1, 1]), "VALID", dilation_rate=[3])
      ... # [[[2.], [2.]]]
    """
    filter = ops.deprecated_lookup("filters", filters, "filter", filter)
    rate = ops.deprecated_lookup("dilations", dilations, "dilation_rate", dilation_rate)
    filter, input = _tensors(filter, input)
    spatial = _spatial_rank(as_shape(filter.shape).ndims, input.shape.ndims)
    data_format = data_format or _FORMATS[spatial]
    channel = 1 if data_format.startswith("NC") else spatial + 1
    strides = windows.sequence(strides, channel, "strides", spatial)
    rate = windows.sequence(rate, channel, "dilations", spatial)
    operation = _BY_RANK[spatial]
    with op_scope(name, "convolution", (input, filter)) as scope:
        if all(distance == 1 for distance in rate):
            return operation(input, filter, strides, padding, data_format=data_format, name=scope)
        _check_dilated(input, filter, strides, rate, channel)

        def undilated(input: Tensor, _: int, padding: str) -> Tensor:
            return operation(input, filter, strides, padding, data_format=data_format, name=scope)

        rate = rate[2:] if channel == 1 else rate[1:-1]
        sizes = as_shape(filter.shape)
        window = sizes.as_list() if sizes.is_fully_defined() else shape(filter)
        result = with_space_to_batch(
            input, rate, padding, undilated, filter_shape=window, data_format=data_format
        )
        if channel == 1 and sizes.sizes and result.shape.ndims:
            result.set_shape([None, sizes.sizes[-1], *[None] * spatial])
        return result


def _tensors(*values: Any) -> list[Any]:
    """Tensors and variables as they are, numbers as constants."""
    found = []
    for value, name in zip(values, ("filters", "input"), strict=True):
        if not hasattr(value, "shape") or isinstance(value, np.ndarray):
            with op_scope(None, "convolution_internal", values):
                value = convert_to_tensor(value, name=name)
        found.append(value)
    return found


def _spatial_rank(of_filter: int | None, of_input: int | None) -> int:
    """How many dimensions windows have."""
    rank = of_filter or of_input
    if rank is None:
        raise ValueError(
            "When `num_spatial_dims` is not set, one of `input.shape.rank` or `filters.shape.rank` "
            "must be known. Say which it is: input.set_shape([None, None, None, channels])."
        )
    if rank - 2 not in _FORMATS:
        raise ValueError(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={rank - 2}. A "
            f"filter has its window's sizes, the channels, and the outputs: not {of_filter} sizes."
        )
    return rank - 2


def _check_dilated(input: Any, filter: Any, strides: Any, rate: Any, channel: int) -> None:
    if input.shape.ndims not in (None, len(rate)):
        raise ValueError(
            f"`input.shape.rank` must be >= than `num_spatial_dims + 2`, and not more. Received: "
            f"input.shape={input.shape}, and a filter of shape {filter.shape}."
        )
    depth = (input.shape.sizes or {channel: None})[channel]
    own = (as_shape(filter.shape).sizes or (None, None))[-2]
    if depth is not None and own and depth % own:
        raise ValueError(
            "The number of input channels is not divisible by the corresponding number of output "
            f"filters. Received: input.shape={input.shape} with {depth} channels and "
            f"filters.shape={filter.shape} with {own} output filters."
        )
    for name, values in (("dilation_rate", rate), ("strides", strides)):
        if min(values) < 1:
            raise ValueError(f"all values of `{name}` must be positive. Received: {name}={values}")
    if max(strides) > 1:
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
            f"strides={strides} and dilation_rate={rate}"
        )


# Through the batch --------------------------------------------------------------------------------


def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Tensor, int, Any], Tensor],
    filter_shape: Any = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Tensor:
    """An operation on every `rate`th pixel (TensorFlow: `tf.nn.with_space_to_batch`).

    Args:
      input: [batch, ..., channels].
      dilation_rate: int32, a number for each dimension; how many must be known.
      padding: "SAME" or "VALID", or pairs for all dimensions.
      op: a function of a tensor, the number of dimensions, and a padding ("VALID", unless all
        rates are 1).
      filter_shape: the sizes of a window, for "SAME".
      spatial_dims: which dimensions, in order; by default those between batch and channels.
      data_format: begins with "NC" if the channels come second.

    Raises:
      ValueError: if rates are not positive, dimensions not in order, or paddings none.

    Example:
      >>> def twice(x, dims, padding):
      ...     return x + x
      >>> tf.nn.with_space_to_batch(tf.ones([1, 2, 1]), [2], "VALID", twice)
      ... # [[[2.], [2.]]]
    """
    input = convert_to_tensor(input, name="input")
    rate: Any = convert_to_tensor(dilation_rate, dtypes.int32, name="dilation_rate")
    if rate.shape.ndims != 1 or rate.shape.sizes[0] is None:
        raise ValueError(
            "`dilation_rate.shape.rank` must be 1, and the number of its elements known: one rate "
            f"for each dimension. Received: {rate}"
        )
    count = rate.shape.sizes[0]
    is_first = (data_format or "").startswith("NC")
    dims = _dims(input, count, spatial_dims, is_first)
    known = constant_value(rate)
    if known is not None and (known < 1).any():
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={known}")
    if known is not None and (known == 1).all():
        return op(input, count, padding)
    around = _around(padding, filter_shape, count, rate if known is None else known, is_first)
    sizes: Any = None if input.shape.ndims is None else [input.shape.sizes[dim] for dim in dims]
    if sizes is None or None in sizes:
        all_sizes: Any = shape(input)
        sizes = stack([all_sizes[dim] for dim in dims])
    paddings, crops = required_space_to_batch_paddings(sizes, rate, around)
    block = _spread(rate, 1, dims)
    paddings, crops = _spread(paddings, 0, dims), _spread(crops, 0, dims)
    result = op(space_to_batch_nd(input, block, paddings), count, "VALID")
    return batch_to_space_nd(result, block, crops)


def _dims(input: Tensor, count: int, wanted: Sequence[int] | None, is_first: bool) -> list[int]:
    start = 2 if is_first else 1
    dims = list(range(start, count + start)) if wanted is None else [int(dim) for dim in wanted]
    if dims != sorted(set(dims)) or dims[0] < 1:
        raise ValueError(
            "`spatial_dims` must be a monotonically increasing sequence of positive integers. "
            f"Received: spatial_dims={dims}"
        )
    least = dims[-1] if is_first else dims[-1] + 1
    if input.shape.ndims is not None and input.shape.ndims < least:
        raise ValueError(
            f"`input.shape.rank` must be at least {least}. Received: input.shape={input.shape} "
            f"with rank {input.shape.ndims}"
        )
    return dims


def _around(padding: Any, window: Any, count: int, rate: Any, is_first: bool) -> Any:
    """The padding [count, 2] that makes of this padding "VALID"."""
    padding, explicit = windows.paddings(padding)
    if padding == "VALID":
        return np.zeros([count, 2], np.int32)
    if padding == "EXPLICIT":
        pairs = np.array(explicit).reshape(-1, 2)
        return pairs[2:] if is_first else pairs[1:-1]
    if padding != "SAME":
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if window is None:
        raise ValueError(
            "`filter_shape` must be specified for `padding='SAME'`. Received: filter_shape=None"
        )
    sizes: Any = convert_to_tensor(window, name="filter_shape")
    known = constant_value(sizes)
    extra = ((sizes if known is None else known)[:count] - 1) * rate
    before = extra // 2
    after = extra - before
    return stack([[before[i], after[i]] for i in range(count)])


def _spread(value: Tensor, fill: int, dims: list[int]) -> Any:
    """A row for each dimension up to the last of `dims`: theirs, or one of `fill`."""
    known = constant_value(value)
    rows: Any = value if known is None else known
    dtype, tail = value.dtype.as_numpy_dtype, value.shape.as_list()[1:]
    parts: list[Any] = []
    end = 0
    for _, neighbours in groupby(enumerate(dims), lambda place: place[1] - place[0]):
        together = list(neighbours)
        (first, dim), (last, end_dim) = together[0], together[-1]
        if dim > 1:
            parts.append(np.full([dim - 1 - end, *tail], fill, dtype))
        parts.append(rows[first : last + 1])
        end = end_dim
    return concat(parts, 0) if known is None else np.concatenate(parts)


# Images -------------------------------------------------------------------------------------------


def atrous_conv2d(
    value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """A convolution of images with dilated windows (TensorFlow: `tf.nn.atrous_conv2d`).

    Args:
      value: images [batch, rows, columns, channels].
      filters: [rows, columns, channels, outputs].
      rate: the distance of pixels in a window, in both directions.
      padding: "SAME" or "VALID". name: of the operation.

    Example:
      >>> tf.nn.atrous_conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 2, "VALID")
      ... # [[[[4.]]]]
    """
    both = np.broadcast_to(rate, (2,))
    return convolution(value, filters, padding, dilation_rate=both, name=name)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: int, padding: Any, name: str | None = None
) -> Tensor:
    """`atrous_conv2d` turned round (TensorFlow: `tf.nn.atrous_conv2d_transpose`).

    Args:
      value: images [batch, rows, columns, channels].
      filters: [rows, columns, outputs, channels].
      output_shape: the shape of the result, four numbers.
      rate, padding: of the convolution that it is the gradient of.
      name: of the operations' scope.

    Raises:
      ValueError: if depths do not fit, or `rate` is below 1.

    Example:
      >>> x, w = tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1])
      >>> tf.nn.atrous_conv2d_transpose(x, w, [1, 3, 3, 1], 2, "VALID")[0, :, :, 0]
      ... # [[1., 0., 1.], [0., 0., 0.], [1., 0., 1.]]
    """
    with op_scope(name, "atrous_conv2d_transpose", (value, filters, output_shape)):
        value = convert_to_tensor(value, name="value")
        filters = convert_to_tensor(filters, name="filters")
        _check_channels("value", value.shape, "filters` input", filters.shape, value.shape[3:], 3)
        if rate < 1:
            raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
        if rate == 1:
            return conv2d_transpose(value, filters, output_shape, [1, 1, 1, 1], padding)
        wanted = convert_to_tensor(output_shape, name="output_shape").shape
        if not wanted.is_compatible_with([4]):
            raise ValueError(f"`output_shape` must have shape (4,). Received: {wanted}")
        if not isinstance(output_shape, Tensor):
            output_shape = [int(size) for size in output_shape]
            sizes = as_shape(output_shape)
            _check_channels("output_shape", sizes, "filters` output", filters.shape, sizes[3:], 2)
        return _atrous_transposed(value, filters, output_shape, rate, padding)


def _check_channels(
    name: str, shape: Any, which: str, filter: Any, channels: Any, axis: int
) -> None:
    if not channels.is_compatible_with(filter[axis : axis + 1]):
        raise ValueError(
            f"`{name}` channel count must be compatible with `{which} channel count. Received: "
            f"{name} {shape}, filters.shape={filter} with {filter[axis]}."
        )


def _atrous_transposed(value: Any, filters: Any, output_shape: Any, rate: int, padding: Any) -> Any:
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
    around: Any = [[0, 0], [0, 0]]
    if padding == "SAME":
        known = filters.shape.is_fully_defined()
        window: Any = filters.shape.as_list() if known else shape(filters)
        window = [window[0], window[1]]
        wide = [places + (places - 1) * (rate - 1) for places in window]
        around = [_halves(extra) for extra in [size - 1 for size in wide]]
    sizes = [output_shape[axis + 1] + around[axis][0] + around[axis][1] for axis in (0, 1)]
    more = [(rate - size % rate) % rate for size in sizes]
    moved = space_to_batch(value, [[0, more[0]], [0, more[1]]], rate)
    blocks = [(size + extra) // rate for size, extra in zip(sizes, more)]
    wanted = [rate * rate * output_shape[0], *blocks, output_shape[3]]
    larger = conv2d_backprop_input(wanted, filters, moved, [1, 1, 1, 1], "VALID")
    crops = [[first, last + extra] for (first, last), extra in zip(around, more)]
    return batch_to_space(larger, crops, rate)


def _halves(extra: Any) -> list[Any]:
    before = extra // 2
    return [before, extra - before]


# Transposed, of any rank --------------------------------------------------------------------------


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A convolution of any rank turned round (TensorFlow: `tf.nn.conv_transpose`).

    Args:
      input: sequences, images or volumes: [batch, ..., channels].
      filters: [..., outputs, channels].
      output_shape: the shape of the result: three numbers, four or five.
      strides, padding, data_format, dilations: of the convolution that it is the gradient of.
      name: of the operations' scope.

    Raises:
      ValueError: for another number of sizes.

    Example:
      >>> tf.nn.conv_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), [1, 4, 1], 2)[0, :, 0]
      ... # [1., 1., 1., 1.]
    """
    with op_scope(name, "conv_transpose", (input, filters, output_shape)) as scope:
        if not isinstance(output_shape, Tensor) and not hasattr(output_shape, "__len__"):
            raise ValueError(
                "`output_shape` must be a tensor or sized collection. Received: "
                f"output_shape={output_shape}"
            )
        known = isinstance(output_shape, Tensor)
        count = output_shape.shape.as_list()[0] if known else len(output_shape)
        if count not in _TRANSPOSED:
            raise ValueError(
                f"`output_shape` must be of length 3, 4 or 5. Received: "
                f"output_shape={output_shape} of length {count}."
            )
        how: Any = {"padding": padding, "data_format": data_format, "dilations": dilations}
        return _TRANSPOSED[count](input, filters, output_shape, strides, name=scope, **how)


_TRANSPOSED: dict[int, Callable[..., Tensor]] = {
    3: conv1d_transpose,
    4: conv2d_transpose,
    5: conv3d_transpose,
}
