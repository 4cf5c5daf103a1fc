"""What a supervisor uses if it is not given: from the graph's collections, else made and put there.

So two supervisors of a graph, or a supervisor and whoever else keeps to the collections, use the
same operations.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from tinytf.framework import call_site, dtypes
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.lookup.initializers import tables_initializer
from tinytf.ops.summary.summaries import merge_all
from tinytf.ops.variables.checks import report_uninitialized_variables
from tinytf.ops.variables.variable import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
)
from tinytf.training.saver import Saver

_logger = logging.getLogger("tinytf")

NO_GLOBAL_STEP = (
    "The graph has no global step: checkpoints will all have the same name, and summaries no place "
    "on TensorBoard's axis. Make it before the Supervisor: step = "
    "tf.train.get_or_create_global_step(), and minimize(loss, global_step=step)."
)


def of_graph(key: str) -> Any:
    """The first in a collection of the default graph; if it is empty, something made for it."""
    graph = get_default_graph()
    found = graph.get_collection(key)
    if len(found) > 1:
        _logger.info("Found %d %s operations. Returning the first one.", len(found), key)
    if found:
        return found[0]
    made = _MAKERS[key]() if key in _MAKERS else None
    if made is not None:
        graph.add_to_collection(key, made)
    return made


def _initialize_local() -> Any:
    return group(local_variables_initializer(), tables_initializer())


def _saver_of_all() -> Saver | None:
    return Saver() if global_variables() else None


def _global_step_by_name() -> Any:
    try:
        found = get_default_graph().get_tensor_by_name("global_step:0")
    except KeyError:
        return None
    if found.dtype.base_dtype in (dtypes.int32, dtypes.int64):
        return found
    _logger.warning("Found 'global_step' is not an int type: %s", found.dtype)
    return None


_MAKERS: dict[str, Callable[[], Any]] = {
    GraphKeys.READY_OP: report_uninitialized_variables,
    GraphKeys.INIT_OP: global_variables_initializer,
    GraphKeys.LOCAL_INIT_OP: _initialize_local,
    GraphKeys.SAVERS: _saver_of_all,
    GraphKeys.SUMMARY_OP: merge_all,
    GraphKeys.GLOBAL_STEP: _global_step_by_name,
}


def finalize(graph: Graph) -> None:
    """Make it final; who changes it then is told why it is, and where that was done."""
    line = call_site.user_line(call_site.capture())
    where = f", made at:\n  {line}" if line else "."

    def why(new: str) -> str:
        text = " The Supervisor has made it final, since threads run it"
        text += f"; {new} would be new" if new else ""
        if new.endswith("(NoOp)") and new.rpartition("/")[2].startswith("init"):
            return (
                f"{text}. Leave it out: the supervisor's session has initialised the variables "
                f"already, or restored them from a checkpoint."
            )
        return (
            f"{text}. (Operators make operations, too: sess.run(a + b) would add one each time.) "
            f"Build all of them, and summaries and savers, before the Supervisor{where}"
        )

    if not graph.finalized:
        graph._why_finalized = why
        graph.finalize()


def check_devices(graph: Graph) -> None:
    """Raise ValueError if workers would not share a variable, because it has no device."""
    for op in graph.get_operations():
        if op.type in ("Variable", "VariableV2") and not op.device:
            raise ValueError(
                f"When using replicas, all Variables must have their device set: {op.name}. "
                f"Without one, this program and the chief would each have a variable of their "
                f"own. Build the model in `with tf.device(tf.train.replica_device_setter("
                f"cluster=cluster)):`, which puts variables on the parameter servers.\n"
                f"{op.describe_origin()}"
            )
