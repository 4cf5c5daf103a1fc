"""Dead code: what has only to have run, and does nothing, need not run.

`tf.group` and `tf.tuple` make operations wait for others whose values nobody takes: the gradient
with respect to the images is computed only because it was grouped with that of the weights. Such
an operation becomes a NoOp that waits for what it waited for.
TensorFlow: core/grappler/optimizers/dependency_optimizer.cc.
"""

from __future__ import annotations

from tinytf.framework import registry
from tinytf.framework.operation import Operation
from tinytf.runtime.frames import SWITCH
from tinytf.runtime.optimise.step_graph import Change, StepGraph

PASS = "dead code"


def drop_unused(graph: StepGraph) -> None:
    """Turn operations without a taker into NoOps, then do without NoOps where that is shorter."""
    needed = graph.needed()
    taken = {t.op for t in graph.fetches}
    for op in reversed(graph.ops):
        if op not in needed:
            continue
        if op in taken or op in graph.kept or not _may_go(graph, op):
            taken.update(t.op for t in op._inputs if t not in graph.fed)
        else:
            _become_no_op(graph, op)
    for op in graph.ops:
        if op in needed:
            _wait_directly(graph, op)


def _may_go(graph: StepGraph, op: Operation) -> bool:
    # Who waits for an output of a Switch learns that it is alive; a control edge cannot tell.
    return graph.is_pure(op) and not any(t.op.type in SWITCH for t in op._inputs)


def _become_no_op(graph: StepGraph, op: Operation) -> None:
    inputs = [t.op for t in op._inputs if t not in graph.fed]
    op.op_def, op.attrs, op._inputs, op.outputs = registry.op_defs.lookup("NoOp"), {}, (), []
    graph.wait_for(op, inputs)
    graph.changes.append(Change(PASS, op.name, "nobody takes its value: no longer computed"))


def _wait_directly(graph: StepGraph, op: Operation) -> None:
    """Wait for what a NoOp waits for, not for the NoOp, if it waits for little."""
    direct: dict[Operation, None] = {}
    for other in op._controls:
        if other.type == "NoOp" and len(other._controls) <= 2 and other not in graph.kept:
            direct.update(dict.fromkeys(other._controls))
        elif other.type != "Const" or other._controls:
            direct[other] = None
    inputs = {t.op for t in op._inputs if t not in graph.fed and t.op.type not in SWITCH}
    op._controls = tuple(other for other in direct if other not in inputs and other is not op)
