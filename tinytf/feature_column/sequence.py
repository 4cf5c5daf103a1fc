"""Features that come in sequences, one of a length of its own for each example."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

from tinytf import ops
from tinytf.feature_column.base import (
    CategoricalColumn,
    IdWeightPair,
    Inputs,
    KeyedColumn,
    OfCategorical,
    check_batches,
    normalize,
    require,
)
from tinytf.feature_column.categorical import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from tinytf.feature_column.embedding import DenseOfCategorical
from tinytf.feature_column.models import collections_of, variables_of
from tinytf.feature_column.numeric import numeric_column
from tinytf.framework import dtypes
from tinytf.framework.scope_functions import control_dependencies, name_scope
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.check.assert_values import assert_equal
from tinytf.ops.math.cast import cast
from tinytf.ops.math.rounding import ceil
from tinytf.ops.segment.sorted import segment_max
from tinytf.ops.sparse.reshape import sparse_reshape
from tinytf.ops.sparse.to_dense import sparse_tensor_to_dense
from tinytf.ops.variables.scope import variable_scope


class SequenceCategoricalColumn(
    OfCategorical, CategoricalColumn, namedtuple("_", "categorical_column")
):
    """Sequences of what a categorical column is about."""

    is_sequence = True

    @property
    def num_buckets(self) -> int:
        """The column's."""
        return self.categorical_column.num_buckets

    def transform_feature(self, inputs: Inputs) -> Any:
        """What the column makes."""
        return self.categorical_column.transform_feature(inputs)

    def get_sparse_tensors(self, inputs: Inputs) -> IdWeightPair:
        """Ids and weights, [batch, steps, values]."""
        ids, weights = self.categorical_column.get_sparse_tensors(inputs)
        shape: Any = ops.shape(ids)
        wanted = [shape[0], shape[1], ops.reduce_prod(shape[2:])]
        ids = sparse_reshape(ids, wanted)
        return IdWeightPair(ids, None if weights is None else sparse_reshape(weights, wanted))


class SequenceNumericColumn(
    KeyedColumn, namedtuple("_", "key shape default_value dtype normalizer_fn")
):
    """See `sequence_numeric_column`."""

    @property
    def variable_shape(self) -> TensorShape:
        """Of the numbers of one step."""
        return TensorShape(self.shape)

    def transform_feature(self, inputs: Inputs) -> Any:
        """The numbers, normalized: sparse."""
        feature = inputs.get(self.key)
        return feature if self.normalizer_fn is None else self.normalizer_fn(feature)

    def get_sequence_dense_tensor(self, inputs: Inputs) -> tuple[Tensor, Tensor]:
        """The numbers, filled up with the default; and the lengths."""
        sparse = inputs.get(self)
        dense = sparse_tensor_to_dense(sparse, default_value=self.default_value)
        first = ops.shape(dense)[:1]  # type: ignore[index]
        shape = ops.concat([first, [-1], self.variable_shape.as_list()], axis=0)
        size = self.variable_shape.num_elements() if sparse.shape.ndims == 2 else 1
        return ops.reshape(dense, shape), sequence_length(sparse, size or 1)


def sequence_length(sparse: Any, size: int = 1) -> Tensor:
    """How many steps each example has, int64.

    Args:
      size: how many numbers are one step.
    """
    with name_scope(None, "sequence_length") as scope:
        rows, columns = sparse.indices[:, 0], sparse.indices[:, 1]
        columns = columns + ops.ones_like(columns)
        last: Any = segment_max(columns, rows)
        lengths = cast(ceil(last / size), dtypes.int64)
        # Nothing is said of the last examples, if they are empty.
        missing = ops.shape(sparse)[:1] - ops.shape(lengths)[:1]  # type: ignore[index]
        return ops.concat([lengths, ops.zeros(missing, dtype=lengths.dtype)], 0, name=scope)


def sequence_numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: float = 0.0,
    dtype: Any = dtypes.float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> SequenceNumericColumn:
    """Sequences of numbers (TensorFlow: `tf.feature_column.sequence_numeric_column`).

    Args:
      key: the name of a sparse feature.
      shape: of the numbers of one step.
      default_value: what shorter sequences are filled up with.
      dtype: of the feature.
      normalizer_fn: a function of the sparse tensor.

    Raises:
      TypeError, ValueError: for arguments of other kinds.

    Example:
      >>> column = tf.feature_column.sequence_numeric_column("temperature")
      >>> numbers = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [20.0, 10.0, 30.0], [2, 2])
      >>> dense, length = tf.contrib.feature_column.sequence_input_layer(
      ...     {"temperature": numbers}, [column]
      ... )
      >>> length  # [2, 1]
    """
    fields = numeric_column(key, shape, None, dtype, normalizer_fn)
    return SequenceNumericColumn(*fields._replace(default_value=default_value))


def _of_sequences(make: Callable[..., Any]) -> Callable[..., SequenceCategoricalColumn]:
    """What makes columns of sequences, with the arguments of what makes others."""

    def sequence_column(key: str, *args: Any, **kwargs: Any) -> SequenceCategoricalColumn:
        return SequenceCategoricalColumn(make(key, *args, **kwargs))

    sequence_column.__name__ = sequence_column.__qualname__ = f"sequence_{make.__name__}"
    sequence_column.__doc__ = f"""Sequences of the values of `{make.__name__}`.

    TensorFlow: `tf.feature_column.sequence_{make.__name__}`.

    Args:
      key: the name of the feature. The rest is as there.

    Raises:
      ValueError: as there.

    Example:
      >>> tf.feature_column.sequence_{make.__name__}.__name__
      'sequence_{make.__name__}'
    """
    return sequence_column


sequence_categorical_column_with_identity = _of_sequences(categorical_column_with_identity)
sequence_categorical_column_with_hash_bucket = _of_sequences(categorical_column_with_hash_bucket)
sequence_categorical_column_with_vocabulary_file = _of_sequences(
    categorical_column_with_vocabulary_file
)
sequence_categorical_column_with_vocabulary_list = _of_sequences(
    categorical_column_with_vocabulary_list
)


def sequence_input_layer(
    features: Mapping[str, Any],
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
) -> tuple[Tensor, Tensor]:
    """Sequences side by side, as a recurrent network takes them.

    TensorFlow: `tf.contrib.feature_column.sequence_input_layer`.

    Args:
      features: {name: sparse tensor}.
      feature_columns: `sequence_numeric_column`s, and embeddings and indicators of
        `sequence_categorical_column_with_...`.
      weight_collections, trainable: as of `tf.feature_column.input_layer`.

    Returns:
      float32, [batch, steps, the sum of the columns' sizes]; and int64, how many steps each has.

    Raises:
      ValueError: for other columns. InvalidArgumentError: in a run, for columns whose sequences
        are not of the same lengths.

    Example:
      >>> word = tf.feature_column.sequence_categorical_column_with_identity("word", 100)
      >>> words = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [7, 8, 9], [2, 2])
      >>> steps, length = tf.contrib.feature_column.sequence_input_layer(
      ...     {"word": words}, [tf.feature_column.embedding_column(word, 5)]
      ... )
      >>> length  # [2, 1]
    """
    columns = normalize(feature_columns)
    for column in columns:
        require(
            isinstance(column, SequenceNumericColumn | DenseOfCategorical),
            "All feature_columns must be of type _SequenceDenseColumn. You can wrap a "
            "sequence_categorical_column with an embedding_column or indicator_column. "
            f"Given (type {type(column)}): {column}",
        )
    tensors, lengths = [], []
    with variable_scope(None, "sequence_input_layer", list(features.values())):
        inputs = Inputs(features, variables_of(collections_of(weight_collections), trainable))
        for column in columns:
            with variable_scope(None, column.variable_scope_name):
                if isinstance(column, SequenceNumericColumn):
                    dense, length = column.get_sequence_dense_tensor(inputs)
                else:
                    column.check_sequence(True)
                    dense = column.embedded(inputs)
                    ids, _ = column.categorical_column.get_sparse_tensors(inputs)
                    length = sequence_length(ids)
                shape: Any = ops.shape(dense)
                wanted = [shape[0], shape[1], column.variable_shape.num_elements()]
                tensors.append(ops.reshape(dense, wanted))
                lengths.append(length)
        check_batches(tensors, columns)
        check_batches(lengths, columns)
        return ops.concat(tensors, -1), _the_same(lengths)


def _the_same(lengths: list[Tensor]) -> Tensor:
    """The first of some lengths, which the run checks to be equal."""
    with name_scope(None, "assert_all_equal"):
        if len(lengths) == 1:
            return lengths[0]
        with control_dependencies([assert_equal(lengths[0], other) for other in lengths[1:]]):
            return ops.identity(lengths[0])
