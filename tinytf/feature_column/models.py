"""What columns are for: the first layer of a network, and a linear model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinytf import ops
from tinytf.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    Inputs,
    VariableOf,
    check_batches,
    normalize,
    require,
)
from tinytf.framework import dtypes
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.scope_functions import add_to_collection, get_collection, name_scope
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.arguments import having
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.nn.bias_add import bias_add
from tinytf.ops.nn.embedding_sparse import safe_embedding_lookup_sparse
from tinytf.ops.sparse.reshape import sparse_reshape
from tinytf.ops.variables.current_scope import get_variable_scope
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.partitioned import PartitionedVariable
from tinytf.ops.variables.scope import get_variable, variable_scope


def collections_of(wanted: Any) -> list[Any]:
    """Of a variable: what the caller wants, and those of all variables of models."""
    usual = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return [*(wanted or []), *(key for key in usual if key not in (wanted or []))]


def variables_of(collections: list[Any], trainable: bool) -> VariableOf:
    """What makes the variables of dense columns."""

    def variable(column: Any, name: str, shape: Any, initializer: Any, trained: bool) -> Any:
        return get_variable(
            name,
            shape,
            dtypes.float32,
            initializer,
            trainable=trained and trainable,
            collections=collections,
        )

    return variable


def input_layer(
    features: Mapping[str, Any],
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
) -> Tensor:
    """Features side by side, as a network takes them (TensorFlow: `tf.feature_column.input_layer`).

    Args:
      features: {name: tensor, sparse tensor or array}, with a row for each example.
      feature_columns: dense columns, in any order: their results are in the order of their names.
      weight_collections: more collections that variables are added to.
      trainable: whether variables are trained.
      cols_to_vars: a dict that is filled with the variables of each column.
      cols_to_output_tensors: a dict that is filled with what each column gives.

    Returns:
      float32, [batch, the sum of the columns' sizes].

    Raises:
      ValueError: for categorical columns, for features that are missing or of the wrong kind.

    Example:
      >>> price = tf.feature_column.numeric_column("price")
      >>> kind = tf.feature_column.categorical_column_with_vocabulary_list("kind", ["new", "old"])
      >>> columns = [price, tf.feature_column.indicator_column(kind)]
      >>> features = {"price": [[1.5], [2.5]], "kind": [["old"], ["new"]]}
      >>> y = tf.feature_column.input_layer(features, columns)
      >>> sess.run(tf.tables_initializer())
      >>> y  # [[0., 1., 1.5], [1., 0., 2.5]]
    """
    columns = dense_columns(feature_columns)
    having(features, "values", "Features are a dict: {'name': tensor}.")
    with variable_scope(None, "input_layer", list(features.values())):
        return concatenated(
            features, columns, weight_collections, trainable, cols_to_vars, cols_to_output_tensors
        )


def dense_columns(feature_columns: Any) -> list[Any]:
    """Columns by their names; ValueError for those that are not dense."""
    columns = normalize(feature_columns)
    for column in columns:
        require(
            isinstance(column, DenseColumn),
            "Items of feature_columns must be a _DenseColumn. You can wrap a categorical column "
            f"with an embedding_column or indicator_column. Given: {column}",
        )
    return columns


def concatenated(
    features: Mapping[str, Any],
    columns: list[Any],
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
) -> Tensor:
    """What `input_layer` does in its scope."""
    inputs = Inputs(features, variables_of(collections_of(weight_collections), trainable))
    tensors = []
    for column in columns:
        with variable_scope(None, column.variable_scope_name):
            tensors.append(flat(column, column.get_dense_tensor(inputs)))
            if cols_to_vars is not None:
                scope = get_variable_scope().name
                cols_to_vars[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope)
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = tensors[-1]
    check_batches(tensors, columns)
    return ops.concat(tensors, 1)


def flat(column: Any, tensor: Any) -> Tensor:
    """[batch, all numbers of the column]."""
    batch = ops.shape(tensor)[0]  # type: ignore[index]
    return ops.reshape(tensor, (batch, column.variable_shape.num_elements()))


# Linear models ------------------------------------------------------------------------------------


def linear_model(
    features: Mapping[str, Any],
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
) -> Tensor:
    """A weight for each number and each value, summed up (TensorFlow: `tf.feature_column.linear_model`).

    Args:
      features: {name: tensor, sparse tensor or array}, with a row for each example.
      feature_columns: columns of any kind; categorical ones have a weight for each of their values.
      units: how many results.
      sparse_combiner: of an example's values of one categorical column: "sum", "mean" or "sqrtn".
      weight_collections: more collections that variables are added to.
      trainable: whether variables are trained.
      cols_to_vars: a dict that is filled with the variables of each column, and of "bias".

    Returns:
      float32, [batch, units].

    Raises:
      ValueError: for items that are no columns, for features that are missing or of the wrong kind.

    Example:
      >>> price = tf.feature_column.numeric_column("price")
      >>> sale = tf.feature_column.categorical_column_with_identity("sale", 2)
      >>> y = tf.feature_column.linear_model({"price": [[3.0]], "sale": [[1]]}, [price, sale])
      >>> [v.op.name for v in tf.trainable_variables()]
      ['linear_model/price/weights', 'linear_model/sale/weights', 'linear_model/bias_weights']
    """  # noqa: E501
    columns = columns_of_linear_model(feature_columns)
    vars_of: dict[Any, Any] = {} if cols_to_vars is None else cols_to_vars
    with variable_scope(None, "linear_model") as scope:
        name = _last(scope.name)
    return linear_model_of(
        name, features, columns, units, sparse_combiner, weight_collections, trainable, vars_of
    )


def linear_model_of(
    name: str,
    features: Mapping[str, Any],
    columns: list[Any],
    units: int,
    sparse_combiner: str,
    weight_collections: Any,
    trainable: bool,
    vars_of: dict[Any, Any],
) -> Tensor:
    """What `linear_model` does in the scope of its name."""
    collections = collections_of(weight_collections)
    named = {}
    for column in columns:  # TensorFlow reserves the names of layers where it is called, not inside
        with variable_scope(None, column.variable_scope_name) as scope:
            named[_last(scope.name)] = column
    with name_scope(name), variable_scope(name):
        inputs = Inputs(features, variables_of(collections, trainable))
        sums, ordered = [], []
        for layer, column in sorted(named.items()):
            with variable_scope(None, layer) as scope:
                weights = _weights([height(column), units], "weights", trainable, collections)
                sums.append(weighted_sum(column, inputs, weights, sparse_combiner))
            ordered.append(column)
            vars_of[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope.name)
        bias = _weights([units], "bias_weights", trainable, collections)
        vars_of["bias"] = list(bias) if isinstance(bias, PartitionedVariable) else [bias]
        return add_up(sums, ordered, bias)


def add_up(sums: list[Any], columns: list[Any], bias: Any) -> Tensor:
    """What columns add to a linear model, and its bias."""
    check_batches(sums, columns)
    return bias_add(ops.add_n(sums, name="weighted_sum_no_bias"), bias, name="weighted_sum")


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def columns_of_linear_model(feature_columns: Any) -> list[Any]:
    """Columns by their names; ValueError for those that are neither dense nor categorical."""
    columns = normalize(feature_columns)
    for column in columns:
        require(
            isinstance(column, DenseColumn | CategoricalColumn),
            "Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. "
            f"Given: {column}",
        )
    return columns


def height(column: Any) -> int:
    """How many weights a column has for each unit."""
    if isinstance(column, CategoricalColumn):
        return column.num_buckets
    return column.variable_shape.num_elements()


def _weights(shape: list[int], name: str, trainable: bool, collections: Any) -> Any:
    variable = get_variable(name, shape, dtypes.float32, Zeros(), trainable=trainable)
    for key in collections:
        if key != GraphKeys.GLOBAL_VARIABLES:  # where it is already
            parts = variable if isinstance(variable, PartitionedVariable) else [variable]
            for part in parts:
                add_to_collection(key, part)
    return variable


def weighted_sum(column: Any, inputs: Inputs, weights: Any, combiner: str) -> Tensor:
    """What a column adds to a linear model: [batch, units]."""
    if not isinstance(column, CategoricalColumn):
        return matmul(flat(column, column.get_dense_tensor(inputs)), weights, name="weighted_sum")
    ids, counts = column.get_sparse_tensors(inputs)
    ids = _as_matrix(ids)
    if counts is not None:
        counts = _as_matrix(counts)
    return safe_embedding_lookup_sparse(
        weights, ids, sparse_weights=counts, combiner=combiner, name="weighted_sum"
    )


def _as_matrix(sparse: Any) -> Any:
    return sparse_reshape(sparse, [ops.shape(sparse)[0], -1])  # type: ignore[index]


# Examples -----------------------------------------------------------------------------------------


def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """How examples with these columns' features are parsed.

    TensorFlow: `tf.feature_column.make_parse_example_spec`.

    Args:
      feature_columns: columns of any kind.

    Returns:
      {feature: `tf.FixedLenFeature` or `tf.VarLenFeature`}, as `tf.parse_example` takes it.

    Raises:
      ValueError: for what is no column; for two columns that want one feature differently.

    Example:
      >>> tf.feature_column.make_parse_example_spec([tf.feature_column.numeric_column("price")])
      {'price': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}
    """
    result: dict[str, Any] = {}
    for column in feature_columns:
        given = f"Given: {column}"
        is_column = isinstance(column, FeatureColumn)
        require(is_column, f"All feature_columns must be _FeatureColumn instances. {given}")
        for key, value in column.parse_example_spec.items():
            other = result.setdefault(key, value)
            require(
                other == value,
                f"feature_columns contain different parse_spec for key {key}. "
                f"Given {value} and {other}",
            )
    return result
