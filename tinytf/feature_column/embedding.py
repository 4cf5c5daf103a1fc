"""Categorical columns made dense: ones where values are, or rows of a table."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

from tinytf import ops
from tinytf.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    Inputs,
    OfCategorical,
    require,
)
from tinytf.framework.scope_functions import add_to_collection, get_collection, name_scope
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.nn.embedding_sparse import safe_embedding_lookup_sparse
from tinytf.ops.sparse.concat import sparse_slice
from tinytf.ops.sparse.merge import sparse_merge
from tinytf.ops.sparse.to_dense import sparse_tensor_to_dense
from tinytf.ops.variables.initializers import TruncatedNormal
from tinytf.ops.variables.partitioned import PartitionedVariable
from tinytf.training.checkpoint_reading import init_from_checkpoint


class DenseOfCategorical(OfCategorical, DenseColumn):
    """A dense column made of a categorical one, which may be of sequences."""

    #: What messages call it.
    kind = "embedding_column"

    def get_dense_tensor(self, inputs: Inputs) -> Tensor:
        """The numbers of each example."""
        self.check_sequence(False)
        return self.embedded(inputs)

    def embedded(self, inputs: Inputs) -> Tensor:
        """The numbers of each example, or of each step of a sequence."""
        return inputs.get(self)

    def check_sequence(self, wanted: bool) -> None:
        """ValueError for a column of sequences where there should be none, and the other way."""
        given = f"Given (type {type(self.categorical_column)}): {self.categorical_column}"
        must = f"In {self.kind}: {self.name}. categorical_column must"
        is_sequence = self.categorical_column.is_sequence
        require(
            is_sequence or not wanted,
            f"{must} be of type SequenceCategoricalColumn to use sequence_input_layer. Suggested "
            f"fix: Use one of sequence_categorical_column_with_*. {given}",
        )
        require(
            wanted or not is_sequence,
            f"{must} not be of type _SequenceCategoricalColumn. Suggested fix A: use a "
            "categorical_column_with_* that is none of sequences. Suggested fix B: use "
            f"tf.contrib.feature_column.sequence_input_layer instead of input_layer. {given}",
        )


# Ones and zeros -----------------------------------------------------------------------------------


class IndicatorColumn(DenseOfCategorical, namedtuple("_", "categorical_column")):
    """See `indicator_column`."""

    kind = "indicator_column"
    suffix = "_indicator"

    @property
    def variable_shape(self) -> TensorShape:
        """A number for each value."""
        return TensorShape([1, self.categorical_column.num_buckets])

    def transform_feature(self, inputs: Inputs) -> Any:
        """How often each value is there, or the sum of its weights."""
        ids, weights = self.categorical_column.get_sparse_tensors(inputs)
        count = self.categorical_column.num_buckets
        if weights is not None:
            merged = sparse_merge(ids, weights, vocab_size=int(count))
            merged = sparse_slice(merged, [0, 0], merged.dense_shape)
            return ops.scatter_nd(merged.indices, merged.values, merged.dense_shape)
        dense = sparse_tensor_to_dense(ids, default_value=-1)
        ones = ops.one_hot(dense, depth=count, on_value=1.0, off_value=0.0)
        return ops.reduce_sum(ones, axis=[-2])


def indicator_column(categorical_column: CategoricalColumn) -> IndicatorColumn:
    """A categorical column as ones and zeros (TensorFlow: `tf.feature_column.indicator_column`).

    A value that an example has twice is a two; with weights, it is their sum.

    Args:
      categorical_column: any.

    Raises:
      ValueError: for a column of another kind.

    Example:
      >>> letter = tf.feature_column.categorical_column_with_vocabulary_list("letter", ["a", "b"])
      >>> column = tf.feature_column.indicator_column(letter)
      >>> y = tf.feature_column.input_layer({"letter": [["b", "b"], ["a", ""]]}, [column])
      >>> sess.run(tf.tables_initializer())
      >>> y  # [[0., 2.], [1., 0.]]
    """
    given = f"Input must be a CategoricalColumn. Given: {categorical_column}"
    categorical = isinstance(categorical_column, CategoricalColumn)
    require(categorical, f"Unsupported input type. {given}")
    return IndicatorColumn(categorical_column)


# Embeddings ---------------------------------------------------------------------------------------


class _OfTable(DenseOfCategorical):
    """A column whose numbers are rows of a table."""

    dimension: Any
    initializer: Any
    trainable: Any

    @property
    def variable_shape(self) -> TensorShape:
        """A row of the table."""
        return TensorShape([self.dimension])

    def transform_feature(self, inputs: Inputs) -> Any:
        """What the categorical column makes."""
        return inputs.get(self.categorical_column)

    def embedded(self, inputs: Inputs) -> Tensor:
        """Rows of the table, combined for each example, or for each step of a sequence."""
        pair = self.categorical_column.get_sparse_tensors(inputs)
        return _looked_up(self, pair, self.table(inputs))

    def table(self, inputs: Inputs) -> Any:
        """The variable, [values, dimension]."""
        shape = (self.categorical_column.num_buckets, self.dimension)
        return inputs.variable(self, "embedding_weights", shape, self.initializer, self.trainable)


class EmbeddingColumn(
    _OfTable,
    namedtuple(
        "_",
        "categorical_column dimension combiner initializer ckpt_to_load_from tensor_name_in_ckpt "
        "max_norm trainable",
    ),
):
    """See `embedding_column`."""

    suffix = "_embedding"


def _looked_up(column: Any, pair: IdWeightPair, table: Any) -> Tensor:
    if column.ckpt_to_load_from is not None:
        restored = list(table) if isinstance(table, PartitionedVariable) else table
        init_from_checkpoint(column.ckpt_to_load_from, {column.tensor_name_in_ckpt: restored})
    return safe_embedding_lookup_sparse(
        table,
        pair.id_tensor,
        pair.weight_tensor,
        combiner=column.combiner,
        name=f"{column.name}_weights",
        max_norm=column.max_norm,
    )


def embedding_column(
    categorical_column: CategoricalColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: Callable[..., Any] | None = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> EmbeddingColumn:
    """Each value as a row of a table that is learnt (TensorFlow: `tf.feature_column.embedding_column`).

    Args:
      categorical_column: any.
      dimension: of the rows.
      combiner: of an example's rows: "mean", "sqrtn" or "sum".
      initializer: of the table; by default truncated normal, of deviation 1/sqrt(dimension).
      ckpt_to_load_from, tensor_name_in_ckpt: a checkpoint and a name in it to begin with.
      max_norm: rows with a larger 2-norm are scaled down to it.
      trainable: whether the table is trained.

    Raises:
      ValueError: for no dimension, for half of a checkpoint's place, for no initializer.

    Example:
      >>> word = tf.feature_column.categorical_column_with_hash_bucket("word", 1000)
      >>> column = tf.feature_column.embedding_column(word, dimension=3)
      >>> tf.feature_column.input_layer({"word": [["a"], ["b"]]}, [column]).shape
      TensorShape([Dimension(2), Dimension(3)])
      >>> tf.trainable_variables()
      [<tf.Variable 'input_layer/word_embedding/embedding_weights:0' shape=(1000, 3) dtype=float32_ref>]
    """  # noqa: E501
    where = f" Embedding of column_name: {getattr(categorical_column, 'name', None)}"
    initializer = _checked(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, where)
    fields = (categorical_column, dimension, combiner, initializer)
    return EmbeddingColumn(*fields, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable)


def _checked(dimension: Any, initializer: Any, path: Any, name: Any, where: str = "") -> Any:
    """The initializer of a table."""
    require(dimension is not None and dimension >= 1, f"Invalid dimension {dimension}.")
    both = "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
    require((path is None) == (name is None), both)
    usable = initializer is None or callable(initializer)
    require(usable, f"initializer must be callable if specified.{where}")
    return initializer or TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))


# Embeddings of one table --------------------------------------------------------------------------


class SharedEmbeddingColumn(
    _OfTable,
    namedtuple(
        "_",
        "categorical_column dimension combiner initializer shared_embedding_collection_name "
        "ckpt_to_load_from tensor_name_in_ckpt max_norm trainable",
    ),
):
    """See `shared_embedding_columns`."""

    suffix = "_shared_embedding"

    @property
    def variable_scope_name(self) -> Any:
        """That of all columns with this table."""
        return self.shared_embedding_collection_name

    def embedded(self, inputs: Inputs) -> Tensor:
        """Rows of the table, combined for each example, or for each step of a sequence."""
        with name_scope(None, self.name):
            return super().embedded(inputs)

    def table(self, inputs: Inputs) -> Any:
        """The variable of all columns of the collection."""
        collection = self.shared_embedding_collection_name
        found = get_collection(collection)
        if not found:
            table = super().table(inputs)
            add_to_collection(collection, table)
            return table
        shape = [self.categorical_column.num_buckets, self.dimension]
        advice = "Choose another shared_embedding_collection_name, and add nothing to it."
        require(len(found) == 1, f"Collection {found} can only contain one variable. {advice}")
        require(
            found[0].shape.as_list() == shape,
            f"Shared embedding collection {collection} contains variable {found[0].name} of "
            f"unexpected shape {found[0].shape}. Expected shape is {tuple(shape)}. {advice}",
        )
        return found[0]


def shared_embedding_columns(
    categorical_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    initializer: Callable[..., Any] | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Embeddings of several columns in one table.

    TensorFlow: `tf.feature_column.shared_embedding_columns`.

    Args:
      categorical_columns: of one kind, with the same values.
      shared_embedding_collection_name: of the variable's scope, and of the collection that has it.
      dimension and the rest: as of `embedding_column`.

    Returns:
      a column for each.

    Raises:
      ValueError: as of `embedding_column`; for columns that do not fit together.

    Example:
      >>> watched = tf.feature_column.categorical_column_with_identity("watched", 100)
      >>> liked = tf.feature_column.categorical_column_with_identity("liked", 100)
      >>> columns = tf.feature_column.shared_embedding_columns([watched, liked], dimension=4)
      >>> tf.feature_column.input_layer({"watched": [[1, 2]], "liked": [[2]]}, columns).shape
      TensorShape([Dimension(1), Dimension(8)])
      >>> len(tf.trainable_variables())
      1
    """
    initializer = _checked(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    ordered = sorted(categorical_columns, key=lambda column: column.name)
    first = _innermost(ordered[0])
    given = f"Given: {first}, of type: {type(first)}"
    categorical = isinstance(first, CategoricalColumn)
    require(
        categorical, f"All categorical_columns must be subclasses of _CategoricalColumn. {given}"
    )
    must = "To use shared_embedding_column, all categorical_columns must have the same"
    for column in map(_innermost, ordered[1:]):
        require(
            isinstance(column, type(first)),
            f"{must} type, or be weighted_categorical_column or sequence column of the same type. "
            f"{given} does not match {column} of type: {type(column)}",
        )
        require(
            first.num_buckets == column.num_buckets,
            f"{must} number of buckets. Given: {first} with buckets: {first.num_buckets} does  "
            f"not match column: {column} with buckets: {column.num_buckets}",
        )
    name = shared_embedding_collection_name
    name = name or "_".join(column.name for column in ordered) + "_shared_embedding"
    shared = (name, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable)
    return [
        SharedEmbeddingColumn(column, dimension, combiner, initializer, *shared)
        for column in categorical_columns
    ]


def _innermost(column: Any) -> Any:
    """What is weighted, or comes in sequences."""
    while hasattr(column, "categorical_column"):
        column = column.categorical_column
    return column
