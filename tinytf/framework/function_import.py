"""FunctionDefs into functions: a library from a GraphDef, and the body graph of a definition.

In a FunctionDef, inputs are spelled "node:output:index" by the names of the producer's schema, and
arguments by their names; bodies are ordinary graphs, so both become "node:number" here.

A library is checked when it arrives, as far as that is possible without knowing every op its
functions use: one that nobody calls may use ops that do not exist here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tinytf.framework import attr_value, dtypes, graph_versions, registry
from tinytf.framework.errors import InvalidArgumentError, OpError
from tinytf.framework.function_library import Body, Function, dtype_text, name_conflict
from tinytf.framework.op_def import ArgDef, OpDef
from tinytf.framework.operation import Operation
from tinytf.framework.scopes import is_operation_name
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.protos import graph_pb2, node_def_pb2, tensor_pb2

#: Unlike an operation's, a function's name may start with "_": "__inference_f_12".
_FUNCTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\\/>-]*\Z")
#: Attributes of nodes, by name, with the values of open attributes filled in.
Attrs = Mapping[str, node_def_pb2.AttrValue]


# A library ----------------------------------------------------------------------------------------


def read_library(
    proto: graph_pb2.FunctionDefLibrary, known: dict[str, Function]
) -> dict[str, Function]:
    """The functions of a library that are new to a graph.

    Args:
      proto: the library. known: the graph's functions; those of the library may call them.

    Raises:
      ValueError: if a definition is malformed, or at odds with a known one.
    """
    new: dict[str, Function] = {}
    gradients: dict[str, str] = {}
    names = {definition.signature.name for definition in proto.function} | known.keys()
    for gradient in proto.gradient:
        for name in (gradient.function_name, gradient.gradient_func):
            if name not in names:
                raise ValueError(f"FunctionDefLibrary missing '{name}' FunctionDef")
        given = gradients.setdefault(gradient.function_name, gradient.gradient_func)
        if given != gradient.gradient_func:
            raise ValueError(
                f"Cannot assign gradient function '{gradient.gradient_func}' to "
                f"'{gradient.function_name}' because it already has gradient function '{given}'"
            )
    for message in proto.function:
        definition = graph_pb2.FunctionDef()
        definition.CopyFrom(message)
        name = definition.signature.name
        try:
            _check_definition(definition)
            function = Function(definition, known, gradient_name=gradients.get(name))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{error}\n\tIn function '{name}' of the library") from None
        problem = name_conflict(known, function) or name_conflict(new, function)
        if problem:
            raise ValueError(problem)
        if name not in known:
            new.setdefault(name, function)
    return new


def _check_definition(definition: graph_pb2.FunctionDef) -> None:
    """The structure: names, and that everything referred to is there."""
    signature = definition.signature
    if not _FUNCTION_NAME.match(signature.name):
        raise ValueError(f"'{signature.name}' cannot be the name of a function")
    nodes: set[str] = set()
    for arg in signature.input_arg:
        if arg.name in nodes:
            raise ValueError(f"Duplicated argument name: {arg.name}")
        nodes.add(arg.name)
    for node in definition.node_def:
        if not is_operation_name(node.name):
            raise ValueError(f"Node '{node.name}': Node name contains invalid characters")
        if node.name in nodes:
            raise ValueError(f"Duplicated node name: {node.name}")
        nodes.add(node.name)
    for node in definition.node_def:
        for text in node.input:
            if text.removeprefix("^").partition(":")[0] not in nodes:
                raise ValueError(
                    f"input {text} is not found: {{{{node {node.name}}}}}\n"
                    f"\tIn {{{{node {node.name}}}}}"
                )
    for arg in signature.output_arg:
        kind = f"{arg.name}:{arg.type_attr or dtype_text(dtypes.as_dtype(arg.type or 1))}"
        source = definition.ret.get(arg.name)
        if source is None:
            raise ValueError(f"Return {arg.name} missing.\n\tIn function output {kind}")
        if source.partition(":")[0] not in nodes:
            raise ValueError(
                f"Return {arg.name} -> {source} is not found.\n\tIn function output {kind}"
            )
    for name, node_name in definition.control_ret.items():
        if node_name not in nodes:
            raise ValueError(f"Control return {name} -> {node_name} is not found.")


# A body -------------------------------------------------------------------------------------------


def build_body(function: Function) -> Body:
    """The body of a function, from its definition.

    Raises:
      InvalidArgumentError, NotFoundError: if it is malformed, or uses unknown ops.
    """
    from tinytf.framework.graph import Graph
    from tinytf.framework.graph_import import add_nodes

    graph = Graph()
    graph._functions = function.library
    try:
        reader = _BodyReader(function)
        add_nodes(graph, reader.graph_def)
        inputs = [graph.get_tensor_by_name(f"{name}:0") for name in reader.arguments]
        outputs = [
            graph.get_tensor_by_name(reader.plain(text, f"Return {arg.name}"))
            for arg in function.op_def.outputs
            for text in reader.elements(arg, function.definition.ret[arg.name])
        ]
    except (TypeError, ValueError, KeyError) as error:
        text = error.args[0] if isinstance(error, KeyError) else error
        raise InvalidArgumentError(f"Function '{function.name}' is malformed: {text}") from None
    except OpError as error:
        error._message = f"{error.message}\n\tIn function '{function.name}'"
        raise
    controls = [graph.get_operation_by_name(n) for n in function.definition.control_ret.values()]
    return Body(graph, inputs, outputs, effects(graph.get_operations(), controls))


def effects(ops: Sequence[Operation], controls: Sequence[Operation] = ()) -> list[Operation]:
    """The operations of a body that run although no output needs them: those with effects."""
    return list(dict.fromkeys([*controls, *(op for op in ops if _has_effect(op))]))


def _has_effect(op: Operation) -> bool:
    return op.op_def.is_stateful and op.type not in ("Placeholder", "PlaceholderV2")


class _BodyReader:
    """Rewrites the nodes of a FunctionDef as those of a GraphDef.

    Attributes:
      graph_def: placeholders for the arguments, then the nodes. arguments: the placeholders' names.
    """

    def __init__(self, function: Function):
        self._function = function
        self._definition = function.definition
        self.graph_def = graph_pb2.GraphDef(versions=graph_versions.current())
        self.arguments: list[str] = []
        #: node or argument -> output name -> (first number, how many)
        self._positions: dict[str, dict[str, tuple[int, int]]] = {}
        self._lists: dict[str, list[str]] = {}
        for index, arg in enumerate(function.op_def.inputs):
            self._add_argument(index, arg)
        for message in self._definition.node_def:
            node = self.graph_def.node.add()
            node.CopyFrom(message)
            for key, value in message.attr.items():
                node.attr[key].CopyFrom(self._filled(value))
            self._positions[node.name] = _positions(self._schema(node.op), node.attr, node.name)
        known = {node.name.encode() for node in self.graph_def.node}
        for node in self.graph_def.node:
            # TensorFlow leaves groups as they were called before nodes got their new names.
            groups = [g for g in node.attr["_class"].list.s if g.removeprefix(b"loc:@") in known]
            if not groups:
                del node.attr["_class"]
            else:
                node.attr["_class"].list.s[:] = groups
            texts = [self.plain(text, f"{{{{node {node.name}}}}}") for text in node.input]
            del node.input[:]
            node.input.extend(texts)

    def _schema(self, op_type: str) -> OpDef:
        called = self._function.library.get(op_type)
        return registry.op_defs.lookup(op_type) if called is None else called.op_def

    def _filled(self, value: node_def_pb2.AttrValue) -> node_def_pb2.AttrValue:
        """An attribute in which values stand for placeholders, also in the calls it names."""
        if value.placeholder:
            return self._attr(value.placeholder)
        if any(inner.placeholder for inner in value.func.attr.values()):
            filled = node_def_pb2.AttrValue()
            filled.CopyFrom(value)
            for key, inner in value.func.attr.items():
                filled.func.attr[key].CopyFrom(self._filled(inner))
            return filled
        return value

    def _attr(self, name: str) -> node_def_pb2.AttrValue:
        given = self._function.attrs.get(name)
        if given is not None:
            return given
        attr = self._function.op_def.attrs.get(name)
        if attr is None or not attr.has_default:
            raise ValueError(f"Attr {name} is not found from Op<name={self._function.name}>")
        return attr_value.to_proto(attr.default)

    def _add_argument(self, index: int, arg: ArgDef) -> None:
        kinds = self._kinds(arg)
        names = [f"{arg.name}_{i}" for i in range(len(kinds))] if arg.is_list else [arg.name]
        self._lists[arg.name] = names
        attrs = self._definition.arg_attr[index].attr if index in self._definition.arg_attr else {}
        shapes = attrs["_output_shapes"].list.shape if "_output_shapes" in attrs else ()
        for position, (name, kind) in enumerate(zip(names, kinds, strict=True)):
            node = self.graph_def.node.add(name=name, op="Placeholder")
            node.attr["dtype"].type = kind
            if position < len(shapes):
                node.attr["shape"].shape.CopyFrom(shapes[position])
            else:
                node.attr["shape"].shape.unknown_rank = True
            for key, value in attrs.items():
                if key != "_output_shapes":
                    node.attr[key].CopyFrom(value)
        self.arguments.extend(names)

    def _kinds(self, arg: ArgDef) -> list[int]:
        if arg.type_list_attr is not None:
            return list(self._attr(arg.type_list_attr).list.type)
        kind = arg.dtype.as_datatype_enum if arg.dtype else self._attr(arg.type_attr or "").type
        if kind == tensor_pb2.DT_INVALID:
            raise ValueError(f"The type of argument {arg.name} is not known")
        return [kind] * (self._attr(arg.number_attr).i if arg.number_attr else 1)

    def elements(self, arg: ArgDef, source: str) -> list[str]:
        """What an output argument returns: several elements for a list."""
        if not arg.is_list:
            return [source]
        return [f"{source}:{i}" for i in range(len(self._kinds(arg)))]

    def plain(self, text: str, where: str) -> str:
        """An input as GraphDefs spell it."""
        if text.startswith("^"):
            return text
        name, *rest = text.split(":")
        missing = ValueError(f"input {text} is not found: {where}")
        if name in self._lists:  # an argument: "x", or "x:1" for an element of a list
            index = int(rest[0]) if rest and rest[0].isdecimal() else 0
            if len(rest) > 1 or index >= len(self._lists[name]):
                raise missing
            return f"{self._lists[name][index]}:0"
        output = self._positions.get(name, {}).get(rest[0] if rest else "")
        index = int(rest[1]) if len(rest) == 2 and rest[1].isdecimal() else 0
        if output is None or len(rest) > 2 or index >= output[1]:
            raise missing
        return f"{name}:{output[0] + index}"


def _positions(schema: OpDef, attrs: Attrs, node: str) -> dict[str, tuple[int, int]]:
    """Output name -> (number of its first tensor, how many tensors)."""
    result: dict[str, tuple[int, int]] = {}
    start = 0
    for arg in schema.outputs:
        count = 1
        for name in (arg.number_attr, arg.type_list_attr, arg.type_attr):
            if name is None:
                continue
            if name not in attrs and not schema.attrs[name].has_default:
                raise ValueError(f"type attr not found: {name}\n\tIn {{{{node {node}}}}}")
            value = (
                attrs[name] if name in attrs else attr_value.to_proto(schema.attrs[name].default)
            )
            if name == arg.number_attr:
                count = value.i
            elif name == arg.type_list_attr:
                count = len(value.list.type)
        result[arg.name] = (start, count)
        start += count
    return result


def output_names(op: Operation) -> list[str]:
    """For each output of an operation its name in a FunctionDef, such as "output:1"."""
    attrs = {name: attr_value.to_proto(value) for name, value in op.attrs.items()}
    positions = _positions(op.op_def, attrs, op.name)
    return [f"{name}:{i}" for name, (_, count) in positions.items() for i in range(count)]


# Shapes -------------------------------------------------------------------------------------------


def infer_shapes(body: Body, shapes: Sequence[TensorShape]) -> list[TensorShape]:
    """The shapes of a body's outputs for arguments of these shapes.

    The part of the body that they depend on is built once more, with them.
    """
    from tinytf.framework.graph import Graph

    if all(shape.sizes is None for shape in shapes):
        return [tensor.shape for tensor in body.outputs]
    needed: set[Operation] = set()
    pending = [tensor.op for tensor in body.outputs]
    while pending:
        op = pending.pop()
        if op not in needed:
            needed.add(op)
            pending.extend(tensor.op for tensor in op.inputs)
    graph = Graph()
    graph._functions = body.graph._functions
    copies: dict[Tensor, Tensor] = {}
    given = dict(zip(body.inputs, shapes, strict=True))
    for op in sorted(needed, key=lambda op: op._id):
        if any(tensor not in copies for tensor in op.inputs):
            continue  # in a loop: its shapes stay as they are known in the body
        copy = graph._create(
            op.op_def,
            op.name,
            tuple(copies[t] for t in op.inputs),
            dict(op.attrs),
            [t.dtype for t in op.outputs],
            compute_device=False,
            frames=op._frames,
        )
        for old, new in zip(op.outputs, copy.outputs, strict=True):
            copies[old] = new
            new.set_shape(old.shape)
            if old in given:
                new.set_shape(given[old])
    return [copies.get(tensor, tensor).shape for tensor in body.outputs]
