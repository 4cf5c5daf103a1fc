"""Histograms of values: histogram_fixed_width and its bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.control_flow.grouping import with_dependencies
from tinytf.ops.math.bincount import WEIGHTS
from tinytf.ops.math.cast import cast
from tinytf.ops.math.clip import clip_by_value
from tinytf.ops.math.division import truediv
from tinytf.ops.math.rounding import floor

_histogram = define_op(
    "HistogramFixedWidth",
    "values: T, value_range: T, nbins: int32 -> out: dtype",
    WEIGHTS,
    "dtype: {int32, int64} = DT_INT32",
    no_gradient="counts are whole numbers",
)


@_histogram.shape
def _histogram_shape(c: InferenceContext) -> TensorShape:
    pair = with_rank(c.input(1), 1).sizes
    if pair is not None and pair[0] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {pair[0]}")
    with_rank(c.input(2), 0)
    bins = c.constant(2)
    if bins is not None and bins <= 0:
        raise ValueError(f"Requires nbins > 0: {int(bins)}")
    return TensorShape.of((None if bins is None else int(bins),))


@_histogram.kernel
def _histogram_kernel(
    values: Array, value_range: Array, nbins: Array, *, dtype: dtypes.DType
) -> Array:
    if value_range.shape != (2,):
        raise invalid("value_range should be a vector of 2 elements.")
    if nbins.ndim:
        raise invalid("nbins should be a scalar.")
    low, high = (float(bound) for bound in value_range)
    if not low < high:
        raise invalid(
            f"value_range should satisfy value_range[0] < value_range[1], but got '[{low:g}, "
            f"{high:g}]'"
        )
    bins = int(nbins)
    if bins <= 0:
        raise invalid(f"nbins should be a positive number, but got '{bins}'")
    flat = np.asarray(values).reshape(-1)
    if np.isnan(flat).any():
        raise invalid("Histogram values must not contain NaN")
    step = (high - low) / bins
    places = np.clip((flat - value_range[0]) / step, 0, bins - 1).astype(np.int64)
    return np.bincount(places, minlength=bins).astype(dtype.as_numpy_dtype)


def histogram_fixed_width(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How many values are in each of equal parts of a range (TensorFlow: the same name).

    Args:
      values: numbers, in any shape; those outside of the range count at its ends.
      value_range: the range, a vector of two of the dtype of `values`.
      nbins: how many parts. dtype: int32 or int64.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: if the range is empty or there are no parts.

    Example:
      >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 15.0], [0.0, 5.0], nbins=5)  # [2, 1, 0, 0, 1]
    """
    with op_scope(name, "histogram_fixed_width", (values, value_range, nbins)) as scope:
        return _histogram(values, value_range, nbins, dtype=dtype, name=scope)


def histogram_fixed_width_bins(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """The part of a range that each value is in (TensorFlow: `tf.histogram_fixed_width_bins`).

    Args:
      values: floating-point numbers, in any shape.
      value_range: the range, a vector of two. nbins: how many equal parts it has.
      dtype: has no effect: the result is of int32, as in TensorFlow.
      name: of the operations' scope.

    Raises:
      InvalidArgumentError: in a run, if there are no parts.

    Example:
      >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 15.0], [0.0, 5.0], nbins=5)  # [0, 0, 1, 4]
    """
    with op_scope(name, "histogram_fixed_width_bins", (values, value_range, nbins)):
        values = convert_to_tensor(values, name="values")
        sizes = ops.shape(values)
        values = ops.reshape(values, [-1])
        bounds: Any = convert_to_tensor(value_range, name="value_range")
        nbins = convert_to_tensor(nbins, dtype=dtypes.int32, name="nbins")
        check = Assert(nbins > 0, [f"nbins {nbins} must > 0"])
        nbins = with_dependencies([check], nbins)
        count: Any = cast(nbins, values.dtype)
        scaled = truediv(values - bounds[0], bounds[1] - bounds[0], name="scaled_values")
        places = floor(count * scaled, name="indices")
        inside = cast(clip_by_value(places, 0, count - 1), dtypes.int32)
        return ops.reshape(inside, sizes)
