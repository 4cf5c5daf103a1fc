"""A MetaGraphDef into a graph: `tf.train.import_meta_graph`.

All or nothing, as `tf.import_graph_def`: nodes, collections and contexts, or the graph as it was.
Mirrors `import_scoped_meta_graph` of tensorflow/python/framework/meta_graph.py.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from google.protobuf.message import DecodeError

from tinytf.framework.collection_protos import (
    CollectionProto,
    collection_proto,
    prepend_scope,
    strip_scope,
)
from tinytf.framework.graph import Graph
from tinytf.framework.graph_import import Undo, import_graph_def
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.protos import meta_graph_pb2
from tinytf.training.graph_files import read_message
from tinytf.training.saver import Saver
from tinytf.training.saver_builder import all_saveables


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:
    """Add the graph of a MetaGraphDef (TensorFlow: `tf.train.import_meta_graph`).

    Its collections become collections of the default graph, so its variables are there again, and
    its loops and conditionals can be differentiated.

    Args:
      meta_graph_or_file: a `MetaGraphDef`, or the path of a file with one, binary or text.
      clear_devices: whether to leave the devices out.
      import_scope: a name scope for all of it.
      **kwargs: `input_map`, `return_elements` (checked only), `unbound_inputs_col_name` and
        `restore_collections_predicate`, as `import_scoped_meta_graph` has them.

    Returns:
      a `Saver`: that of the file, else one of all variables; None if the graph has none.

    Raises:
      OSError: if there is no such file, or it holds something else. ValueError: if the graph is
        malformed, or inputs are missing in `input_map`. The graph is as it was then.

    Example:
      >>> v = tf.Variable(3.0, name="v")
      >>> sess.run(v.initializer)
      >>> path = tf.train.Saver().save(sess, "./model")
      >>> with tf.Graph().as_default(), tf.Session() as again:
      ...     saver = tf.train.import_meta_graph("./model.meta")
      ...     saver.restore(again, path)
      ...     print(tf.global_variables()[0].name, again.run("v:0"))
      v:0 3.0
    """
    meta_graph = _read(meta_graph_or_file)
    variables, _ = import_scoped_meta_graph(meta_graph, clear_devices, None, import_scope, **kwargs)
    if not meta_graph.HasField("saver_def"):
        return Saver() if all_saveables(scope=import_scope) else None
    scope = import_scope
    for inside, variable in variables.items():  # the import may have made the scope's name unique
        scope = variable.name.removesuffix(inside).rstrip("/")
        break
    return Saver(saver_def=meta_graph.saver_def, name=scope)


def import_scoped_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    graph: Graph | None = None,
    import_scope: str | None = None,
    input_map: dict[str, Any] | None = None,
    unbound_inputs_col_name: str | None = "unbound_inputs",
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
    return_elements: Iterable[str] | None = None,
) -> tuple[dict[str, Any], list[Any] | None]:
    """As `import_meta_graph`.

    Args:
      graph: where to; by default the default graph.
      input_map: name of an input in the file -> a tensor in its place; of an exported scope, the
        names of all inputs from outside.
      unbound_inputs_col_name: the collection with those names, or None.
      restore_collections_predicate: says of a collection's name whether to take it.
      return_elements: names of operations and tensors to return.

    Returns:
      the variables of the graph in the scope by their names without it; and what
      `return_elements` names, or None.
    """
    meta_graph = _read(meta_graph_or_file)
    graph = graph or get_default_graph()
    _check_unbound(meta_graph, unbound_inputs_col_name, input_map)
    definition = meta_graph.graph_def
    if clear_devices:
        definition = type(definition).FromString(definition.SerializeToString())
        for node in definition.node:
            node.device = ""
    with graph.as_default(), _all_or_nothing(graph):
        scope = graph.unique_name(import_scope or "", mark_as_used=False)
        elements = import_graph_def(
            definition, input_map, return_elements, name=import_scope or scope
        )
        scope = scope.rstrip("/")
        restored: dict[bytes, Any] = {}
        for key, content in _in_order(meta_graph):
            if key != unbound_inputs_col_name and restore_collections_predicate(key):
                for item in _items(graph, key, content, scope, restored):
                    graph.add_to_collection(key, item)
    found = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope)
    return {strip_scope(variable.name, scope): variable for variable in found}, elements


def _read(given: Any) -> Any:
    kind = meta_graph_pb2.MetaGraphDef
    if isinstance(given, kind):
        return given
    if isinstance(given, str | os.PathLike):
        return read_message(given, kind)
    raise TypeError(
        f"Expected a MetaGraphDef or the path of a file, got {given!r} of type "
        f"{type(given).__name__}"
    )


def _check_unbound(meta_graph: Any, key: str | None, input_map: dict[str, Any] | None) -> None:
    if not key or key not in meta_graph.collection_def:
        return
    names = [name.decode() for name in meta_graph.collection_def[key].bytes_list.value]
    if names and sorted(names) != sorted(input_map or ()):
        missing = ",".join(name for name in names if name not in (input_map or {}))
        raise ValueError(
            f"Graph contains unbound inputs: {missing}. Must provide these inputs through "
            f"input_map."
        )


def _in_order(meta_graph: Any) -> Iterator[tuple[str, Any]]:
    """The collections by name, trainable variables first."""
    first = GraphKeys.TRAINABLE_VARIABLES
    for key in sorted(meta_graph.collection_def, key=lambda key: (key != first, key)):
        yield key, meta_graph.collection_def[key]


def _items(
    graph: Graph, key: str, content: Any, scope: str, restored: dict[bytes, Any]
) -> Iterator[Any]:
    """What a collection holds; one variable is one object in all of them."""
    kind = content.WhichOneof("kind")
    if kind is None:
        logging.getLogger("tinytf").error(
            "Cannot identify data type for collection %s. Skipping.", key
        )
        return
    proto = collection_proto(key)
    values = getattr(content, kind).value
    if kind == "bytes_list" and proto is not None:
        is_variable = proto.message is meta_graph_pb2.VariableDef
        for value in values:
            item = restored.get(value) if is_variable else None
            if item is None:
                item = restored[value] = _restored(proto, key, value, scope)
            yield item
    elif kind == "node_list":
        for name in values:
            try:
                yield graph.as_graph_element(prepend_scope(name, scope))
            except KeyError as error:
                raise ValueError(
                    f"The collection {key!r} names what the graph does not have: {error.args[0]}"
                ) from error
    elif kind == "bytes_list":
        yield from (_text(value, scope) for value in values)
    else:
        yield from values


def _text(value: bytes, scope: str) -> Any:
    """A string of a collection, as TensorFlow gives it back: a name, in the scope now."""
    return prepend_scope(value.decode(), scope) if scope else value


def _restored(proto: CollectionProto, key: str, value: bytes, scope: str) -> Any:
    name = proto.message.DESCRIPTOR.name
    try:
        return proto.from_proto(proto.message.FromString(value), import_scope=scope)
    except DecodeError:
        raise ValueError(f"An item of the collection {key!r} is not a {name}.") from None
    except KeyError as error:
        raise ValueError(
            f"A {name} of the collection {key!r} names what the graph does not have: "
            f"{error.args[0]}"
        ) from error


@contextmanager
def _all_or_nothing(graph: Graph) -> Iterator[None]:
    """If the block fails, the graph is as it was."""
    with graph._lock:
        undo = Undo(graph)
        names, functions = dict(graph._names_in_use), set(graph._functions)
        collections = {key: list(items) for key, items in graph._collections.items()}
        try:
            yield
        except BaseException:
            undo.roll_back()
            for name in [name for name in graph._functions if name not in functions]:
                del graph._functions[name]
            graph._names_in_use.clear()
            graph._names_in_use.update(names)
            for key in [key for key in graph._collections if key not in collections]:
                del graph._collections[key]
            for key, items in collections.items():
                graph._collections[key][:] = items
            raise
