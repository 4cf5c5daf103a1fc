"""`tf.saved_model.Builder`: graphs with their variables and files, into a folder.

    saved_model.pb            the graphs, each with its tags and signatures (or saved_model.pbtxt)
    variables/variables.*     a checkpoint, which all graphs share
    assets/                   files that graphs need

Mirrors tensorflow/python/saved_model/builder_impl.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tinytf.framework import files
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.base.arguments import having
from tinytf.protos.meta_graph_pb2 import SavedModel
from tinytf.resources import file_system
from tinytf.saved_model import constants, signature_constants, tag_constants
from tinytf.saved_model.assets import save_assets
from tinytf.saved_model.signature_def_utils import predict_signature_def
from tinytf.training.graph_files import write_graph
from tinytf.training.saver import Saver
from tinytf.training.saver_builder import all_saveables


class SavedModelBuilder:
    """Writes a SavedModel (TensorFlow: `tf.saved_model.Builder`).

    Args:
      export_dir: the folder; it must not be there yet, or be empty.

    Raises:
      AssertionError: if something is in the folder.
      tf.errors.OpError: if it cannot be made.

    Example:
      >>> x = tf.placeholder(tf.float32, name="x")
      >>> y = tf.multiply(tf.Variable(3.0), x, name="y")
      >>> sess.run(tf.global_variables_initializer())
      >>> builder = tf.saved_model.Builder("export")
      >>> signature = tf.saved_model.predict_signature_def({"x": x}, {"y": y})
      >>> builder.add_meta_graph_and_variables(sess, ["serve"], {"serving_default": signature})
      >>> builder.save()
      b'export/saved_model.pb'
    """

    def __init__(self, export_dir: str | os.PathLike[str]):
        self._saved_model = SavedModel(
            saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION
        )
        self._export_dir = file_system.path_of(export_dir)
        if file_system.exists(self._export_dir) and file_system.list_folder(self._export_dir):
            raise AssertionError(
                f"Export directory {self._export_dir} already exists, and isn't empty. Please "
                f"choose a different export directory, or delete all the contents of the "
                f"specified directory."
            )
        files.make_folder(self._export_dir)
        self._has_saved_variables = False
        self._saved_asset_files: set[str] = set()

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Write the variables' values, and take the default graph: the first one.

        Args:
          sess: the session that has the values.
          tags: words by which this graph is found among those of the model.
          signature_def_map: name -> signature.
          assets_collection: constants that are paths of files that belong to the model.
          legacy_init_op, main_op: run when the model is loaded, after the variables are restored.
          clear_devices: whether to leave the devices out.
          strip_default_attrs: whether to leave out attributes that have their default values.
          saver: of the variables to take; by default of all.

        Raises:
          AssertionError: if there is a graph already, or a signature is not complete.
          KeyError: if a signature has a name that is reserved. TypeError: if `main_op` is no
          operation, or an asset no constant string. ValueError: if the graph has one already.
          tf.errors.OpError: if something cannot be written.
        """
        if self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke "
                "`add_meta_graph()` instead."
            )
        self._prepare(
            signature_def_map, assets_collection, legacy_init_op if main_op is None else main_op
        )
        folder = os.path.join(self._export_dir, constants.VARIABLES_DIRECTORY)
        files.make_folder(folder)
        saver = saver or _saver_of_all()
        path = os.path.join(folder, constants.VARIABLES_FILENAME)
        saver.save(sess, path, write_meta_graph=False, write_state=False)
        self._add(saver, tags, signature_def_map, clear_devices, strip_default_attrs)
        self._has_saved_variables = True

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Any] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Take the default graph as a further one, which has some of the first one's variables.

        Args and errors are those of `add_meta_graph_and_variables`, which comes first.
        """
        if not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        self._prepare(
            signature_def_map, assets_collection, legacy_init_op if main_op is None else main_op
        )
        saver = saver or _saver_of_all()
        self._add(saver, tags, signature_def_map, clear_devices, strip_default_attrs)

    def save(self, as_text: bool = False) -> bytes:
        """Write the file with the graphs: only with it the folder is a model.

        Args:
          as_text: whether it is text.

        Returns:
          its path.

        Raises:
          tf.errors.OpError: if it cannot be written.
        """
        names = constants.SAVED_MODEL_FILENAME_PB, constants.SAVED_MODEL_FILENAME_PBTXT
        name = names[as_text]
        return os.fsencode(write_graph(self._saved_model, self._export_dir, name, as_text))

    def _prepare(self, signatures: Any, assets: Iterable[Any] | None, main_op: Any) -> None:
        _check_signatures(signatures or {})
        save_assets(assets, self._export_dir, self._saved_asset_files)
        if main_op is None:
            return
        if not isinstance(main_op, Operation):
            raise TypeError(
                f"Expected {main_op} to be an Operation but got type {type(main_op)} instead."
            )
        graph = get_default_graph()
        for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
            if graph.get_collection(key):
                raise ValueError(
                    f"Graph already contains one or more main ops under the collection {key}."
                )
        graph.add_to_collection(constants.MAIN_OP_KEY, main_op)

    def _add(
        self,
        saver: Saver,
        tags: Iterable[str],
        signatures: Mapping[str, Any] | None,
        clear_devices: bool,
        strip_default_attrs: bool,
    ) -> None:
        meta_graph = saver.export_meta_graph(
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
        )
        meta_graph.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            meta_graph.signature_def[key].CopyFrom(signature)
        self._saved_model.meta_graphs.append(meta_graph)


def _saver_of_all() -> Saver:
    return Saver(all_saveables(), sharded=True, allow_empty=True)


def _check_signatures(signatures: Mapping[str, Any]) -> None:
    for signature in signatures.values():
        having(
            signature, "inputs", "tf.saved_model.predict_signature_def(inputs, outputs) makes one."
        )
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            encoding = info.WhichOneof("encoding")
            if encoding is None or not (info.dtype or encoding == "composite_tensor"):
                what = "dtype field" if encoding else "'encoding' fields (e.g., name or coo_sparse)"
                raise AssertionError(
                    f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the "
                    f"SignatureDefs must have the {what} set."
                )
    for key in (constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY):
        if key in signatures:
            raise KeyError(
                f'SignatureDef map key "{key}" is reserved for what is run when the model is '
                f"loaded, or trains it. Please use a different key."
            )


def simple_save(
    session: Any,
    export_dir: str | os.PathLike[str],
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Operation | None = None,
) -> None:
    """The default graph as a model to be served (TensorFlow: `tf.saved_model.simple_save`).

    Args:
      session: that has the variables' values. export_dir: the folder, not there yet or empty.
      inputs, outputs: name -> tensor: the signature "serving_default".
      legacy_init_op: run when the model is loaded.

    Raises:
      What `tf.saved_model.Builder` raises.

    Example:
      >>> x = tf.placeholder(tf.float32, name="x")
      >>> y = tf.Variable(3.0) * x
      >>> sess.run(tf.global_variables_initializer())
      >>> tf.saved_model.simple_save(sess, "./triple", {"x": x}, {"y": y})
      >>> print(tf.contrib.predictor.from_saved_model("./triple")({"x": 7.0})["y"])
      21.0
    """
    key = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    signatures = {key: predict_signature_def(inputs, outputs)}
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session,
        [tag_constants.SERVING],
        signatures,
        assets_collection=get_default_graph().get_collection(GraphKeys.ASSET_FILEPATHS),
        main_op=legacy_init_op,
        clear_devices=True,
    )
    builder.save()
