"""Numbers as they are, and in buckets."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    Inputs,
    KeyedColumn,
    check_key,
    check_shape,
    require,
)
from tinytf.framework import dtypes
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.range import range as range_of
from tinytf.ops.io.feature_configs import FixedLenFeature
from tinytf.ops.math.bucketize import bucketize
from tinytf.ops.math.cast import cast


class NumericColumn(
    KeyedColumn, DenseColumn, namedtuple("_", "key shape default_value dtype normalizer_fn")
):
    """See `numeric_column`."""

    @property
    def variable_shape(self) -> TensorShape:
        """Of the numbers of one example."""
        return TensorShape(self.shape)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """As many numbers as the shape says."""
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def transform_feature(self, inputs: Inputs) -> Any:
        """The numbers, normalized, as float32."""
        feature = inputs.get(self.key)
        require(
            not isinstance(feature, SparseTensor),
            "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not "
            f"supported. key: {self.key}. tf.sparse.to_dense makes one of it.",
        )
        if self.normalizer_fn is not None:
            feature = self.normalizer_fn(feature)
        return cast(feature, dtypes.float32)


def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = None,
    dtype: Any = dtypes.float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> NumericColumn:
    """A feature of numbers (TensorFlow: `tf.feature_column.numeric_column`).

    Args:
      key: the feature's name; the column's, too.
      shape: of the numbers of one example.
      default_value: for examples without the feature, where `tf.parse_example` reads them: one
        number, or as many as the shape says.
      dtype: of what is parsed; the column gives float32.
      normalizer_fn: a function of the tensor, such as (x - 3.0) / 4.2.

    Raises:
      TypeError, ValueError: for arguments of other kinds, and a default that does not fit.

    Example:
      >>> tf.feature_column.numeric_column("price")
      NumericColumn(key='price', shape=(1,), default_value=None, dtype=tf.float32, normalizer_fn=None)
    """  # noqa: E501
    shape = check_shape(shape, key)
    dtype = dtypes.as_dtype(dtype)
    number = dtype.is_integer or dtype.is_floating
    require(number, f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    default_value = _default(shape, default_value, dtype, key)
    wrong = f"normalizer_fn must be a callable. Given: {normalizer_fn}"
    require(normalizer_fn is None or callable(normalizer_fn), wrong, TypeError)
    check_key(key)
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def _default(shape: tuple[int, ...], value: Any, dtype: Any, key: Any) -> Any:
    """The default of one example as nested tuples."""
    if value is None:
        return None
    values = np.asarray(value)
    given = f"default_value: {value}, dtype: {dtype}, shape: {shape}, key: {key}"
    fits = values.dtype.kind in ("iu" if dtype.is_integer else "iuf")
    require(fits, f"default_value must be compatible with dtype. {given}", TypeError)
    same = not values.ndim or values.shape == shape
    require(same, f"The shape of default_value must be equal to given shape. {given}")
    return _as_tuples(np.broadcast_to(values, shape).tolist())


def _as_tuples(values: Any) -> Any:
    return tuple(map(_as_tuples, values)) if isinstance(values, list) else values


# Buckets ------------------------------------------------------------------------------------------


class BucketizedColumn(DenseColumn, CategoricalColumn, namedtuple("_", "source_column boundaries")):
    """See `bucketized_column`."""

    @property
    def name(self) -> str:
        """The source's, "_bucketized"."""
        return f"{self.source_column.name}_bucketized"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The source's."""
        return self.source_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        """Of the ones and zeros of one example."""
        return TensorShape([*self.source_column.shape, len(self.boundaries) + 1])

    @property
    def num_buckets(self) -> int:
        """Buckets of each number are counted apart."""
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def transform_feature(self, inputs: Inputs) -> Any:
        """The number of the bucket of each number."""
        return bucketize(inputs.get(self.source_column), self.boundaries)

    def get_dense_tensor(self, inputs: Inputs) -> Tensor:
        """One where the bucket is, zeros elsewhere."""
        buckets = cast(inputs.get(self), dtypes.int64)
        return ops.one_hot(buckets, len(self.boundaries) + 1, on_value=1.0, off_value=0.0)

    def get_sparse_tensors(self, inputs: Inputs) -> IdWeightPair:
        """The buckets as ids, without weights."""
        buckets: Any = inputs.get(self)
        batch: Any = ops.shape(buckets)[0]  # type: ignore[index]
        width = self.source_column.shape[0]
        rows = ops.tile(ops.expand_dims(range_of(0, batch), 1), [1, width])
        rows = ops.reshape(rows, (-1,))
        columns: Any = ops.tile(range_of(0, width), [batch])
        ids = ops.reshape(buckets, (-1,)) + (len(self.boundaries) + 1) * columns
        indices = cast(ops.transpose(ops.stack((rows, columns))), dtypes.int64)
        shape = cast(ops.stack([batch, width]), dtypes.int64)
        return IdWeightPair(SparseTensor(indices, ids, shape), None)


def bucketized_column(source_column: NumericColumn, boundaries: Any) -> BucketizedColumn:
    """Numbers by the bucket they are in (TensorFlow: `tf.feature_column.bucketized_column`).

    Args:
      source_column: a `numeric_column` of one dimension.
      boundaries: sorted; n of them make n + 1 buckets. A number that equals one is above it.

    Raises:
      ValueError: for another column; for no boundaries, or such as are not sorted.

    Example:
      >>> age = tf.feature_column.numeric_column("age")
      >>> column = tf.feature_column.bucketized_column(age, [18, 65])
      >>> features = {"age": [[7.0], [18.0], [70.0]]}
      >>> y = tf.feature_column.input_layer(features, [column])
      >>> y  # [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]]
    """
    given = f"Given: {source_column}"
    numeric = isinstance(source_column, NumericColumn)
    require(numeric, f"source_column must be a column generated with numeric_column(). {given}")
    flat = len(source_column.shape) <= 1
    require(flat, f"source_column must be one-dimensional column. {given}")
    require(boundaries, "boundaries must not be empty.")
    listed = isinstance(boundaries, list | tuple) and all(a < b for a, b in pairwise(boundaries))
    require(listed, f"boundaries must be a sorted list. Given: {boundaries}")
    return BucketizedColumn(source_column, tuple(boundaries))
