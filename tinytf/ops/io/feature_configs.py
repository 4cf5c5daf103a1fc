"""What is known about a feature before it is parsed: `FixedLenFeature`, `VarLenFeature` ...

Mirrors tensorflow/python/ops/parsing_config.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.ops.array.constant import constant


class VarLenFeature(NamedTuple):
    """A feature with any number of values; parsed into a `SparseTensor`.

    TensorFlow: `tf.VarLenFeature`. `dtype` is float32, int64 or string.

    Example:
      >>> record = tf.train.Example()
      >>> record.features.feature["words"].bytes_list.value.extend([b"to", b"be"])
      >>> data = record.SerializeToString()
      >>> parsed = tf.parse_example([data], {"words": tf.VarLenFeature(tf.string)})
      >>> tf.sparse_tensor_to_dense(parsed["words"], "")  # [[b"to", b"be"]]
    """

    dtype: Any


class FixedLenFeature(NamedTuple):
    """A feature with as many values as its shape has; parsed into a `Tensor`.

    TensorFlow: `tf.FixedLenFeature`. With a `default_value` of this shape, examples may lack it.

    Example:
      >>> empty = tf.train.Example().SerializeToString()
      >>> label = tf.FixedLenFeature([], tf.int64, default_value=3)
      >>> tf.parse_example([empty, empty], {"label": label})["label"]  # [3, 3]
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature of any number of blocks of the same shape; parsed into a padded `Tensor`.

    TensorFlow: `tf.FixedLenSequenceFeature`. In an `Example` it needs `allow_missing=True`, and
    shorter examples are filled with `default_value` (0 or "" otherwise). In the feature lists of a
    `SequenceExample`, `allow_missing` takes a missing list for an empty one.

    Example:
      >>> record = tf.train.Example()
      >>> record.features.feature["points"].int64_list.value.extend([1, 2, 3, 4])
      >>> data = record.SerializeToString()
      >>> points = tf.FixedLenSequenceFeature([2], tf.int64, allow_missing=True)
      >>> tf.parse_example([data], {"points": points})["points"]  # [[[1, 2], [3, 4]]]
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """A `SparseTensor` written as two features or more: its indices and its values.

    TensorFlow: `tf.SparseFeature`. `index_key` and `size` are lists for more than one dimension.

    Example:
      >>> record = tf.train.Example()
      >>> record.features.feature["words"].int64_list.value.extend([3, 0])
      >>> record.features.feature["counts"].float_list.value.extend([2.0, 1.0])
      >>> feature = tf.SparseFeature("words", "counts", tf.float32, size=4)
      >>> parsed = tf.parse_example([record.SerializeToString()], {"counts": feature})
      >>> tf.sparse_tensor_to_dense(parsed["counts"])  # [[1., 0., 0., 2.]]
    """

    index_key: Any
    value_key: Any
    dtype: Any
    size: Any
    already_sorted: bool = False


def RaggedFeature(*args: Any, **kwargs: Any) -> NoReturn:
    """TensorFlow's `tf.io.RaggedFeature`: not in tinytf, which has no ragged tensors.

    Raises:
      NotImplementedError: always.

    Example:
      >>> tf.VarLenFeature(tf.int64)
      VarLenFeature(dtype=tf.int64)
    """
    raise NotImplementedError(
        "tf.io.RaggedFeature is not part of tinytf yet: there are no ragged tensors. "
        "tf.VarLenFeature gives the same values as a SparseTensor, "
        "tf.FixedLenSequenceFeature([], dtype, allow_missing=True) gives them padded."
    )


class Wanted:
    """The features that a parsing operation is to read, by kind.

    Args:
      features: by name. allowed: which of the classes above may be among them.

    Attributes:
      sparse: {key: dtype}.
      dense: {key: (shape, dtype)}.
      defaults: {key: default value}; None stands for one that is only said to be optional.

    Raises:
      ValueError: for a feature of another class, without a type or shape, or used in two ways.
    """

    def __init__(self, features: Mapping[str, Any] | None, allowed: tuple[type, ...]):
        self.sparse: dict[str, dtypes.DType] = {}
        self.dense: dict[str, tuple[TensorShape, dtypes.DType]] = {}
        self.defaults: dict[str, Any] = {}
        for key in sorted(features or ()):
            feature = features[key]  # type: ignore[index]  # it is not empty
            if not isinstance(feature, allowed):
                kinds = ", ".join(kind.__name__ for kind in allowed)
                raise ValueError(
                    f"Unsupported {type(feature).__name__} {feature} for key '{key}'; here may be "
                    f"{kinds}"
                )
            if isinstance(feature, SparseFeature):
                self._add_sparse_feature(key, feature)
            else:
                self._need(key, feature, "dtype", "type")
                if isinstance(feature, VarLenFeature):
                    self._add_sparse(key, feature.dtype)
                else:
                    self._add_dense(key, feature)
        both = set(self.dense) & set(self.sparse)
        if both:
            raise ValueError(
                f"Dense and sparse keys must not intersect; dense_keys: {list(self.dense)}, "
                f"sparse_keys: {list(self.sparse)}, intersection: {both}"
            )

    @staticmethod
    def _need(key: str, feature: Any, field: str, what: str) -> None:
        if getattr(feature, field) is None:
            raise ValueError(f"Missing {what} for feature {key}. Received feature={feature}.")

    def _add_sparse(self, key: str, dtype: Any) -> None:
        known = self.sparse.setdefault(key, dtypes.as_dtype(dtype))
        if known != dtype:
            raise ValueError(f"Conflicting type {known!r} vs {dtype!r} for feature {key}.")

    def _add_sparse_feature(self, key: str, feature: SparseFeature) -> None:
        for field in ("index_key", "value_key"):
            if not getattr(feature, field):
                raise ValueError(f"Missing {field} for SparseFeature {feature}.")
        self._need(key, feature, "dtype", "type")
        index_keys = feature.index_key
        for index_key in [index_keys] if isinstance(index_keys, str) else sorted(index_keys):
            self._add_sparse(index_key, dtypes.int64)
        self._add_sparse(feature.value_key, feature.dtype)

    def _add_dense(self, key: str, feature: Any) -> None:
        self._need(key, feature, "shape", "shape")
        shape = as_shape(feature.shape)
        if isinstance(feature, FixedLenFeature):
            if shape.sizes and shape.sizes[0] is None:
                raise ValueError(
                    f"First dimension of shape for feature {key} unknown. Consider using "
                    f"FixedLenSequenceFeature. Received feature={feature}."
                )
            if not shape.is_fully_defined():
                raise ValueError(
                    f"All dimensions of shape for feature {key} need to be known but received "
                    f"{feature.shape!s}."
                )
        elif feature.allow_missing:
            self.defaults[key] = None
        self.dense[key] = (shape, dtypes.as_dtype(feature.dtype))
        if feature.default_value is not None:
            self.defaults[key] = feature.default_value

    @property
    def shapes(self) -> list[TensorShape]:
        """Of the dense features."""
        return [shape for shape, _ in self.dense.values()]

    @property
    def types(self) -> list[dtypes.DType]:
        """Of the dense features."""
        return [dtype for _, dtype in self.dense.values()]

    def default_tensors(self) -> list[Tensor]:
        """The defaults of the dense features as tensors; an empty one stands for none."""
        return [self._default(key, *entry) for key, entry in self.dense.items()]

    def _default(self, key: str, shape: TensorShape, dtype: dtypes.DType) -> Tensor:
        value = self.defaults.get(key)
        safe = re.sub(r"[^A-Za-z0-9_.\-/]", "_", key)
        if shape.sizes and shape.sizes[0] is None:  # any number of blocks: what to pad with
            if value is None:
                return convert_to_tensor("" if dtype is dtypes.string else 0, dtype)
            return ops.reshape(convert_to_tensor(value, dtype, f"padding_{safe}"), [])
        if value is None:
            return constant([], dtype=dtype)
        if isinstance(value, Tensor):
            return value
        return ops.reshape(convert_to_tensor(value, dtype, f"key_{safe}"), shape)
