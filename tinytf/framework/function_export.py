"""A graph as the body of a FunctionDef, with the names that TensorFlow gives.

TensorFlow: core/framework/graph_to_functiondef.cc. Arguments and results are lower-case names made
from those of their nodes; a node whose name is taken gets a "_0", "_1" ...
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Any

from tinytf.framework import attr_value
from tinytf.framework.function_import import output_names
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.protos import graph_pb2


def export_function(
    name: str,
    ops: Sequence[Operation],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    names: Sequence[str] = (),
    description: str = "",
    attrs: dict[str, Any] | None = None,
    hashed: bool = False,
    controls: Sequence[Operation] = (),
) -> graph_pb2.FunctionDef:
    """The FunctionDef of a part of a graph.

    Args:
      name: of the function. hashed: append a digest of the definition to it.
      ops: all operations of the body; the placeholders among `inputs` become arguments.
      inputs, outputs: the arguments and the results.
      names: of the results; by default made from the nodes' names.
      description: for people. attrs: attributes of the function.
      controls: operations that must run though no result needs them.

    Raises:
      ValueError: if there is not one name for each result, or one is there twice.
    """
    if names and len(names) != len(outputs):
        raise ValueError(
            f"output names must be either empty or equal in size to outputs. output names size = "
            f"{len(names)} outputs size = {len(outputs)}"
        )
    definition = graph_pb2.FunctionDef()
    signature = definition.signature
    signature.description = description
    unique = _Names()
    spelled: dict[Tensor, str] = {}
    for index, tensor in enumerate(outputs):
        given = names[index] if names else unique.argument(tensor.op.name)
        if any(given == other.name for other in signature.output_arg):
            raise ValueError(f"Cannot have duplicate output names. Name '{given}' appears twice.")
        signature.output_arg.add(name=given, type=tensor.dtype.as_datatype_enum)
    for index, tensor in enumerate(inputs):
        arg = signature.input_arg.add(name=unique.argument(tensor.op.name))
        arg.type = tensor.dtype.as_datatype_enum
        spelled[tensor] = arg.name
        for key, value in _argument_attrs(tensor.op).items():
            definition.arg_attr[index].attr[key].CopyFrom(attr_value.to_proto(value))
    arguments = {tensor.op for tensor in inputs}
    body = [op for op in ops if op not in arguments]
    new_names = {op: unique.node(op.name) for op in body}
    for op in body:
        for tensor, spelling in zip(op.outputs, output_names(op), strict=True):
            spelled[tensor] = f"{new_names[op]}:{spelling}"
    for op in body:
        _add_node(definition, op, new_names, spelled)
        signature.is_stateful = signature.is_stateful or op.op_def.is_stateful
    for arg, tensor in zip(signature.output_arg, outputs, strict=True):
        definition.ret[arg.name] = spelled[tensor]
    for op in sorted(controls, key=lambda op: new_names[op]):
        definition.control_ret[new_names[op]] = new_names[op]
        signature.control_output.append(new_names[op])
    for key, value in (attrs or {}).items():
        definition.attr[key].CopyFrom(attr_value.to_proto(value))
    signature.name = f"{name}_{_digest(definition)}" if hashed else name
    return definition


def _add_node(
    definition: graph_pb2.FunctionDef,
    op: Operation,
    names: dict[Operation, str],
    spelled: dict[Tensor, str],
) -> None:
    node = definition.node_def.add()
    node.CopyFrom(op.node_def)
    node.name = names[op]
    controls = [names.get(control) or spelled[control.outputs[0]] for control in op.control_inputs]
    del node.input[:]
    node.input.extend(spelled[tensor] for tensor in op.inputs)
    node.input.extend(sorted(f"^{name}" for name in controls))


def _argument_attrs(op: Operation) -> dict[str, Any]:
    """What is kept of an argument's placeholder: its shape, and attributes of the runtime."""
    kept = {k: v for k, v in op.attrs.items() if k.startswith("_") and "_handle_" not in k}
    if "shape" in op.attrs and op.outputs[0].dtype.name != "resource":
        kept["_output_shapes"] = (op.attrs["shape"],)
    return kept


class _Names:
    """Names of arguments, results and nodes: each is used once."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def argument(self, name: str) -> str:
        """An argument or result: lower case, "_" for what is no letter or digit."""
        plain = re.sub(r"[^a-z0-9]", "_", name.lower())
        return self.node(re.sub(r"^[^a-z]*", "", plain) or "unknown")

    def node(self, name: str) -> str:
        """A node keeps its name if nobody has it."""
        if name not in self._used:
            self._used[name] = 0
            return name
        candidate = name
        while candidate in self._used:
            candidate = f"{name}_{self._used[name]}"
            self._used[name] += 1
        self._used[candidate] = 0
        return candidate


def _digest(definition: graph_pb2.FunctionDef) -> str:
    """Eleven letters and digits, as TensorFlow's names have, though not the same ones."""
    import hashlib  # a millisecond or two of `import tinytf`, for graphs with functions only

    data = definition.SerializeToString(deterministic=True)
    code = base64.urlsafe_b64encode(hashlib.blake2b(data, digest_size=8).digest())
    return code.decode().rstrip("=").replace("-", "a").replace("_", "A")
