"""What feature columns are: descriptions of inputs, and what takes the inputs apart by them.

A column has the values of its fields and a name, and no state: the same columns describe training,
evaluation and serving. `Inputs` has the features of one graph; each column's tensors are made once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.dtypes import DType
from tinytf.framework.scope_functions import control_dependencies, name_scope
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.spelling import did_you_mean
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.io.feature_configs import VarLenFeature
from tinytf.ops.sparse.conversion import convert_to_tensor_or_sparse_tensor
from tinytf.ops.sparse.reshape import sparse_reshape

#: What makes a variable: (column, name, shape, initializer, trainable) -> a variable.
VariableOf = Callable[[Any, str, Any, Any, bool], Any]


class FeatureColumn:
    """What an input is, and what becomes of it; columns are compared by their fields.

    Attributes:
      name: of the column; no two of one model may have the same.
      parse_example_spec: {feature: how `tf.parse_example` reads it}.
    """

    name: Any
    parse_example_spec: Any

    def transform_feature(self, inputs: Inputs) -> Any:
        """What `inputs.get(column)` gives: made of other columns' or of features."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it makes of features.")

    # In the order of what they print, as in TensorFlow: by their fields they are not comparable.
    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)

    def __gt__(self, other: Any) -> bool:
        return str(self) > str(other)

    @property
    def variable_scope_name(self) -> Any:
        """Of the scope that `input_layer` and `linear_model` make its tensors in."""
        return self.name

    @property
    def scope_name(self) -> str:
        """The same for estimators: the name, with what a scope cannot have replaced."""
        return re.sub(r"[^A-Za-z0-9_.\-]", "_", self.name)


class KeyedColumn(FeatureColumn):
    """A column of one feature, `key`."""

    key: Any
    dtype: Any

    @property
    def name(self) -> Any:
        """The feature's."""
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """As many values as an example has."""
        return {self.key: VarLenFeature(self.dtype)}


class DenseColumn(FeatureColumn):
    """A column that numbers are made of; networks take these.

    Attributes:
      variable_shape: of the numbers of one example.
    """

    variable_shape: Any

    def get_dense_tensor(self, inputs: Inputs) -> Tensor:
        """The numbers: [batch, *variable_shape]."""
        return inputs.get(self)


class IdWeightPair(NamedTuple):
    """Sparse ids, and what each counts: None for 1."""

    id_tensor: Any
    weight_tensor: Any


class CategoricalColumn(FeatureColumn):
    """A column of some of finitely many values, as numbers below `num_buckets`.

    Attributes:
      num_buckets: how many values there may be. is_sequence: whether they come step by step.
    """

    num_buckets: Any
    is_sequence = False

    def get_sparse_tensors(self, inputs: Inputs) -> IdWeightPair:
        """Ids and weights: sparse matrices with a row for each example."""
        return IdWeightPair(inputs.get(self), None)


class OfCategorical(FeatureColumn):
    """A column made of another one, `categorical_column`."""

    categorical_column: Any
    #: What its name has after the other's.
    suffix = ""

    @property
    def name(self) -> Any:
        """The other's, with what it is made."""
        return f"{self.categorical_column.name}{self.suffix}"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The other's."""
        return dict(self.categorical_column.parse_example_spec)


class Inputs:
    """Features of one graph, and the tensors that columns make of them, each made once.

    Args:
      features: {name: tensor, sparse tensor or array}.
      variable: makes variables, where there are columns with some.
    """

    def __init__(self, features: Mapping[Any, Any], variable: VariableOf | None = None):
        self._features = dict(features)
        self._made: dict[Any, Any] = {}
        self.variable: Any = variable

    def get(self, key: Any) -> Any:
        """The tensor of a feature, of rank 2 at least, or what a column makes of features.

        Raises:
          ValueError: for a feature that is not there, or is a scalar.
        """
        if key not in self._made:
            if key in self._features:
                self._made[key] = self._feature(key)
            elif isinstance(key, str):
                raise ValueError(
                    f"Feature {key} is not in features dictionary. It has: "
                    f"{', '.join(map(str, self._features)) or 'none'}."
                    + did_you_mean(key, list(map(str, self._features)))
                )
            else:
                self._made[key] = key.transform_feature(self)
        return self._made[key]

    def _feature(self, key: Any) -> Any:
        feature = convert_to_tensor_or_sparse_tensor(self._features[key])
        rank = feature.shape.ndims
        message = f"Feature (key: {key}) cannot have rank 0. Given: {feature}"
        require(rank != 0, message)
        if rank is not None:
            return _expanded(feature) if rank == 1 else feature
        with control_dependencies([ops.assert_positive(ops.rank(feature), message=message)]):
            is_vector = ops.equal(1, ops.rank(feature))
            return ops.cond(is_vector, lambda: _expanded(feature), lambda: feature)


def _expanded(feature: Any) -> Any:
    if isinstance(feature, SparseTensor):
        return sparse_reshape(feature, [ops.shape(feature)[0], 1])  # type: ignore[index]
    return ops.expand_dims(feature, -1)


def to_sparse(features: Any, ignore_value: Any = None) -> SparseTensor:
    """Features as a sparse tensor, without those that stand for "none": "" and -1.

    Args:
      features: a tensor, or a sparse one, which is returned. ignore_value: what is left out.
    """
    features = convert_to_tensor_or_sparse_tensor(features)
    if isinstance(features, SparseTensor):
        return features
    with name_scope(None, "to_sparse_input", [features, ignore_value]):
        if ignore_value is None:
            is_text = features.dtype == dtypes.string
            ignore_value = "" if is_text else -1 if features.dtype.is_integer else 0.0
        nothing = ops.cast(ignore_value, features.dtype, name="ignore_value")
        indices = ops.where(ops.not_equal(features, nothing), name="indices")
        return SparseTensor(
            indices=indices,
            values=ops.gather_nd(features, indices, name="values"),
            dense_shape=ops.shape(features, out_type=dtypes.int64, name="dense_shape"),
        )


# Checks of arguments ------------------------------------------------------------------------------


def require(condition: Any, message: str, error: type[Exception] = ValueError) -> None:
    """An error with this message unless a condition holds."""
    if not condition:
        raise error(message)


def normalize(columns: Any) -> list[Any]:
    """Columns as a list, by their names.

    Raises:
      ValueError: for none, for what is no column, for two columns of one name.
    """
    require(not isinstance(columns, dict), "Expected feature_columns to be iterable, found dict.")
    columns = [columns] if isinstance(columns, FeatureColumn) else list(columns)
    for column in columns:
        given = f"Given (type {type(column)}): {column}"
        wrong = f"Items of feature_columns must be a FeatureColumn. {given}"
        if isinstance(column, str):
            wrong += f". A feature of numbers is tf.feature_column.numeric_column({column!r})."
        require(isinstance(column, FeatureColumn), wrong)
    require(columns, "feature_columns must not be empty.")
    columns.sort(key=lambda column: column.name)
    for column, following in pairwise(columns):
        require(
            column.name != following.name,
            f"Duplicate feature column name found for columns: {following} and {column}. Two "
            "columns of one feature have the same name: leave one out, or give the second a "
            "feature of its own, under another name.",
        )
    return columns


def check_batches(tensors: Iterable[Any], columns: Iterable[Any]) -> None:
    """ValueError unless all tensors may have as many rows as each other."""
    known = [(c.name, t.shape[0]) for t, c in zip(tensors, columns) if t.shape[0].value is not None]
    for name, size in known[1:]:
        require(
            size.value == known[0][1].value,
            "Batch size (first dimension) of each feature must be same. Batch size of columns "
            f"({known[0][0]}, {name}): ({known[0][1]}, {size})",
        )


def check_shape(shape: Any, key: Any) -> tuple[int, ...]:
    """A shape as a tuple of positive integers."""
    sizes = tuple(shape) if isinstance(shape, list | tuple | TensorShape) else (shape,)
    given = f"shape: {sizes}, key: {key}"
    for size in sizes:
        integer = isinstance(size, int)
        require(integer, f"shape dimensions must be integer. {given}", TypeError)
        require(size >= 1, f"shape dimensions must be greater than 0. {given}")
    return sizes


def check_key(key: Any) -> None:
    """ValueError unless a feature is named by a string."""
    require(
        isinstance(key, str),
        f"key must be a string. Got: type {type(key)}. Given key: {key}. It is the feature's name "
        "in the dictionary of features, not a column.",
    )


def check_text_or_integers(dtype: DType, prefix: str) -> None:
    """ValueError for other types of categorical features."""
    allowed = dtype == dtypes.string or dtype.is_integer
    require(allowed, f"{prefix} dtype must be string or integer. dtype: {dtype}.")
