"""The same as models.py in resource variables that are made first: what estimators build.

They are TensorFlow's `DenseFeatures` and `LinearModel`. Columns that share a table by a collection
know nothing of them, and take the functions of models.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinytf import ops
from tinytf.feature_column.base import (
    Inputs,
    VariableOf,
    check_batches,
)
from tinytf.feature_column.embedding import EmbeddingColumn, SharedEmbeddingColumn
from tinytf.feature_column.models import (
    add_up,
    columns_of_linear_model,
    concatenated,
    dense_columns,
    flat,
    height,
    linear_model_of,
    weighted_sum,
)
from tinytf.framework import dtypes
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.tensor import Tensor
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.partitioned import PartitionedVariable
from tinytf.ops.variables.scope import get_variable, variable_scope


def dense_features(features: Mapping[str, Any], feature_columns: Any) -> Tensor:
    """The first layer of a network, in the scope "input_layer"."""
    columns = dense_columns(feature_columns)
    with variable_scope("input_layer"):
        if _shares(columns):
            return concatenated(features, columns)
        inputs = Inputs(features, _made_once())
        for column in columns:
            _make_tables(column, inputs)
        tensors = []
        for column in columns:
            with name_scope(column.scope_name):
                tensors.append(flat(column, column.get_dense_tensor(inputs)))
        check_batches(tensors, columns)
        return ops.concat(tensors, -1)


def linear_model(
    features: Mapping[str, Any], feature_columns: Any, units: int, sparse_combiner: str
) -> tuple[Tensor, list[Any], list[Any]]:
    """A linear model, in the scope "linear_model".

    Returns:
      what it gives, [batch, units]; the parts of its bias; those of all other variables.
    """
    columns = columns_of_linear_model(feature_columns)
    if _shares(columns):
        made: dict[Any, Any] = {}
        result = linear_model_of(
            "linear_model", features, columns, units, sparse_combiner, None, True, made
        )
        bias = made.pop("bias")
        return result, bias, [part for parts in made.values() for part in parts]
    inputs = Inputs(features, _made_once())
    weights: list[Any] = []
    variables: list[Any] = []
    with name_scope("linear_model"), variable_scope("linear_model", auxiliary_name_scope=False):
        for column in columns:
            variables += _make_tables(column, inputs)
            with variable_scope(column.scope_name, auxiliary_name_scope=False):
                weights.append(_weights("weights", [height(column), units]))
            variables.append(weights[-1])
        bias = _weights("bias_weights", [units])
        with name_scope("linear_model"), name_scope("linear_model"):
            sums = []
            for column, variable in zip(columns, weights, strict=True):
                with name_scope(column.scope_name):
                    sums.append(weighted_sum(column, inputs, variable, sparse_combiner))
            result = add_up(sums, columns, bias)
    others = [part for variable in variables for part in parts_of(variable)]
    return result, parts_of(bias), others


def _shares(columns: list[Any]) -> bool:
    return any(isinstance(column, SharedEmbeddingColumn) for column in columns)


def _make_tables(column: Any, inputs: Inputs) -> list[Any]:
    if not isinstance(column, EmbeddingColumn):
        return []
    with variable_scope(column.scope_name, auxiliary_name_scope=False):
        return [column.table(inputs)]


def _made_once() -> VariableOf:
    """What makes a variable of a column, and finds it again."""
    made: dict[Any, Any] = {}

    def variable(column: Any, name: str, shape: Any, initializer: Any, trained: bool) -> Any:
        if (column, name) not in made:
            made[column, name] = get_variable(
                name,
                shape,
                dtypes.float32,
                initializer,
                trainable=trained,
                use_resource=True,
            )
        return made[column, name]

    return variable


def _weights(name: str, shape: list[int]) -> Any:
    return get_variable(name, shape, dtypes.float32, Zeros(), use_resource=True)


def parts_of(variable: Any) -> list[Any]:
    """A variable's parts; of one that has none, itself."""
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]
