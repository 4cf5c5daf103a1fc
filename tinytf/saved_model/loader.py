"""`tf.saved_model.load`: a SavedModel into a session.

Mirrors tensorflow/python/saved_model/loader_impl.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from tinytf.framework.stacks import get_default_graph
from tinytf.protos.meta_graph_pb2 import SavedModel
from tinytf.resources import file_system
from tinytf.saved_model import constants
from tinytf.saved_model.assets import asset_paths
from tinytf.saved_model.signature_def_utils import load_op_from_signature_def
from tinytf.training.graph_files import read_message
from tinytf.training.meta_graph_import import import_meta_graph

_FILES = (constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT)


def maybe_saved_model_directory(export_dir: str | os.PathLike[str]) -> bool:
    """Whether a folder holds a SavedModel (TensorFlow: `tf.saved_model.contains_saved_model`).

    Example:
      >>> tf.saved_model.maybe_saved_model_directory("nothing")
      False
    """
    folder = file_system.path_of(export_dir)
    return any(file_system.exists(os.path.join(folder, name)) for name in _FILES)


def parse_saved_model(export_dir: str | os.PathLike[str]) -> SavedModel:
    """The file with the graphs.

    Raises:
      OSError: if there is none, or it is something else.
    """
    folder = file_system.path_of(export_dir)
    for name in _FILES:
        path = os.path.join(folder, name)
        if file_system.exists(path):
            return read_message(path, SavedModel)
    inner = file_system.list_folder(folder) if file_system.is_folder(folder) else []
    inside = [os.path.join(folder, name) for name in inner]
    models = sorted(path for path in inside if maybe_saved_model_directory(path))
    raise OSError(
        f"SavedModel file does not exist at: {folder}{os.path.sep}{{{_FILES[1]}|{_FILES[0]}}}"
        + (f". In it there is a model: {models[-1]}" if models else "")
    )


def meta_graph_of(saved_model: SavedModel, tags: Iterable[str]) -> Any:
    """The graph that has exactly these tags.

    Raises:
      RuntimeError: if there is none.
    """
    wanted = set(tags)
    for meta_graph in saved_model.meta_graphs:
        if set(meta_graph.meta_info_def.tags) == wanted:
            return meta_graph
    found = ", ".join(
        "{" + ", ".join(map(repr, sorted(meta_graph.meta_info_def.tags))) + "}"
        for meta_graph in saved_model.meta_graphs
    )
    raise RuntimeError(
        f"MetaGraphDef associated with tags {str(tags).strip('[]')} could not be found in "
        f"SavedModel, with available tags '[{found}]'. All tags of a graph have to be given, and "
        f"no other."
    )


def load(
    sess: Any,
    tags: Iterable[str],
    export_dir: str | os.PathLike[str],
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> Any:
    """Add a graph of a SavedModel to a session's, with its values (`tf.saved_model.load`).

    Args:
      sess: the session; its graph is added to.
      tags: those of the graph: all of them.
      export_dir: the folder. import_scope: a name scope for all of it.
      **saver_kwargs: as for `tf.train.import_meta_graph`, `clear_devices` for example.

    Returns:
      the `MetaGraphDef`, as it is in the file: `signature_def` says which tensors are meant.

    Raises:
      OSError: if there is no such model. RuntimeError: if it has no graph with these tags, or that
      has several operations for its start.

    Example:
      >>> x = tf.placeholder(tf.float32, name="x")
      >>> y = tf.multiply(tf.Variable(3.0), x, name="y")
      >>> sess.run(tf.global_variables_initializer())
      >>> tf.saved_model.simple_save(sess, "./triple_x", {"x": x}, {"y": y})
      >>> with tf.Session(graph=tf.Graph()) as again:
      ...     meta_graph = tf.saved_model.load(again, ["serve"], "./triple_x")
      ...     print(again.run("y:0", {"x:0": 2.0}))
      6.0
    """
    meta_graph = meta_graph_of(parse_saved_model(export_dir), tags)
    folder = file_system.path_of(export_dir)
    with sess.graph.as_default():
        saver = import_meta_graph(meta_graph, import_scope=import_scope, **saver_kwargs)
        if saver is not None:
            parts = constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME
            saver.restore(sess, os.path.join(folder, *parts))
        init_op = _init_op(meta_graph, import_scope)
        if init_op is not None:
            sess.run([init_op], asset_paths(meta_graph, folder, import_scope))
    return meta_graph


def _init_op(meta_graph: Any, scope: str | None) -> Any:
    """What is run at the start: of a signature, as TensorFlow 2 writes it, or of a collection."""
    key = constants.INIT_OP_SIGNATURE_KEY
    if key in meta_graph.signature_def:
        return load_op_from_signature_def(meta_graph.signature_def[key], key, scope)
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        if key in meta_graph.collection_def:
            names = meta_graph.collection_def[key].node_list.value
            if len(names) != 1:
                raise RuntimeError(
                    f"Expected exactly one SavedModel init op. Found {len(names)}: {list(names)}."
                )
            return get_default_graph().get_collection(key)[0]
    return None
