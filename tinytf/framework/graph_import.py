"""A GraphDef into a graph (TensorFlow: `tf.import_graph_def`).

Everything is checked before the first operation is added, so a malformed GraphDef changes nothing.
Cycles are allowed where TensorFlow has them: through the `NextIteration` of a loop.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework import attr_value, dtypes, registry
from tinytf.framework.graph import Graph
from tinytf.framework.op_builder import checked_attrs, output_types
from tinytf.framework.operation import Operation
from tinytf.framework.scopes import check_operation_name
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.protos import graph_pb2, node_def_pb2


def import_graph_def(
    graph_def: graph_pb2.GraphDef,
    input_map: dict[str, Any] | None = None,
    return_elements: list[str] | None = None,
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
      name: prefix for all names; default "import"; "" for none.
      op_dict, producer_op_list: accepted for TensorFlow's sake.

    Returns:
      the operations and tensors named in `return_elements`, or None.

    Raises:
      TypeError: if `graph_def` is no GraphDef. ValueError: if it is malformed: unknown ops or
        inputs, duplicate names, cycles, missing attributes; nothing is added then.
    """
    if not isinstance(graph_def, graph_pb2.GraphDef):
        raise TypeError(f"Argument `graph_def` must be a GraphDef proto, got {type(graph_def)}.")
    graph = get_default_graph()
    importer = _Importer(graph, graph_def, dict(input_map or {}))
    prefix = "import" if name is None else name.rstrip("/")
    if prefix:
        prefix = graph.unique_name(prefix) + "/"
    importer.run(prefix)
    if return_elements is None:
        return None
    return [importer.element(item) for item in return_elements]


def add_nodes(graph: Graph, graph_def: graph_pb2.GraphDef) -> None:
    """Add nodes whose inputs may already be in `graph`, under their own names.

    For sessions on a server: CreateSession and ExtendSession send graphs this way.

    Raises:
      ValueError: as `import_graph_def`; nothing is added then.
    """
    _Importer(graph, graph_def, {}, existing=True).run("")


class _Importer:
    def __init__(
        self,
        graph: Graph,
        graph_def: graph_pb2.GraphDef,
        input_map: dict[str, Any],
        existing: bool = False,
    ):
        self._graph = graph
        self._nodes: dict[str, node_def_pb2.NodeDef] = {}
        self._input_map = {_canonical(key): value for key, value in input_map.items()}
        self._existing = existing
        self._built: dict[str, Operation] = {}
        #: (operation, input position, "name:index") that a loop closes later
        self._back_edges: list[tuple[Operation, int, str]] = []
        for node in graph_def.node:
            if node.name in self._nodes:
                raise ValueError(f"Duplicate name '{node.name}' in GraphDef")
            if registry.op_defs.get(node.op) is None:
                registry.op_defs.lookup(node.op)
            check_operation_name(node.name)
            self._nodes[node.name] = node
        self._check_input_map()
        self._check_references()
        self._order = self._topological_order()

    def _check_input_map(self) -> None:
        for key, value in self._input_map.items():
            if not isinstance(value, Tensor):
                from tinytf.framework.conversion import convert_to_tensor

                with self._graph.as_default():
                    self._input_map[key] = convert_to_tensor(value)
            elif value.graph is not self._graph:
                raise ValueError(f"input_map['{key}'] = {value} is not in the default graph.")

    def _check_references(self) -> None:
        used = set()
        for node in self._nodes.values():
            controls = False
            for text in node.input:
                if text.startswith("^"):
                    controls = True
                elif controls:
                    raise ValueError(
                        f"Node '{node.name}': the input '{text}' comes after a control input"
                    )
                name, index = _split(text)
                key = _canonical(text)
                if key in self._input_map:
                    used.add(key)
                elif name not in self._nodes and not self._is_in_graph(name):
                    raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
                elif index < -1:
                    raise ValueError(f"Node '{node.name}': malformed input '{text}'")
        missing = set(self._input_map) - used
        if missing:
            raise ValueError(
                f"Attempted to map inputs that were not found in graph_def: {sorted(missing)}"
            )

    def _is_in_graph(self, name: str) -> bool:
        return self._existing and name in self._graph._by_name

    def _topological_order(self) -> list[str]:
        """Names so that inputs come first, back edges of loops apart; ValueError for a cycle."""
        waiting: dict[str, int] = {}
        consumers: dict[str, list[str]] = {}
        for name, node in self._nodes.items():
            waiting[name] = 0
            for text in node.input:
                source, _ = _split(text)
                if source in self._nodes and _canonical(text) not in self._input_map:
                    if node.op in ("Merge", "RefMerge") and self._nodes[source].op.endswith(
                        "NextIteration"
                    ):
                        continue
                    waiting[name] += 1
                    consumers.setdefault(source, []).append(name)
        ready = [name for name, count in waiting.items() if count == 0]
        order = []
        while ready:
            following = []
            for name in ready:
                order.append(name)
                for consumer in consumers.get(name, ()):
                    waiting[consumer] -= 1
                    if waiting[consumer] == 0:
                        following.append(consumer)
            ready = following
        if len(order) < len(self._nodes):
            stuck = sorted(name for name, count in waiting.items() if count > 0)
            raise ValueError(
                f"{len(stuck)} nodes in a cycle: {', '.join(stuck[:5])}. Only the NextIteration of "
                f"a while_loop may feed back."
            )
        return order

    def run(self, prefix: str) -> None:
        """Add the nodes; take back what was added if one of them is malformed."""
        names = self._graph._by_name
        before = len(names)
        counted = dict(self._graph._names_in_use) if len(self._graph._names_in_use) < 50 else None
        try:
            for name in self._order:
                self._add(name, prefix)
            for op, index, source in self._back_edges:
                op._update_input(index, self._tensor(source))
        except (TypeError, ValueError, KeyError) as error:
            for name in list(names)[before:]:
                self._remove(names.pop(name))
            if counted is not None:
                self._graph._names_in_use = counted
            raise ValueError(str(error)) from None

    def _remove(self, op: Operation) -> None:
        for tensor in op.inputs:
            if tensor._consumers and op in tensor._consumers:
                tensor._consumers.remove(op)
        self._graph._names_in_use.pop(op.name.lower(), None)

    def _add(self, name: str, prefix: str) -> None:
        node = self._nodes[name]
        schema = registry.op_defs.lookup(node.op)
        inputs: list[Any] = []
        controls: list[Operation] = []
        loops: list[tuple[int, str]] = []
        for text in node.input:
            if text.startswith("^"):
                controls.append(self._operation(text[1:]))
                continue
            source, _ = _split(text)
            later = source in self._nodes and source not in self._built
            if later and _canonical(text) not in self._input_map:
                loops.append((len(inputs), text))
                inputs.append(None)
            else:
                inputs.append(self._tensor(text))
        for index, _ in loops:  # a placeholder of the right type until the loop is closed
            inputs[index] = next(t for t in inputs if t is not None)
        try:
            attrs = {k: attr_value.from_proto(v) for k, v in node.attr.items()}
            shapes = attrs.pop("_output_shapes", None)
            attrs = {k: v for k, v in attrs.items() if k in schema.attrs or k.startswith("_")}
            values = checked_attrs(schema, attrs, tuple(inputs))
            op = self._create(schema, prefix + name, tuple(inputs), values, controls, node.device)
        except (TypeError, ValueError) as error:
            raise ValueError(f"Node '{name}': {error}") from None
        if prefix and "_class" in op.attrs:
            op.attrs["_class"] = tuple(
                b"loc:@" + prefix.encode() + group[5:] if group.startswith(b"loc:@") else group
                for group in op.attrs["_class"]
            )
        self._built[name] = op
        self._back_edges.extend((op, index, text) for index, text in loops)
        if shapes is not None and not loops:
            for tensor, shape in zip(op.outputs, shapes, strict=False):
                if isinstance(shape, TensorShape) and shape.is_compatible_with(tensor.shape):
                    tensor.set_shape(shape)

    def _create(
        self, schema: Any, full_name: str, inputs: tuple[Tensor, ...], values: dict[str, Any],
        controls: list[Operation], device: str,
    ) -> Operation:  # fmt: skip
        kinds: list[dtypes.DType] = output_types(schema, values)
        op = self._graph._create(
            schema, full_name, inputs, values, kinds, controls, compute_device=False,
            imported=True,
        )  # fmt: skip
        from tinytf.framework.device_spec import canonical_device

        op._device = canonical_device(device)
        if self._graph._device_stack:
            self._graph._requested_device(op)
        return op

    def _operation(self, name: str) -> Operation:
        op = self._built.get(name)
        if op is not None:
            return op
        mapped = self._input_map.get("^" + name)
        if mapped is not None:
            return mapped.op
        return self._graph.get_operation_by_name(name)

    def _tensor(self, text: str) -> Tensor:
        mapped = self._input_map.get(_canonical(text))
        if mapped is not None:
            return mapped
        name, index = _split(text)
        op = self._operation(name)
        if index >= len(op.outputs):
            raise ValueError(f"Input '{text}': '{name}' has only {len(op.outputs)} outputs")
        return op.outputs[index]

    def element(self, text: str) -> Any:
        """What a name in `return_elements` stands for."""
        if not isinstance(text, str):
            raise TypeError(f"return_elements must be strings, got {text!r}")
        name, _ = _split(text)
        if name not in self._built:
            raise ValueError(f"Requested return_element {text!r} not found in graph_def.")
        return self._tensor(text) if ":" in text else self._built[name]


def _split(text: str) -> tuple[str, int]:
    """An input as (name, index): "x:1" is ("x", 1), "x" ("x", 0), "^x" ("x", -1)."""
    if text.startswith("^"):
        return text[1:], -1
    name, colon, index = text.rpartition(":")
    if not colon:
        return text, 0
    return (name, int(index)) if index.isdigit() else (text, -2)


def _canonical(text: str) -> str:
    if text.startswith("^") or ":" in text:
        return text
    return text + ":0"
