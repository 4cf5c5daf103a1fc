"""Combinations of features, each a value of its own."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Sequence
from typing import Any

from tinytf.feature_column.base import CategoricalColumn, Inputs, require
from tinytf.feature_column.categorical import HashedCategoricalColumn
from tinytf.framework import dtypes
from tinytf.ops.io.feature_configs import VarLenFeature
from tinytf.ops.sparse.cross import sparse_cross_hashed


class CrossedColumn(CategoricalColumn, namedtuple("_", "keys hash_bucket_size hash_key")):
    """See `crossed_column`."""

    @property
    def name(self) -> str:
        """The features' and columns', sorted, with "_X_" between them."""
        return "_X_".join(sorted(k if isinstance(k, str) else k.name for k in self._leaves()))

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The columns', and texts for features that are named."""
        spec: dict[str, Any] = {}
        for key in self.keys:
            is_name = isinstance(key, str)
            spec |= {key: VarLenFeature(dtypes.string)} if is_name else key.parse_example_spec
        return spec

    @property
    def num_buckets(self) -> int:
        """As the column was made."""
        return self.hash_bucket_size

    def _leaves(self) -> Iterator[Any]:
        """Features and columns, those of crossed columns in their place."""
        for key in self.keys:
            if isinstance(key, CrossedColumn):
                yield from key._leaves()
            else:
                yield key

    def transform_feature(self, inputs: Inputs) -> Any:
        """The bucket of each combination."""
        features = []
        for key in self._leaves():
            if isinstance(key, str):
                features.append(inputs.get(key))
                continue
            found = key.get_sparse_tensors(inputs)
            require(
                found.weight_tensor is None,
                "crossed_column does not support weight_tensor, but the given column populates "
                f"weight_tensor. Given column: {key.name}",
            )
            features.append(found.id_tensor)
        return sparse_cross_hashed(features, self.hash_bucket_size, self.hash_key)


def crossed_column(
    keys: Sequence[Any], hash_bucket_size: int, hash_key: int | None = None
) -> CrossedColumn:
    """All combinations of features, in hash buckets (TensorFlow: `tf.feature_column.crossed_column`).

    Args:
      keys: names of features of text, and categorical columns; but no hashed ones.
      hash_bucket_size: how many buckets.
      hash_key: a different one gives different buckets.

    Raises:
      ValueError: for less than two keys, or keys of other kinds.

    Example:
      >>> column = tf.feature_column.crossed_column(["street", "weather"], 5)
      >>> features = {"street": [["wet"], ["dry"]], "weather": [["rain"], ["sun"]]}
      >>> y = tf.feature_column.input_layer(features, [tf.feature_column.indicator_column(column)])
      >>> y  # [[1., 0., 0., 0., 0.], [0., 1., 0., 0., 0.]]
    """  # noqa: E501
    many = hash_bucket_size and hash_bucket_size >= 1
    require(many, f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    require(keys and len(keys) > 1, f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        require(
            isinstance(key, str | CategoricalColumn),
            "Unsupported key type. All keys must be either string, or categorical column except "
            f"HashedCategoricalColumn. Given: {key}",
        )
        require(
            not isinstance(key, HashedCategoricalColumn),
            "categorical_column_with_hash_bucket is not supported for crossing. Hashing before "
            "crossing will increase probability of collision. Instead, use the feature name as a "
            f"string. Given: {key}",
        )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
