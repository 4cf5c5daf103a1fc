"""MetaGraphDef: a graph with what Python knew about it, to files and back.

A GraphDef has nodes. A MetaGraphDef also has the collections, so the variables, and the contexts
that loops and conditionals were built in, without which they have no gradients. Mirrors
tensorflow/python/framework/meta_graph.py and the graph's part of training/saver.py.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from typing import Any

from google.protobuf import any_pb2

from tinytf.framework.collection_protos import collection_proto, register_collection, strip_scope
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.op_def_proto import is_default, op_list
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.control_flow.context_protos import (
    cond_from_proto,
    cond_to_proto,
    while_from_proto,
    while_to_proto,
)
from tinytf.ops.variables.variable import Variable
from tinytf.protos import graph_pb2, meta_graph_pb2
from tinytf.training.graph_files import graph_def_of, write_graph

#: The TensorFlow that graphs are written for: readers take its rules from that.
TENSORFLOW_VERSION = "2.15.1"
#: In front of names that an exported scope uses but does not contain.
UNBOUND = "$unbound_inputs_"
_UNBOUND_COLLECTION = "unbound_inputs"
_SAVING_OPS = frozenset(
    f"{age}{what}{form}"
    for age in ("", "Legacy")
    for what in ("Save", "Restore")
    for form in ("", "Slice", "V2")
)


def _variable_to_proto(variable: Any, export_scope: str | None = None) -> Any:
    # A collection may hold what is no variable; partitioned ones consist of several.
    convert = getattr(variable, "to_proto", None)
    return convert(export_scope=export_scope) if convert is not None else None


for _key in (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.METRIC_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.GLOBAL_STEP,
):
    register_collection(_key, meta_graph_pb2.VariableDef, _variable_to_proto, Variable.from_proto)
register_collection(
    GraphKeys.COND_CONTEXT, meta_graph_pb2.CondContextDef, cond_to_proto, cond_from_proto
)
register_collection(
    GraphKeys.WHILE_CONTEXT, meta_graph_pb2.WhileContextDef, while_to_proto, while_from_proto
)


def export_meta_graph(
    filename: str | os.PathLike[str] | None = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    unbound_inputs_col_name: str | None = _UNBOUND_COLLECTION,
) -> Any:
    """A graph with its collections as a `MetaGraphDef` (TensorFlow: `tf.train.export_meta_graph`).

    Args:
      filename: also write it there; nobody sees half a file.
      meta_info_def: a `MetaInfoDef` to start from.
      graph_def: the nodes, instead of those of `graph`.
      saver_def: the `SaverDef` of a saver, to go with it.
      collection_list: the names of the collections to take; by default all.
      as_text: whether the file is text.
      graph: the graph; by default the default graph.
      export_scope: take only what is in this name scope, and leave the scope out of the names.
        Inputs from outside get names that `input_map` must have at the import.
      clear_devices: whether to leave the devices out.
      clear_extraneous_savers: whether to leave out the nodes of savers other than `saver_def`'s.
      strip_default_attrs: whether to leave out attributes that have their default values.
      save_debug_info: accepted for TensorFlow's sake.
      unbound_inputs_col_name: the collection for the names of inputs from outside, or None.

    Returns:
      a `MetaGraphDef`.

    Raises:
      TypeError: if an argument is of another type. tf.errors.OpError: if the file cannot be
        written.

    Example:
      >>> v = tf.Variable(3.0, name="v")
      >>> meta_graph = tf.train.export_meta_graph()
      >>> sorted(meta_graph.collection_def), len(meta_graph.graph_def.node)
      (['trainable_variables', 'variables'], 4)
    """
    graph = _checked("graph", graph, Graph) or get_default_graph()
    export_scope = export_scope.rstrip("/") if export_scope else None
    excluded: set[str] = set()
    unbound: list[str] = []
    if export_scope or clear_extraneous_savers or clear_devices:
        source = graph_def_of(graph) if graph_def is None else graph_def
        if clear_extraneous_savers:
            excluded = _nodes_of_other_savers(source, saver_def)
        graph_def = _part(source, export_scope, excluded, clear_devices, unbound)
    result = create_meta_graph_def(
        meta_info_def,
        graph_def,
        saver_def,
        collection_list,
        graph,
        export_scope,
        excluded,
        clear_extraneous_savers,
        strip_default_attrs,
    )
    if unbound and unbound_inputs_col_name:
        # As in TensorFlow without control inputs: nothing can be given for them at an import.
        names = [name.encode() for name in dict.fromkeys(unbound) if not name.startswith("^")]
        result.collection_def[unbound_inputs_col_name].bytes_list.value.extend(names)
    if filename is not None:
        folder, name = os.path.split(os.fspath(filename))
        write_graph(result, folder, name, as_text)
    return result


def create_meta_graph_def(
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[str] | None = None,
    graph: Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Iterable[str] | None = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
) -> Any:
    """A `MetaGraphDef` of its parts; arguments as for `export_meta_graph`."""
    graph = _checked("graph", graph, Graph) or get_default_graph()
    for name, kind, given in (
        ("meta_info_def", "MetaInfoDef", meta_info_def),
        ("graph_def", "GraphDef", graph_def),
        ("saver_def", "SaverDef", saver_def),
    ):
        if given is not None and type(given).__name__ != kind:
            raise TypeError(f"{name} must be of type {kind}. Received type: {type(given)}.")
    result = meta_graph_pb2.MetaGraphDef()
    info = result.meta_info_def
    if meta_info_def is not None:
        info.CopyFrom(meta_info_def)
    info.tensorflow_version, info.tensorflow_git_version = TENSORFLOW_VERSION, "tinytf"
    definition = graph_def_of(graph) if graph_def is None else graph_def
    result.graph_def.CopyFrom(definition)
    if not info.stripped_op_list.op:
        info.stripped_op_list.CopyFrom(op_list(result.graph_def))
    if strip_default_attrs:
        _strip_default_attrs(result)
    if saver_def is not None:
        result.saver_def.CopyFrom(saver_def)
    keys = graph.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        if not (clear_extraneous_savers and key == GraphKeys.SAVERS):
            _add_collection(result, key, graph, export_scope, set(exclude_nodes or ()))
    return result


def _checked(name: str, value: Any, kind: type) -> Any:
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"{name} must be of type {kind.__name__}. Received type: {type(value)}.")
    return value


# Collections --------------------------------------------------------------------------------------


def _add_collection(
    result: Any, key: Any, graph: Graph, scope: str | None, excluded: set[str]
) -> None:
    """Add a collection; one whose items cannot be written is left out, with a warning."""
    if not isinstance(key, str):
        return
    items = [
        item
        for item in graph.get_collection(key)
        if _is_included(getattr(item, "name", None), scope, excluded)
    ]
    if not items:
        return
    content = meta_graph_pb2.CollectionDef()
    try:
        _write_items(content, collection_proto(key), items, scope)
    except (TypeError, ValueError, AttributeError) as error:
        logging.getLogger("tinytf").warning(
            "The collection %r is left out of the MetaGraphDef: it holds %s, which cannot be "
            "written (%s).",
            key,
            sorted({type(item).__name__ for item in items}),
            error,
        )
        return
    if content.WhichOneof("kind"):
        result.collection_def[key].CopyFrom(content)


def _write_items(content: Any, proto: Any, items: list[Any], scope: str | None) -> None:
    if proto is not None:
        messages = [proto.to_proto(item, export_scope=scope) for item in items]
        content.bytes_list.value.extend(
            message.SerializeToString() for message in messages if message is not None
        )
    elif isinstance(items[0], str | bytes):
        texts = [item.encode() if isinstance(item, str) else item for item in items]
        content.bytes_list.value.extend(texts)
    elif isinstance(items[0], int):
        content.int64_list.value.extend(items)
    elif isinstance(items[0], float):
        content.float_list.value.extend(items)
    elif isinstance(items[0], any_pb2.Any):
        content.any_list.value.extend(items)
    else:
        content.node_list.value.extend(strip_scope(item.name, scope) for item in items)


def _is_included(name: str | None, scope: str | None, excluded: set[str]) -> bool:
    if name is None:
        return True
    if name in excluded or name.partition(":")[0] in excluded:
        return False
    return not scope or name.startswith((scope.rstrip("/") + "/", UNBOUND))


# Parts of graphs ----------------------------------------------------------------------------------


def _part(
    source: graph_pb2.GraphDef,
    scope: str | None,
    excluded: set[str],
    clear_devices: bool,
    unbound: list[str],
) -> graph_pb2.GraphDef:
    """The nodes of a scope, without it in their names; `unbound` gets the inputs from outside."""
    result = graph_pb2.GraphDef(versions=source.versions, library=source.library)
    for node in source.node:
        if not _is_included(node.name, scope, excluded):
            continue
        copy = result.node.add()
        copy.CopyFrom(node)
        if clear_devices:
            copy.device = ""
        if scope:
            _move_out(copy, scope, unbound)
    return result


def _move_out(node: Any, scope: str, unbound: list[str]) -> None:
    """Leave a scope out of all names of a node."""
    inside = scope.rstrip("/") + "/"
    node.name = strip_scope(node.name, scope)
    for index, text in enumerate(node.input):
        if text.lstrip("^").startswith(inside):
            node.input[index] = strip_scope(text, scope)
        else:
            mark = "^" if text.startswith("^") else ""
            node.input[index] = mark + UNBOUND + text.lstrip("^")
            unbound.append(node.input[index])
    if "_class" in node.attr:
        groups = [group.decode() for group in node.attr["_class"].list.s]
        node.attr["_class"].list.s[:] = [
            strip_scope(group, scope).encode()
            for group in groups
            if group.removeprefix("loc:@").startswith(inside)
        ]
        if not node.attr["_class"].list.s:
            del node.attr["_class"]
    if node.op in ("Enter", "RefEnter"):
        frame = node.attr["frame_name"].s.decode()
        node.attr["frame_name"].s = strip_scope(frame, scope).encode()


def _nodes_of_other_savers(source: graph_pb2.GraphDef, saver_def: Any) -> set[str]:
    """The nodes of savers, each in a scope of its own, other than that of `saver_def`."""
    kept = set()
    if saver_def is not None:
        for name in (saver_def.save_tensor_name, saver_def.restore_op_name):
            kept.add(name.partition(":")[0].rpartition("/")[0])
    scopes = {node.name.rpartition("/")[0] for node in source.node if node.op in _SAVING_OPS}
    prefixes = tuple(f"{scope}/" for scope in scopes - kept)
    return {node.name for node in source.node if node.name.startswith(prefixes)}


def _strip_default_attrs(result: Any) -> None:
    definition = result.graph_def
    functions = {function.signature.name for function in definition.library.function}
    bodies = [function.node_def for function in definition.library.function]
    for node in (node for nodes in [definition.node, *bodies] for node in nodes):
        if node.op not in functions:
            for name in [n for n, value in node.attr.items() if is_default(node.op, n, value)]:
                del node.attr[name]
    result.meta_info_def.stripped_default_attrs = True
