"""Whether a checkpoint fits a graph, before anything of it is restored."""

from __future__ import annotations

from collections.abc import Iterator

from tinytf.framework.constant_value import constant_value
from tinytf.framework.errors import OpError
from tinytf.framework.graph import Graph
from tinytf.framework.handle_data import handle_data
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.resources.checkpoint_files.mismatches import Wanted, mismatch
from tinytf.resources.checkpoint_files.slices import parse
from tinytf.resources.checkpoint_files.v1 import open_checkpoint


def mismatch_of_graph(graph: Graph, restore_op_name: str, path: str) -> OpError | None:
    """The error for all that a saver restores and that the checkpoint has otherwise.

    Args:
      graph: of the saver. restore_op_name: what it runs. path: of the checkpoint.

    Raises:
      tf.errors.DataLossError: if the checkpoint is damaged.
    """
    wanted = list(_wanted(graph.get_operation_by_name(restore_op_name)))
    return mismatch(open_checkpoint(path), wanted)


def _wanted(restoring: Operation) -> Iterator[Wanted]:
    """What the operations read that an operation waits for."""
    waiting, seen, reading = [restoring], {restoring}, []
    while waiting:
        op = waiting.pop()
        if op.type == "RestoreV2":
            reading.append(op)
            continue
        for before in [*op.control_inputs, *(tensor.op for tensor in op.inputs)]:
            if before not in seen:
                seen.add(before)
                waiting.append(before)
    for op in reading:
        names, specs = constant_value(op.inputs[1]), constant_value(op.inputs[2])
        if names is None or specs is None:
            continue
        for name, spec, tensor in zip(names, specs, op.outputs, strict=True):
            part = parse(spec.decode()) if spec else None
            yield Wanted(name.decode(), part, tensor.dtype, _assigned_shape(tensor))


def _assigned_shape(tensor: Tensor) -> TensorShape | None:
    """The shape of the variable that a value goes to; None if that does not matter."""
    for op in tensor.consumers():
        if op.type == "Identity":
            return _assigned_shape(op.outputs[0])
        if op.type == "Assign" and op.attrs["validate_shape"]:
            return op.inputs[0].shape
        if op.type == "AssignVariableOp":
            data = handle_data(op.inputs[0])
            return data.shape if data is not None else None
    return None
