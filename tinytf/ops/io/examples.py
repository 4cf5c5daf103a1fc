"""`tf.parse_example` and its kin: from serialised examples to tensors.

Mirrors tensorflow/python/ops/parsing_ops.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.control_flow.grouping import with_dependencies
from tinytf.ops.io.example_ops import parse_example_v2
from tinytf.ops.io.feature_configs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    SparseFeature,
    VarLenFeature,
    Wanted,
)
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal
from tinytf.ops.sparse.reorder import sparse_reorder

KINDS = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature)


def parse_example(
    serialized: Any, features: Mapping[str, Any], name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """Tensors from a batch of serialised `tf.train.Example` (TensorFlow: `tf.parse_example`).

    Args:
      serialized: a vector of strings.
      features: by name, what is wanted: `FixedLenFeature`, `VarLenFeature`, `SparseFeature`,
        `FixedLenSequenceFeature`.
      name: of the scope and the operation.
      example_names: a vector of strings, for messages only: files the examples are from, say.

    Returns:
      by name: `Tensor`s [batch, ...] for features of fixed length, else `SparseTensor`s.

    Raises:
      ValueError: while the graph is built, for features that contradict themselves.
      InvalidArgumentError: in a run, for examples that lack a feature or have another kind or
        number of values; the message names the example, the feature and both values.

    Example:
      >>> record = tf.train.Example()
      >>> record.features.feature["label"].int64_list.value.extend([7])
      >>> data = record.SerializeToString()
      >>> parsed = tf.parse_example([data, data], {"label": tf.FixedLenFeature([], tf.int64)})
      >>> parsed["label"]  # [7, 7]
    """
    if not features:
        raise ValueError("Argument `features` cannot be None.")
    features = with_unknown_lengths(features)
    wanted = Wanted(features, KINDS)
    with op_scope(name, "ParseExample", [serialized, example_names]):
        texts = convert_to_tensor(serialized, name="serialized")
        parsed = parse_example_v2(
            texts,
            [] if example_names is None else example_names,
            list(wanted.sparse),
            list(wanted.dense),
            _no_keys(),
            wanted.default_tensors(),
            name=name,
            num_sparse=len(wanted.sparse),
            sparse_types=list(wanted.sparse.values()),
            ragged_value_types=[],
            ragged_split_types=[],
            dense_shapes=wanted.shapes,
            Tdense=wanted.types,
        )
        result = named(wanted, *parsed[:4])
    return with_sparse_features(features, result)


def _no_keys() -> Any:
    import numpy as np

    return np.empty(0, object)


def named(wanted: Wanted, indices: Any, values: Any, shapes: Any, dense: Any) -> dict[str, Any]:
    """The outputs of a parsing operation by the names of the features."""
    sparse = [SparseTensor(*parts) for parts in zip(indices, values, shapes, strict=True)]
    return dict(zip([*wanted.sparse, *wanted.dense], [*sparse, *dense], strict=True))


def with_unknown_lengths(features: Mapping[str, Any]) -> dict[str, Any]:
    """A feature of any number of blocks as one whose first dimension is not known."""
    result = dict(features)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError(
                    "Unsupported: FixedLenSequenceFeature requires allow_missing to be True. "
                    f"(feature '{key}' of an Example: tf.FixedLenSequenceFeature(shape, dtype, "
                    "allow_missing=True))"
                )
            result[key] = feature._replace(shape=[None, *feature.shape])
    return result


def with_sparse_features(features: Mapping[str, Any], parsed: dict[str, Any]) -> dict[str, Any]:
    """The features that were asked for, a `SparseFeature` made of those that were parsed."""
    result = {key: value for key, value in parsed.items() if key in features}
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            one = isinstance(feature.index_key, str)
            index_keys = [feature.index_key] if one else feature.index_key
            ids = [parsed[index_key] for index_key in index_keys]
            sizes = [feature.size] if one else feature.size
            result[key] = _merged(ids, parsed[feature.value_key], sizes, feature.already_sorted)
    return result


def _merged(
    ids: list[SparseTensor], values: SparseTensor, sizes: Any, already_sorted: bool
) -> SparseTensor:
    """A sparse tensor whose last indices are the values of others (`tf.sparse_merge`)."""
    if len(ids) != len(sizes):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with op_scope(None, "SparseMerge", [ids[0].indices]):
        columns = [ops.expand_dims(one.values, axis=1) for one in ids]
        ends: list[Any] = [cast(size, dtypes.int64) for size in sizes]
        places: Any = ids[0].indices
        whole: Any = ids[0].dense_shape
        indices = ops.concat([places[:, :-1], *columns], 1)
        shape = ops.concat([whole[:-1], ends], 0)
        merged = SparseTensor(indices, values.values, shape)
        if already_sorted:
            return merged
        in_order = sparse_reorder(merged)
        return SparseTensor(in_order.indices, in_order.values, shape)


def parse_single_example(
    serialized: Any, features: Mapping[str, Any], name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """Tensors from one serialised `tf.train.Example` (TensorFlow: `tf.parse_single_example`).

    Args:
      serialized: a single string.
      features, name, example_names: as for `parse_example`; the name is a single string.

    Returns:
      as `parse_example`, without the dimension for the batch.

    Raises:
      ValueError: "Input serialized must be a scalar". Otherwise as `parse_example`.

    Example:
      >>> record = tf.train.Example()
      >>> record.features.feature["size"].float_list.value.extend([1.5, 2.5])
      >>> data = record.SerializeToString()
      >>> tf.parse_single_example(data, {"size": tf.FixedLenFeature([2], tf.float32)})["size"]
      <tf.Tensor 'ParseSingleExample/ParseExample/ParseExampleV2:0' shape=(2,) dtype=float32>
    """
    if not features:
        raise ValueError("Invalid argument: features cannot be None.")
    with op_scope(name, "ParseSingleExample", [serialized, example_names]):
        text = convert_to_tensor(serialized, name="serialized")
        return parse_example(checked_scalar(text), features, name, example_names)


def checked_scalar(value: Tensor) -> Tensor:
    """`value`, which must be a single string; checked in the run if it is not known before.

    Raises:
      ValueError: "Input serialized must be a scalar".
    """
    sizes = value.shape.sizes
    if sizes is None:
        check = Assert(
            equal(ops.rank(value), 0),
            ["Input serialized must be a scalar"],
            name="SerializedIsScalar",
        )
        result = with_dependencies([check], value, name="serializedDependencies")
        result.set_shape([])
        return result
    if sizes:
        raise ValueError(
            f"Input serialized must be a scalar, got shape {value.shape}: tf.parse_example parses "
            "a batch"
        )
    return value
