"""A GraphDef into a graph (TensorFlow: `tf.import_graph_def`).

All or nothing: what can be checked beforehand is, and when a node turns out to be malformed while
the graph grows, everything added before it is taken back, names included.
Cycles are allowed where TensorFlow has them: through the `NextIteration` of a loop.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any

from tinytf.framework import attr_value, call_site, dtypes, graph_versions, scopes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.device_spec import canonical_device
from tinytf.framework.function_import import read_library
from tinytf.framework.function_library import Function
from tinytf.framework.graph import Graph
from tinytf.framework.op_builder import checked_attrs, output_types
from tinytf.framework.op_def import OpDef
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import merge
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.protos import graph_pb2, node_def_pb2


def import_graph_def(
    graph_def: graph_pb2.GraphDef,
    input_map: dict[str, Any] | None = None,
    return_elements: Iterable[str] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Add the nodes of a GraphDef to the default graph.

    Args:
      graph_def: the `GraphDef`.
      input_map: names of inputs in `graph_def` ("x" or "x:0") -> tensors of the default graph
        that take their place.
      return_elements: names of operations and tensors to return.
      name: prefix for all names; default "import". "" for none, "a/" for the scope a as it is: a
        name that exists already then gets a "_1".
      op_dict, producer_op_list: accepted for TensorFlow's sake.

    Returns:
      the operations and tensors named in `return_elements`, or None.

    Raises:
      TypeError: if an argument is of another type. NotFoundError: for an op type that does not
        exist. ValueError: if `graph_def` is malformed: unknown inputs, duplicate names, cycles,
        missing attributes, wrong types. The graph is then as it was.

    Example:
      >>> graph = tf.Graph()
      >>> with graph.as_default():
      ...     c = tf.constant([1, 2], name="c")
      >>> tf.import_graph_def(graph.as_graph_def(), return_elements=["c:0"], name="")  # [[1, 2]]
    """
    if not isinstance(graph_def, graph_pb2.GraphDef):
        raise TypeError(f"Argument `graph_def` must be a GraphDef proto, got {type(graph_def)}.")
    if input_map is not None and not isinstance(input_map, dict):
        raise TypeError(
            f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}"
        )
    mapped = {scopes.as_text(key): value for key, value in (input_map or {}).items()}
    if not all(isinstance(key, str) for key in mapped):
        raise TypeError(
            f"All keys for argument `input_map` must be strings. Obtained keys: {list(mapped)}"
        )
    name = scopes.as_text(name)
    if name is not None and not isinstance(name, str):
        raise TypeError(f"Argument `name` must be a string, got {name!r}")
    wanted = None if return_elements is None else list(map(scopes.as_text, return_elements))
    if wanted is not None and not all(isinstance(item, str) for item in wanted):
        raise TypeError(f"Argument `return_elements` must be a list of strings. Obtained {wanted}.")
    importer = _Importer(get_default_graph(), graph_def, mapped, wanted or [])
    result = importer.run("import" if name is None else name)
    return None if wanted is None else result


def add_nodes(graph: Graph, graph_def: graph_pb2.GraphDef) -> None:
    """Add nodes whose inputs may already be in `graph`, under their own names.

    For sessions on a server: CreateSession and ExtendSession send graphs this way.

    Raises:
      NotFoundError, ValueError: as `import_graph_def`; nothing is added then.
    """
    _Importer(graph, graph_def, {}, [], extends=True).run("")


#: Of attributes that no schema has.
_PRIVATE_KINDS = {"_class": "list(string)"}


class Undo:
    """Takes back what was added to a graph. Use it under the graph's lock."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._count = len(graph._by_name)
        self._names: dict[str, int | None] = {}
        self._functions: list[str] = []
        self._versions = graph.graph_def_versions

    def remember(self, name: str) -> None:
        """Call before `name` is used."""
        key = name.lower()
        self._names.setdefault(key, self._graph._names_in_use.get(key))

    def add_functions(self, functions: dict[str, Function]) -> None:
        """Add functions that are new to the graph."""
        self._graph._functions.update(functions)
        self._functions.extend(functions)

    def roll_back(self) -> None:
        """Take what was added out of the graph again."""
        graph = self._graph
        graph._versions.CopyFrom(self._versions)
        for name in self._functions:
            del graph._functions[name]
        added = list(graph._by_name.values())[self._count :]
        for op in added:
            del graph._by_name[op.name]
            self._names.setdefault(op.name.lower(), None)
            for scope in graph._scopes.controls:
                scope.seen.discard(op)
            for tensor in op.inputs:
                if tensor._consumers and op in tensor._consumers:
                    tensor._consumers.remove(op)
        for key, count in self._names.items():
            if count is None:
                graph._names_in_use.pop(key, None)
            else:
                graph._names_in_use[key] = count


class _Importer:
    """One import.

    Args:
      graph: where to. graph_def: what. input_map: input name -> value in its place.
      wanted: names of the elements to return.
      extends: names are final, and inputs may be in the graph already.
    """

    def __init__(
        self,
        graph: Graph,
        graph_def: graph_pb2.GraphDef,
        input_map: dict[str, Any],
        wanted: list[str],
        extends: bool = False,
    ):
        self._graph = graph
        self._nodes: dict[str, node_def_pb2.NodeDef] = {}
        self._input_map = {_canonical(key): value for key, value in input_map.items()}
        self._wanted = wanted
        self._extends = extends
        self._prefix = ""
        self._frames = () if extends else call_site.capture()
        self._built: dict[str, Operation] = {}
        #: (operation, input position, input) that a loop closes later
        self._back_edges: list[tuple[Operation, int, str]] = []
        graph_versions.check(graph_def.versions)
        self._versions = graph_def.versions
        self._functions = read_library(graph_def.library, graph._functions)
        for node in graph_def.node:
            self._read(node)
        for node in self._nodes.values():
            self._check_inputs(node)
        self._check_input_map()
        for text in wanted:
            self._check_wanted(text)
        self._order = self._topological_order()

    # Checks -----------------------------------------------------------------------------------

    def _read(self, node: node_def_pb2.NodeDef) -> None:
        # What a master adds to a step may begin with "_", as in TensorFlow.
        name = node.name.removeprefix("_") if self._extends else node.name
        if not scopes.is_operation_name(name):
            raise ValueError(f"Node '{node.name}': Node name contains invalid characters")
        if node.name in self._nodes:
            raise ValueError(f"Node '{node.name}' is not unique: the GraphDef has it twice")
        if not node.op:
            raise ValueError(f"Node '{node.name}' does not specify an operation")
        self._schema(node.op)
        self._nodes[node.name] = node

    def _schema(self, op_type: str) -> OpDef:
        """The schema of a node's type: an op, or a function that is or will be in the graph."""
        called = self._functions.get(op_type)
        return self._graph._schema(op_type) if called is None else called.op_def

    def _check_inputs(self, node: node_def_pb2.NodeDef) -> None:
        controls = False
        for text in node.input:
            name, index = _split(text)
            if text.startswith("^"):
                controls = True
            elif controls:
                raise ValueError(
                    f"Node '{node.name}': Control dependencies must come after regular "
                    f"dependencies, but '{text}' comes after one"
                )
            known = name in self._nodes or self._is_in_graph(name)
            if index < -1 or (not known and _canonical(text) not in self._input_map):
                raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
        for group in node.attr["_class"].list.s if "_class" in node.attr else ():
            name = group.removeprefix(b"loc:@").decode(errors="replace")
            known = name in self._nodes or self._is_in_graph(name)
            if group.startswith(b"loc:@") and not known:
                raise ValueError(
                    f"Node '{node.name}' expects to be colocated with unknown node '{name}'"
                )

    def _is_in_graph(self, name: str) -> bool:
        return self._extends and name in self._graph._by_name

    def _check_input_map(self) -> None:
        inputs = {_canonical(text) for node in self._nodes.values() for text in node.input}
        self._unused = [key for key in self._input_map if key not in inputs]
        _refuse_unknown([key for key in self._unused if _split(key)[0] not in self._nodes])
        for key, value in self._input_map.items():
            if isinstance(value, Tensor) and value.graph is not self._graph:
                raise ValueError(
                    f"input_map['{key}'] = {value} is not in the default graph: node "
                    f"'{value.op.name}' in input_map does not exist in graph.\n"
                    f"{value.op.describe_origin()}"
                )

    def _check_mapped_outputs(self) -> None:
        """What is mapped and no input is at least an output."""
        ends = {key: (self._built[_split(key)[0]], _split(key)[1]) for key in self._unused}
        _refuse_unknown([key for key, (op, index) in ends.items() if index >= len(op.outputs)])

    def _check_wanted(self, text: str) -> None:
        name, colon, index = text.partition(":")
        if colon and not index.isdigit():
            raise ValueError(
                f"Cannot convert {text!r} to a tensor name. Second component of the name following "
                f"the `:` should be an int. Got {index}."
            )
        if name not in self._nodes:
            kind = "tensor" if colon else "node"
            raise ValueError(f"Requested return {kind} '{text}' not found in graph def")

    def _topological_order(self) -> list[str]:
        """Inputs first, otherwise as in the GraphDef, back edges apart; ValueError for a cycle."""
        names = list(self._nodes)
        number = {name: index for index, name in enumerate(names)}
        waiting = [0] * len(names)
        consumers: dict[str, list[int]] = {}
        for index, node in enumerate(self._nodes.values()):
            for text in node.input:
                source = _split(text)[0]
                if source not in number or _canonical(text) in self._input_map:
                    continue
                if _is_back_edge(node.op, self._nodes[source].op):
                    continue
                waiting[index] += 1
                consumers.setdefault(source, []).append(index)
        ready = [index for index, count in enumerate(waiting) if count == 0]
        order = []
        while ready:
            name = names[heapq.heappop(ready)]
            order.append(name)
            for consumer in consumers.get(name, ()):
                waiting[consumer] -= 1
                if waiting[consumer] == 0:
                    heapq.heappush(ready, consumer)
        if len(order) < len(names):
            stuck = [names[index] for index, count in enumerate(waiting) if count > 0]
            raise ValueError(
                f"{len(stuck)} nodes in a cycle: {', '.join(stuck[:5])}. Only the NextIteration of "
                f"a while_loop may feed back."
            )
        return order

    # Building ---------------------------------------------------------------------------------

    def run(self, name: str) -> list[Any]:
        """Add the nodes under the prefix `name`; returns what is wanted."""
        graph = self._graph
        with graph._lock:
            undo = Undo(graph)
            if name and not name.endswith("/"):
                outer = graph.get_name_scope()
                undo.remember(f"{outer}/{name}" if outer else name)
                undo.remember(graph.unique_name(name, mark_as_used=False))
            try:
                undo.add_functions(self._functions)
                graph_versions.merge(graph._versions, self._versions)
                with graph.name_scope(name) as self._prefix:
                    self._taken = (
                        set() if self._extends else scopes.names_with_scopes(graph._by_name)
                    )
                    self._convert_mapped_values(undo)
                    for node_name in self._order:
                        self._add(self._nodes[node_name], undo)
                    for op, index, source in self._back_edges:
                        op._update_input(index, self._tensor(source, op.name))
                    if not self._extends:
                        scopes.follow_leaders(self._built.values())
                        self._check_mapped_outputs()
                    return [self._element(text) for text in self._wanted]
            except BaseException:
                undo.roll_back()
                raise

    def _convert_mapped_values(self, undo: Undo) -> None:
        """Constants for the plain values in `input_map`, in a scope of their own."""
        values = {k: v for k, v in self._input_map.items() if not isinstance(v, Tensor)}
        if not values:
            return
        if not self._prefix:
            raise ValueError(
                "tf.import_graph_def() requires a non-empty `name` if `input_map` contains "
                "non-Tensor values. Try calling tf.convert_to_tensor() on `input_map` values "
                "before calling tf.import_graph_def()."
            )
        undo.remember(f"{self._prefix}_inputs")
        with self._graph.as_default(), self._graph.name_scope("_inputs"):
            for key, value in values.items():
                self._input_map[key] = convert_to_tensor(value)

    def _add(self, node: node_def_pb2.NodeDef, undo: Undo) -> None:
        inputs, controls, loops = self._inputs_of(node)
        name = self._name_of(node.name)
        undo.remember(name)
        schema = self._schema(node.op)
        try:
            values, shapes = self._attributes_of(node, schema, tuple(inputs), name)
            what = schema, name, tuple(inputs), values, output_types(schema, values), controls
            op = self._graph._create(*what, compute_device=False, frames=self._frames)
            op._device = canonical_device(node.device)
            if self._extends or not scopes.leaders_of(op):
                self._graph._requested_device(op)
        except (TypeError, ValueError) as error:
            raise ValueError(f"Node '{node.name}': {error}") from None
        self._built[node.name] = op
        self._back_edges.extend((op, index, text) for index, text in loops)
        if isinstance(shapes, tuple) and not loops:
            _add_shapes(op, shapes)

    def _name_of(self, name: str) -> str:
        name = self._prefix + name
        unique, count = name, 0
        while unique in self._taken or (count and unique in self._nodes):
            count += 1
            unique = f"{name}_{count}"
        self._taken.add(unique)
        return unique

    def _inputs_of(
        self, node: node_def_pb2.NodeDef
    ) -> tuple[list[Tensor], list[Operation], list[tuple[int, str]]]:
        """The inputs, the control inputs, and the back edges as (position, input)."""
        inputs: list[Tensor | None] = []
        controls: list[Operation] = []
        loops: list[tuple[int, str]] = []
        for text in node.input:
            source = _split(text)[0]
            if text.startswith("^"):
                controls.append(self._operation(source))
            elif (
                source in self._nodes
                and source not in self._built
                and _canonical(text) not in self._input_map
            ):
                loops.append((len(inputs), text))
                inputs.append(None)
            else:
                inputs.append(self._tensor(text, node.name))
        # Until the loop is closed, another input of the same Merge stands in.
        stand_in = next((tensor for tensor in inputs if tensor is not None), None)
        if loops and stand_in is None:
            raise ValueError(f"Node '{node.name}': nothing enters the loop that it closes")
        filled = [stand_in if tensor is None else tensor for tensor in inputs]
        return [tensor for tensor in filled if tensor is not None], controls, loops

    def _attributes_of(
        self, node: node_def_pb2.NodeDef, schema: OpDef, inputs: tuple[Tensor, ...], name: str
    ) -> tuple[dict[str, Any], Any]:
        """The attributes as the graph stores them, and the "_output_shapes" or None."""
        given: dict[str, Any] = {}
        for key, proto in node.attr.items():
            known = schema.attrs.get(key)
            if known is None and not key.startswith("_"):
                continue  # of a newer TensorFlow, as long as nothing depends on it
            try:
                kind = _PRIVATE_KINDS.get(key) if known is None else known.type
                given[key] = attr_value.from_proto(proto, kind)
            except ValueError as error:
                raise ValueError(f"{error} for attr '{key}'") from None
        shapes = given.pop("_output_shapes", None)
        for attr in schema.attrs.values():
            if not attr.has_default and attr.name not in given:
                raise ValueError(
                    f"NodeDef missing attr '{attr.name}' from Op<name={schema.name}>; NodeDef: "
                    f"{{{{node {name}}}}}"
                )
        if schema.name == "Const" and node.attr["value"].tensor.dtype != node.attr["dtype"].type:
            raise ValueError(
                f"the value is of type {dtypes.as_dtype(node.attr['value'].tensor.dtype).name}, "
                f"but attr 'dtype' says {given['dtype'].name}"
            )
        values = checked_attrs(schema, given, inputs, name)
        if "_class" in values:
            values["_class"] = tuple(map(self._group, values["_class"]))
        return values, shapes

    def _group(self, group: bytes) -> bytes:
        if not group.startswith(b"loc:@"):
            return group
        name = group.removeprefix(b"loc:@").decode()
        built = self._built.get(name)
        return b"loc:@" + (built.name if built is not None else self._prefix + name).encode()

    # Looking up -------------------------------------------------------------------------------

    def _operation(self, name: str) -> Operation:
        op = self._built.get(name)
        if op is not None:
            return op
        mapped = self._input_map.get("^" + name)
        return mapped.op if mapped is not None else self._graph.get_operation_by_name(name)

    def _tensor(self, text: str, consumer: str) -> Tensor:
        mapped = self._input_map.get(_canonical(text))
        if mapped is not None:
            return mapped
        name, index = _split(text)
        op = self._operation(name)
        if index >= len(op.outputs):
            raise ValueError(
                f"Node '{consumer}': Connecting to invalid output {index} of source node {name} "
                f"which has {len(op.outputs)} outputs."
            )
        return op.outputs[index]

    def _element(self, text: str) -> Any:
        name, colon, index = text.partition(":")
        if not colon:
            return self._built[name]
        if _canonical(text) not in self._input_map and int(index) >= len(self._built[name].outputs):
            raise ValueError(
                f"Invalid return output {index} of node '{name}', which has "
                f"{len(self._built[name].outputs)} output(s)"
            )
        return self._tensor(text, name)


def _add_shapes(op: Operation, shapes: tuple[Any, ...]) -> None:
    """Take over the shapes that the GraphDef has for the outputs of an operation."""
    for index, (tensor, shape) in enumerate(zip(op.outputs, shapes, strict=False)):
        if isinstance(shape, TensorShape):
            try:
                merged = merge(tensor.shape, shape)
            except ValueError as error:
                raise ValueError(
                    f"Node '{op.name}' has an _output_shapes attribute inconsistent with the "
                    f"GraphDef for output #{index}: {error}"
                ) from None
            tensor.set_shape(merged)


def _refuse_unknown(keys: list[str]) -> None:
    if keys:
        raise ValueError(
            f"Attempted to map inputs that were not found in graph_def: [{', '.join(keys)}]"
        )


def _is_back_edge(consumer_type: str, producer_type: str) -> bool:
    return consumer_type in ("Merge", "RefMerge") and producer_type.endswith("NextIteration")


def _split(text: str) -> tuple[str, int]:
    """An input as (name, index): "x:1" is ("x", 1), "x" ("x", 0), "^x" ("x", -1)."""
    if text.startswith("^"):
        return text[1:], -1
    name, colon, index = text.rpartition(":")
    if not colon:
        return text, 0
    return (name, int(index)) if index.isdecimal() and index.isascii() else (text, -2)


def _canonical(text: str) -> str:
    if text.startswith("^") or ":" in text:
        return text
    return text + ":0"
