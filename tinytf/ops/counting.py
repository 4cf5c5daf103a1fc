"""How often values come: bincount, histograms, the confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops import shapes
from tinytf.ops.arithmetic import _maximum, _minimum, maximum
from tinytf.ops.casting import cast
from tinytf.ops.constants import constant
from tinytf.ops.division import truediv
from tinytf.ops.filling import ones_like
from tinytf.ops.joining import stack
from tinytf.ops.nd_indices import scatter_nd
from tinytf.ops.op_scope import op_scope
from tinytf.ops.reduction import reduce_max
from tinytf.ops.shape_rules import shown
from tinytf.ops.shapes import reshape, shape, squeeze

# Bincount, DenseBincount ------------------------------------------------------------------------

_WEIGHTS = "T: {int32, int64, float, double}"
# What tf.bincount added before 2.3; older graphs have these nodes.
_bincount = define_op(
    "Bincount",
    "arr: int32, size: int32, weights: T -> bins: T",
    _WEIGHTS,
    no_gradient="TensorFlow defines none",
)
_dense_bincount = define_op(
    "DenseBincount",
    "input: Tidx, size: Tidx, weights: T -> output: T",
    "Tidx: {int32, int64}",
    _WEIGHTS,
    "binary_output: bool = false",
    no_gradient="TensorFlow defines none",
)


def _static_size(c: InferenceContext) -> int | None:
    with_rank(c.input(1), 0)
    value = c.constant(1)
    if value is None:
        return None
    if value < 0:
        raise ValueError(f"size ({int(value)}) must be non-negative")
    return int(value)


@_bincount.shape
def _bincount_shape(c: InferenceContext) -> TensorShape:
    return TensorShape.of((_static_size(c),))


@_dense_bincount.shape
def _dense_bincount_shape(c: InferenceContext) -> TensorShape:
    sizes = c.input(0).sizes
    if sizes is not None and len(sizes) > 2:
        raise ValueError(f"Shape must be at most rank 2 but is rank {len(sizes)}")
    count = _static_size(c)
    return unknown_shape() if sizes is None else TensorShape.of((*sizes[:-1], count))


def _checked_size(size: Any) -> int:
    if size.ndim:
        raise invalid(f"Shape must be rank 0 but is rank {size.ndim}")
    if size < 0:
        raise invalid(f"size ({int(size)}) must be non-negative")
    return int(size)


def _counts(values: Any, size: int, weights: Any) -> np.ndarray:
    """One vector's counts, or sums of weights; values that are too large do not count."""
    if (values < 0).any():
        raise invalid("Input arr must be non-negative!")
    inside = values < size
    result = np.zeros(size, weights.dtype)
    np.add.at(result, values[inside], weights[inside] if weights.size else weights.dtype.type(1))
    return result


@_bincount.kernel
def _bincount_kernel(arr: Any, size: Any, weights: Any) -> np.ndarray:
    count = _checked_size(size)
    if weights.size not in (0, arr.size):
        raise invalid("Input indices and weights must have the same size.")
    return _counts(np.asarray(arr).reshape(-1), count, np.asarray(weights).reshape(-1))


@_dense_bincount.kernel
def _dense_bincount_kernel(input: Any, size: Any, weights: Any, *, binary_output: bool) -> Any:
    if input.ndim not in (1, 2):
        raise invalid(f"Shape must be at most rank 2 but is rank {input.ndim}")
    count = _checked_size(size)
    if weights.size and weights.shape != input.shape:
        raise invalid(
            f"`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it "
            f"acts as all weights equal to 1. Received {shown(weights)}"
        )
    if input.ndim == 1:
        result = _counts(input, count, weights)
    else:
        all_weights = weights if weights.size else [weights] * len(input)
        rows = [_counts(row, count, w) for row, w in zip(input, all_weights)]
        result = np.array(rows, weights.dtype).reshape(len(input), count)
    return (result != 0).astype(weights.dtype) if binary_output else result


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None,
    dtype: Any = dtypes.int32,
) -> Tensor:  # fmt: skip
    """How often each number from 0 on comes (TensorFlow: `tf.bincount`).

    Args:
      arr: natural numbers, of any shape.
      weights: what each counts, a tensor of the same shape; 1 by default.
      minlength, maxlength: bounds of the number of results.
      dtype: of the result, if there are no weights.

    Returns:
      a vector with an element for each number up to the largest.

    Raises:
      InvalidArgumentError: in a run, for a negative number, or weights that do not fit.

    Example:
      >>> tf.bincount([1, 1, 3])  # [0, 2, 0, 1]
    """
    with op_scope(None, "bincount"):
        arr = convert_to_tensor(arr, name="arr")
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
        if not arr.dtype.is_integer:
            arr = cast(arr, dtypes.int32)
        count: Any = shapes.size(arr)
        largest: Any = reduce_max(arr)
        size: Any = cast(count > 0, arr.dtype) * (largest + 1)
        for limit, name, choose in (
            (minlength, "minlength", _maximum), (maxlength, "maxlength", _minimum)
        ):  # fmt: skip
            if limit is not None:
                size = choose(convert_to_tensor(limit, name=name, dtype=arr.dtype), size)
        if weights is not None:
            weights = reshape(weights, [-1])
        arr = reshape(arr, [-1])
        if weights is None:
            weights = constant([], dtype=dtype or arr.dtype)
        return _dense_bincount(arr, size, weights)


# HistogramFixedWidth ----------------------------------------------------------------------------

_histogram = define_op(
    "HistogramFixedWidth",
    "values: T, value_range: T, nbins: int32 -> out: dtype",
    _WEIGHTS,
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
def _histogram_kernel(values: Any, value_range: Any, nbins: Any, *, dtype: dtypes.DType) -> Any:
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
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
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
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
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
    from tinytf.ops.clipping import clip_by_value
    from tinytf.ops.control_flow import with_dependencies
    from tinytf.ops.debugging import Assert
    from tinytf.ops.signs import floor

    with op_scope(name, "histogram_fixed_width_bins", (values, value_range, nbins)):
        values = convert_to_tensor(values, name="values")
        sizes = shape(values)
        values = reshape(values, [-1])
        bounds: Any = convert_to_tensor(value_range, name="value_range")
        nbins = convert_to_tensor(nbins, dtype=dtypes.int32, name="nbins")
        check = Assert(nbins > 0, [f"nbins {nbins} must > 0"])
        nbins = with_dependencies([check], nbins)
        count: Any = cast(nbins, values.dtype)
        scaled = truediv(values - bounds[0], bounds[1] - bounds[0], name="scaled_values")
        places = floor(count * scaled, name="indices")
        inside = cast(clip_by_value(places, 0, count - 1), dtypes.int32)
        return reshape(inside, sizes)


# confusion_matrix -------------------------------------------------------------------------------


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, dtype: Any = dtypes.int32,
    name: str | None = None, weights: Any = None,
) -> Tensor:  # fmt: skip
    """How often each class was taken for each (TensorFlow: `tf.confusion_matrix`).

    Args:
      labels: the right classes, natural numbers, a vector.
      predictions: the predicted ones, likewise.
      num_classes: how many classes there are; by default up to the largest that comes.
      dtype: of the result.
      name: of the operations' scope.
      weights: what each counts; 1 by default.

    Returns:
      [num_classes, num_classes]: a row for each label, a column for each prediction.

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: for classes out of range.

    Example:
      >>> tf.confusion_matrix([0, 1, 1], [0, 0, 1])  # [[1, 0], [1, 1]]
    """
    from tinytf.ops.checks import assert_less, assert_non_negative

    with op_scope(name, "confusion_matrix", (predictions, labels, num_classes, weights)):
        labels = convert_to_tensor(labels, name="labels")
        predictions = convert_to_tensor(predictions, name="predictions")
        labels, predictions = _of_one_rank(labels, predictions)
        predictions = cast(predictions, dtypes.int64)
        labels = cast(labels, dtypes.int64)

        def checked(check: Any, what: str, problem: str, tensor: Any, *more: Any) -> Any:
            from tinytf.ops.control_flow import with_dependencies

            return with_dependencies([check(tensor, *more, message=f"`{what}` {problem}")], tensor)

        negative = "contains negative values"
        labels = checked(assert_non_negative, "labels", negative, labels)
        predictions = checked(assert_non_negative, "predictions", negative, predictions)
        if num_classes is None:
            largest: Any = maximum(reduce_max(predictions), reduce_max(labels))
            num_classes = largest + 1
        else:
            limit = cast(num_classes, dtypes.int64)
            labels = checked(assert_less, "labels", "out of bound", labels, limit)
            predictions = checked(assert_less, "predictions", "out of bound", predictions, limit)
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
            predictions.shape.assert_is_compatible_with(weights.shape)
            weights = cast(weights, dtype)
        size = stack([num_classes, num_classes])
        indices = stack([labels, predictions], axis=1)
        values = ones_like(predictions, dtype) if weights is None else weights
        return scatter_nd(indices, values, cast(size, dtypes.int64))


def _of_one_rank(labels: Tensor, predictions: Tensor) -> tuple[Tensor, Tensor]:
    """Both, and if one has a dimension of size 1 more than the other, without it."""
    with op_scope(None, "remove_squeezable_dimensions", (labels, predictions)):
        ranks = labels.shape.ndims, predictions.shape.ndims
        if None not in ranks:
            more = ranks[1] - ranks[0]  # type: ignore[operator]
            if more == 1 and predictions.shape.sizes[-1] in (None, 1):  # type: ignore[index]
                predictions = squeeze(predictions, [-1])
            elif more == -1 and labels.shape.sizes[-1] in (None, 1):  # type: ignore[index]
                labels = squeeze(labels, [-1])
            return labels, predictions
        return _of_one_rank_in_the_run(labels, predictions)


def _of_one_rank_in_the_run(labels: Tensor, predictions: Tensor) -> tuple[Tensor, Tensor]:
    from tinytf.ops.comparison import equal
    from tinytf.ops.control_flow import cond

    rank: Any = shapes.rank(predictions)
    more = rank - shapes.rank(labels)

    def squeezed(tensor: Tensor, wanted: int) -> Tensor:
        sizes = tensor.shape.sizes
        if sizes is not None and (not sizes or sizes[-1] not in (None, 1)):
            return tensor
        too_many = equal(wanted, more)
        return cond(too_many, lambda: squeeze(tensor, [-1]), lambda: tensor)

    predictions = squeezed(predictions, 1)
    return squeezed(labels, -1), predictions
