"""Which variables have no value yet. Mirrors parts of tensorflow/python/ops/variables.py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.boolean_mask import boolean_mask
from tinytf.ops.array.constant import constant
from tinytf.ops.array.shape import rank_node
from tinytf.ops.array.stack import stack
from tinytf.ops.math.logical import logical_not
from tinytf.ops.variables.state import is_variable_initialized
from tinytf.ops.variables.variable import Variable, global_variables, local_variables

_REFERENCES = ("Variable", "VariableV2", "AutoReloadVariable")


def _all_variables() -> list[Any]:
    """Global and local variables; without any, what reference nodes the graph has."""
    listed = [*global_variables(), *local_variables()]
    if listed:
        return listed
    operations = get_default_graph().get_operations()
    return [op.outputs[0] for op in operations if op.type in _REFERENCES]


def is_tensor(x: Any) -> bool:
    """Whether it is a tensor, dense or sparse, or a variable (TensorFlow: `tf.is_tensor`).

    Example:
      >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
      (True, False)
    """
    return isinstance(x, Tensor | SparseTensor | IndexedSlices | Variable)


def report_uninitialized_variables(
    var_list: Iterable[Variable] | None = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """The names of variables without a value (TensorFlow: `tf.report_uninitialized_variables`).

    Args:
      var_list: by default all global and local variables.
      name: of the operations' scope.

    Returns:
      a string vector, computed when it runs.

    >>> tf.report_uninitialized_variables([tf.Variable(1.0, name="v")])  # [b"v"]
    """
    variables = _all_variables() if var_list is None else list(var_list)
    graph = get_default_graph()
    with graph.name_scope(name):
        initialized = [is_variable_initialized(v) for v in variables]
        with graph.device("/cpu:0"):
            if not variables:
                return constant([], dtypes.string)
            missing = logical_not(stack(initialized))
            names = constant([v.op.name for v in variables])
            return boolean_mask(names, missing)


def assert_variables_initialized(var_list: Iterable[Variable] | None = None) -> Tensor | None:
    """A tensor that cannot be computed while a variable has no value.

    TensorFlow: `tf.assert_variables_initialized`; `tf.report_uninitialized_variables` tells more.

    Args:
      var_list: by default all global and local variables.

    Returns:
      the variables' ranks; None without variables. Running it raises FailedPreconditionError.

    >>> v = tf.Variable([1.0, 2.0])
    >>> check = tf.assert_variables_initialized([v])
    >>> v.initializer.run(), check.eval()  # (None, 1)
    """
    ranks = []
    variables: Iterable[Any] = _all_variables() if var_list is None else var_list
    for variable in variables:
        with get_default_graph().colocate_with(variable.op):
            ranks.append(rank_node(variable))
    if not ranks:
        return None
    return ranks[0] if len(ranks) == 1 else stack(ranks)
