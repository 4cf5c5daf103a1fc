"""`tf.graph_util`: GraphDefs made smaller, and variables made constants.

Mirrors tensorflow/python/framework/graph_util_impl.py and convert_to_constants.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tinytf.framework import dtypes, tensor_value
from tinytf.framework.graph import Graph
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.variables.state import read_variable_op
from tinytf.protos import graph_pb2

_VARIABLES = frozenset(["VariableV2", "Variable", "VarHandleOp"])
#: What passes a handle on, and the attribute that says of what type it is.
_PASSES_HANDLES = frozenset(["Identity", "Enter", "Switch", "Merge", "Exit", "NextIteration"])


_ABOUT_VARIABLES = frozenset(
    "Assign AssignAdd AssignSub Queue ScatterAdd ScatterSub ScatterUpdate TruncatedNormal Variable "
    "VariableV2".split()
)


def _name(text: str) -> str:
    """The node that an input comes from."""
    return text.lstrip("^").partition(":")[0]


def extract_sub_graph(graph_def: Any, dest_nodes: Iterable[str]) -> graph_pb2.GraphDef:
    """What some nodes need (TensorFlow: `tf.graph_util.extract_sub_graph`).

    Args:
      graph_def: a `GraphDef`.
      dest_nodes: names of nodes.

    Returns:
      a `GraphDef` with these nodes and all that they depend on, in the same order.

    Raises:
      TypeError: if an argument is of another type. AssertionError: if there is no such node, as
        in TensorFlow.

    Example:
      >>> total = tf.add(tf.constant(1, name="a"), tf.constant(2, name="b"), name="total")
      >>> graph_def = tf.get_default_graph().as_graph_def()
      >>> [node.name for node in tf.graph_util.extract_sub_graph(graph_def, ["b"]).node]
      ['b']
    """
    if not isinstance(graph_def, graph_pb2.GraphDef):
        raise TypeError(f"graph_def must be a GraphDef proto, but got type {type(graph_def)}.")
    if isinstance(dest_nodes, str):
        raise TypeError(
            f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}."
        )
    by_name = {node.name: node for node in graph_def.node}
    waiting = list(dest_nodes)
    for name in waiting:
        if name not in by_name:
            raise AssertionError(f"{name} is not in graph")
    needed: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in needed and name in by_name:
            needed.add(name)
            waiting.extend(_name(text) for text in by_name[name].input)
    result = graph_pb2.GraphDef(library=graph_def.library, versions=graph_def.versions)
    result.node.extend(node for node in graph_def.node if node.name in needed)
    return result


def remove_training_nodes(
    input_graph: Any, protected_nodes: Iterable[str] | None = None
) -> graph_pb2.GraphDef:
    """Without nodes that only training needs (TensorFlow: `tf.graph_util.remove_training_nodes`).

    `CheckNumerics` goes, and so does every `Identity` that has nothing to do with control
    dependencies and colocation. What used them uses their inputs. (TensorFlow drops the input of
    a node behind a `CheckNumerics`; the graph is broken then.)

    Args:
      input_graph: a `GraphDef`.
      protected_nodes: names of nodes to keep: outputs, for example.

    Returns:
      a `GraphDef`.

    Example:
      >>> x = tf.identity(tf.identity(tf.constant(1.0, name="c")), name="x")
      >>> graph_def = tf.get_default_graph().as_graph_def()
      >>> [n.name for n in tf.graph_util.remove_training_nodes(graph_def, ["x"]).node]
      ['c', 'x']
    """
    kept = set(protected_nodes or ())
    for node in input_graph.node:
        controls = {text[1:] for text in node.input if text.startswith("^")}
        kept |= controls
        if controls and node.op == "Identity":
            kept.add(node.name)
        if "_class" in node.attr:
            kept |= {group.decode().removeprefix("loc:@") for group in node.attr["_class"].list.s}
    gone = {
        node.name: node.input[0]
        for node in input_graph.node
        if node.op in ("Identity", "CheckNumerics") and node.input and node.name not in kept
    }
    result = graph_pb2.GraphDef(library=input_graph.library, versions=input_graph.versions)
    for node in input_graph.node:
        if node.name not in gone:
            copy = result.node.add()
            copy.CopyFrom(node)
            for index, text in enumerate(node.input):
                while not text.startswith("^") and _name(text) in gone:
                    text = gone[_name(text)]
                copy.input[index] = text
    return result


def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """The static shape of an input of a node (TensorFlow: `tensor_shape_from_node_def_name`).

    Args:
      graph: the graph.
      input_name: as a `NodeDef` has it: "x" or "x:1".

    Example:
      >>> x = tf.constant([1, 2], name="x")
      >>> str(tf.graph_util.tensor_shape_from_node_def_name(tf.get_default_graph(), "x"))
      '(2,)'
    """
    return graph.get_tensor_by_name(input_name if ":" in input_name else f"{input_name}:0").shape


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether a node can be on a CPU only (TensorFlow: `tf.graph_util.must_run_on_cpu`).

    So are constants and merged pieces of int32 and strings, and variables if asked for.

    Args:
      node: an `Operation` or a `NodeDef`.
      pin_variables_on_cpu: whether variables, and what writes to them, count.

    Example:
      >>> tf.graph_util.must_run_on_cpu(tf.constant(1).op)
      True
    """
    definition = getattr(node, "node_def", node)
    if pin_variables_on_cpu and definition.op in _ABOUT_VARIABLES:
        return True
    if definition.op == "Const":
        return definition.attr["dtype"].type in (
            dtypes.string.as_datatype_enum,
            dtypes.int32.as_datatype_enum,
        )
    if definition.op in ("DynamicStitch", "ParallelDynamicStitch"):
        return definition.attr["T"].type == dtypes.int32.as_datatype_enum
    return definition.op == "Cast" and (
        definition.attr["SrcT"].type == dtypes.int32.as_datatype_enum
    )


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Iterable[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> graph_pb2.GraphDef:
    """A graph whose variables are constants: frozen (TensorFlow: the same name).

    Args:
      sess: the session with the values.
      input_graph_def: the graph.
      output_node_names: what is to be computed; only what it needs is kept.
      variable_names_whitelist: convert these variables only.
      variable_names_blacklist: do not convert these.

    Returns:
      a `GraphDef` that runs without initialisation.

    Raises:
      FailedPreconditionError: if a variable is not initialised. TypeError, AssertionError: as
        `extract_sub_graph`.

    Example:
      >>> v = tf.Variable(2.0, name="v")
      >>> y = tf.multiply(v, 3.0, name="y")
      >>> sess.run(v.initializer)
      >>> graph_def = tf.get_default_graph().as_graph_def()
      >>> frozen = tf.graph_util.convert_variables_to_constants(sess, graph_def, ["y"])
      >>> [(node.name, node.op) for node in frozen.node]
      [('v', 'Const'), ('v/read', 'Identity'), ('y/y', 'Const'), ('y', 'Mul')]
    """
    needed = extract_sub_graph(input_graph_def, output_node_names)
    white = None if variable_names_whitelist is None else set(variable_names_whitelist)
    black = set(variable_names_blacklist or ())
    names = [
        node.name
        for node in needed.node
        if node.op in _VARIABLES
        and (white is None or node.name in white)
        and node.name not in black
    ]
    values = dict(zip(names, sess.run([_value(sess.graph, name) for name in names]), strict=True))
    handles = _handles(needed, values)
    result = graph_pb2.GraphDef(library=needed.library, versions=needed.versions)
    for node in needed.node:
        copy = result.node.add()
        copy.CopyFrom(node)
        if node.name in values:
            _make_constant(copy, values[node.name])
        elif node.input and _name(node.input[0]) in handles:
            convert = _CONVERTED.get(node.op)
            if convert is not None:
                convert(copy, handles[_name(node.input[0])], result)
    return result


def _value(graph: Graph, name: str) -> Any:
    """What to fetch for the value of a variable; an existing read, not to change the graph."""
    op = graph.get_operation_by_name(name)
    if op.type != "VarHandleOp":
        return op.outputs[0]
    for consumer in op.outputs[0].consumers():
        if consumer.type == "ReadVariableOp" and consumer._control_flow_context is None:
            return consumer.outputs[0]
    with graph.as_default(), graph.control_dependencies(None):
        return read_variable_op(op.outputs[0], op.attrs["dtype"])


def _handles(graph_def: Any, values: dict[str, Any]) -> dict[str, int]:
    """Nodes that are, or pass on, the handle of a converted variable -> its element type."""
    found = {
        node.name: node.attr["dtype"].type
        for node in graph_def.node
        if node.name in values and node.op == "VarHandleOp"
    }
    growing = True
    while growing:  # loops: their nodes are in no order
        growing = False
        for node in graph_def.node:
            if node.op in _PASSES_HANDLES and node.name not in found and node.input:
                source = _name(node.input[0])
                if source in found:
                    found[node.name], growing = found[source], True
    return found


def _make_constant(node: Any, value: Any) -> None:
    node.op = "Const"
    dtype = node.attr["dtype"].type
    node.attr.clear()
    node.attr["dtype"].type = dtype
    node.attr["value"].tensor.CopyFrom(tensor_value.encode(value, dtypes.as_dtype(dtype)))


def _pass_on(node: Any, dtype: int, graph_def: Any) -> None:
    node.attr["T"].type = dtype


def _read_becomes_identity(node: Any, dtype: int, graph_def: Any) -> None:
    node.op = "Identity"
    del node.input[1:]  # a constant need not be read at a certain moment
    node.attr.clear()
    node.attr["T"].type = dtype


def _gather_becomes_gather(node: Any, dtype: int, graph_def: Any) -> None:
    node.op = "GatherV2"
    indices = node.attr["Tindices"].type
    node.attr.clear()
    node.attr["Tparams"].type, node.attr["Tindices"].type = dtype, indices
    node.attr["Taxis"].type = dtypes.int32.as_datatype_enum
    axis = graph_def.node.add(name=f"{node.name}/axis", op="Const")
    axis.attr["dtype"].type = dtypes.int32.as_datatype_enum
    axis.attr["value"].tensor.CopyFrom(tensor_value.encode(np.array(0, np.int32)))
    node.input.insert(2, axis.name)


_CONVERTED: dict[str, Callable[[Any, int, Any], None]] = {
    "ReadVariableOp": _read_becomes_identity,
    "ResourceGather": _gather_becomes_gather,
    **dict.fromkeys(_PASSES_HANDLES, _pass_on),
}
