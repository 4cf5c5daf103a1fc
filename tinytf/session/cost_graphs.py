"""`RunMetadata.cost_graph`: what the nodes of a step have cost, for `build_cost_model`.

`graph_options.build_cost_model` says how often a signature's steps are measured (every n-th), and
`build_cost_model_after` how many go by before. TensorFlow: CostModel::AddToCostGraphDef.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.framework.tensor_shape import TensorShape
from tinytf.protos import config_pb2

_KEEPS_MEMORY = frozenset({"Const", "Variable", "VariableV2"})
#: No output has the memory of an input, as far as is known.
_NO_ALIAS = -1


class CostGraphs:
    """The measured costs of one signature.

    Args:
      every: measure each n-th step. after: how many steps go by before.
    """

    def __init__(self, every: int, after: int):
        self._every, self._after = every, after
        #: name of a node -> the longest time that it took, in microseconds
        self._longest: dict[str, int] = {}

    @staticmethod
    def of(config: Any) -> CostGraphs | None:
        """What a `ConfigProto` asks for; None if it does not."""
        options = config.graph_options
        every = options.build_cost_model
        return CostGraphs(every, options.build_cost_model_after) if every > 0 else None

    def is_due(self, step: int) -> bool:
        """Whether a step of the signature is measured; the first is 1."""
        passed = step - self._after
        return passed > 0 and passed % self._every == 0

    def learn(self, measured: Any, ops: Sequence[Operation], home: str, metadata: Any) -> None:
        """Take in the trace of a step, a `RunMetadata`; fill in another one, if there is one."""
        outputs: dict[str, Any] = {}
        for device in measured.step_stats.dev_stats:
            if "/stream:" in device.device or device.device.endswith("/intra_op"):
                continue  # the same once more
            for node in device.node_stats:
                spent = node.op_end_rel_micros - node.op_start_rel_micros
                self._longest[node.node_name] = max(self._longest.get(node.node_name, 0), spent)
                outputs[node.node_name] = {output.slot: output for output in node.output}
        if metadata is None:
            return
        metadata.step_stats.MergeFrom(measured.step_stats)
        numbers = {op: number for number, op in enumerate(ops)}
        for op, number in numbers.items():
            node = metadata.cost_graph.node.add(
                name=op.name, id=number, device=op.device if "/device:" in op.device else home,
                compute_cost=self._longest.get(op.name, 0),
                control_input=sorted(numbers[c] for c in op.control_inputs if c in numbers),
            )  # fmt: skip
            for tensor in op.inputs:
                if tensor.op in numbers:
                    node.input_info.add(
                        preceding_node=numbers[tensor.op], preceding_port=tensor.value_index
                    )
            _add_outputs(node, op, outputs.get(op.name, {}))


def _add_outputs(node: Any, op: Operation, seen: dict[int, Any]) -> None:
    for slot, tensor in enumerate(op.outputs):
        info = node.output_info.add(
            alias_input_port=_NO_ALIAS, dtype=tensor.dtype.as_datatype_enum
        )
        shape, size = tensor.shape.as_proto(), tensor.shape.num_elements()
        info.size = 0 if size is None else size * tensor.dtype.size
        if slot in seen:
            description = seen[slot].tensor_description
            shape = description.shape
            info.size = description.allocation_description.requested_bytes
        info.shape.CopyFrom(shape)
        if op.type in _KEEPS_MEMORY:
            node.persistent_memory_size += info.size


def tracing(options: Any) -> Any:
    """`RunOptions` that ask for a trace, besides what they ask for."""
    asked = config_pb2.RunOptions()
    if options is not None:
        asked.CopyFrom(options)
    asked.trace_level = config_pb2.RunOptions.FULL_TRACE
    return asked
