"""`tf.saved_model.main_op`: operations that are run when a model is loaded."""

from __future__ import annotations

from typing import Any

from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.lookup.initializers import tables_initializer
from tinytf.ops.variables.variable import (
    global_variables_initializer,
    local_variables_initializer,
)


def main_op() -> Operation:
    """Initialises variables, local ones and tables (TensorFlow: `tf.saved_model.main_op.main_op`).

    As it is run after the variables are restored, it gives them their first values again.

    Example:
      >>> tf.saved_model.main_op.main_op().type
      'NoOp'
    """
    return group(
        global_variables_initializer(), local_variables_initializer(), tables_initializer()
    )


def main_op_with_restore(restore_op_name: Any) -> Operation:
    """The same, and then another operation (TensorFlow: `tf.saved_model.main_op_with_restore`).

    Args:
      restore_op_name: the operation that restores the variables.

    Example:
      >>> tf.saved_model.main_op_with_restore(tf.no_op()).type
      'NoOp'
    """
    with get_default_graph().control_dependencies([main_op()]):
        return group(restore_op_name)
