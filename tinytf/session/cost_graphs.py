"""`RunMetadata.cost_graph`: what the nodes of a step have cost, for `build_cost_model`.

`graph_options.build_cost_model` says how often a signature's steps are measured (every n-th), and
`build_cost_model_after` how many go by before. TensorFlow: CostModel::AddToCostGraphDef.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.protos import config_pb2
from tinytf.runtime.preparation import Signature
from tinytf.runtime.pruning import prune
from tinytf.session.backend import Runner

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

    def _is_due(self, step: int) -> bool:
        """Whether a step of the signature is measured; the first is 1."""
        passed = step - self._after
        return passed > 0 and passed % self._every == 0

    def around(self, runner: Runner, signature: Signature, home: str) -> Runner:
        """A runner that also measures; `home` is the device of what asks for none."""
        steps = itertools.count(1)
        feeds, fetches, targets = signature
        ops = prune([*(tensor.op for tensor in fetches), *targets], frozenset(feeds))

        def run(values: list[Any], options: Any, metadata: Any, *more: Any) -> list[Any]:
            if not self._is_due(next(steps)):
                return runner(values, options, metadata, *more)
            measured = config_pb2.RunMetadata()
            results = runner(values, _tracing(options), measured, *more)
            nodes = self._learn(measured)
            if metadata is not None:
                metadata.MergeFrom(measured)
                self._write(metadata.cost_graph, ops, nodes, home)
            return results

        return run

    def _learn(self, measured: Any) -> dict[str, tuple[str, Any]]:
        """Take in the trace of a step; returns where each node ran, and its statistics."""
        nodes: dict[str, tuple[str, Any]] = {}
        for device in measured.step_stats.dev_stats:
            if "/stream:" in device.device or device.device.endswith("/intra_op"):
                continue  # the same once more
            for node in device.node_stats:
                spent = node.op_end_rel_micros - node.op_start_rel_micros
                self._longest[node.node_name] = max(self._longest.get(node.node_name, 0), spent)
                nodes[node.node_name] = device.device, node
        return nodes

    def _write(
        self, graph: Any, ops: Sequence[Operation], nodes: dict[str, tuple[str, Any]], home: str
    ) -> None:
        numbers = {op: number for number, op in enumerate(ops)}
        for op, number in numbers.items():
            device, measured = nodes.get(op.name, (home, None))
            node = graph.node.add(
                name=op.name,
                id=number,
                device=device,
                compute_cost=self._longest.get(op.name, 0),
                control_input=sorted(numbers[c] for c in op.control_inputs if c in numbers),
            )
            for tensor in op.inputs:
                if tensor.op in numbers:
                    node.input_info.add(
                        preceding_node=numbers[tensor.op], preceding_port=tensor.value_index
                    )
            seen = () if measured is None else measured.output
            _add_outputs(node, op, {output.slot: output for output in seen})


def _add_outputs(node: Any, op: Operation, seen: dict[int, Any]) -> None:
    for slot, tensor in enumerate(op.outputs):
        info = node.output_info.add(alias_input_port=_NO_ALIAS, dtype=tensor.dtype.as_datatype_enum)
        shape, size = tensor.shape.as_proto(), tensor.shape.num_elements()
        info.size = 0 if size is None else size * tensor.dtype.size
        if slot in seen:
            description = seen[slot].tensor_description
            shape = description.shape
            info.size = description.allocation_description.requested_bytes
        info.shape.CopyFrom(shape)
        if op.type in _KEEPS_MEMORY:
            node.persistent_memory_size += info.size


def _tracing(options: Any) -> Any:
    """`RunOptions` that ask for a trace, besides what they ask for."""
    asked = config_pb2.RunOptions()
    if options is not None:
        asked.CopyFrom(options)
    asked.trace_level = config_pb2.RunOptions.FULL_TRACE
    return asked
