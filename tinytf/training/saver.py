"""`tf.train.Saver`: variables to checkpoints and back.

Mirrors tensorflow/python/training/saver.py.
"""

from __future__ import annotations

import logging
import math
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tinytf.framework.collection_protos import prepend_scope, register_collection, strip_scope
from tinytf.framework.errors import (
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
)
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.protos.meta_graph_pb2 import SaverDef
from tinytf.resources import file_system
from tinytf.training import checkpoint_state, saver_builder
from tinytf.training.global_step import global_step as read_global_step
from tinytf.training.meta_graph import export_meta_graph
from tinytf.training.restoring import mismatch_of_graph


class Saver:
    """Saves the values of variables, and gives them back (TensorFlow: `tf.train.Saver`).

    It adds operations to the graph, so values are written by the server that owns them, into its
    files. A checkpoint is a set of files with one prefix: "model-7.index", "model-7.data-...", and
    "model-7.meta" with the graph; the file "checkpoint" says which is the latest. A crash or a
    full disk while it saves leaves the checkpoint before whole.

    Args:
      var_list: variables, as a list or as a dict of names in the checkpoint to variables; by
        default all global variables.
      reshape: whether a value may have another shape in the checkpoint, with as many elements.
      sharded: whether each device writes a file of its own: with several servers, that is.
      max_to_keep: how many checkpoints are kept; 0 or None for all.
      keep_checkpoint_every_n_hours: besides those, one in so many hours is kept for good.
      name: of the scope of the operations; by default "save".
      restore_sequentially: accepted for TensorFlow's sake.
      saver_def: of a saver whose operations are in the graph already.
      builder: must be None.
      defer_build: whether `build()` adds the operations, once all variables are there.
      allow_empty: whether a graph without variables is no error; such a saver does nothing.
      write_version: `tf.train.SaverDef.V2`, or `V1` for the old format. Both can be read.
      pad_step_number: whether steps are written with eight digits: "model-00000007".
      save_relative_paths: whether the file "checkpoint" has relative paths, so that the folder can
        be moved.
      filename: the checkpoint's name where the graph runs without a saver.

    Raises:
      ValueError: if there are no variables, or two have the same name. TypeError: if something in
      `var_list` cannot be saved.

    Example:
      >>> v = tf.Variable(3.0, name="v")
      >>> saver = tf.train.Saver()
      >>> sess.run(v.initializer)
      >>> path = saver.save(sess, "./model", global_step=7)
      >>> sess.run(v.assign(0.0))
      >>> saver.restore(sess, path)
      >>> path, float(sess.run(v))
      ('./model-7', 3.0)
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = SaverDef.V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ):
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set "
                "defer_build=False or var_list=None."
            )
        if builder is not None:
            raise ValueError("builder must be None: tinytf builds the operations in one way only")
        self.saver_def: Any = saver_def
        self._var_list, self._name = var_list, name
        self._reshape, self._sharded, self._version = reshape, sharded, write_version
        self._max_to_keep, self._hours = max_to_keep or 0, keep_checkpoint_every_n_hours
        self._allow_empty, self._filename = allow_empty, filename
        self._pad, self._relative = pad_step_number, save_relative_paths
        self._is_built = self._is_empty = False
        self._last_checkpoints: list[tuple[str, float]] = []
        self._to_be_deleted: list[tuple[str, float]] = []
        self._next_kept = math.inf
        #: what this saver wrote into files "checkpoint", to notice when others write there, too
        self._states: dict[str, bytes] = {}
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Add the operations, if that was deferred."""
        if self._is_built:
            return
        if self.saver_def is None:
            var_list = self._var_list
            if var_list is None:
                var_list = saver_builder.all_saveables()
            if not var_list:
                if not self._allow_empty:
                    raise ValueError(
                        "No variables to save: the graph has none yet. Make the saver after the "
                        "variables (or with defer_build=True, and build() then); for "
                        "allow_empty=True it does nothing."
                    )
                self._is_built = self._is_empty = True
                return
            self.saver_def = saver_builder.build(
                var_list, self._name, self._filename, self._reshape, self._sharded, self._version
            )
            self.saver_def.max_to_keep = self._max_to_keep
            self.saver_def.keep_checkpoint_every_n_hours = self._hours
        else:
            self._take_over()
        self._is_built = True
        self._next_kept = time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600

    def _take_over(self) -> None:
        """Use the operations that `saver_def` names; in the scope `name`, if it is given."""
        if not isinstance(self.saver_def, SaverDef):
            raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {self.saver_def}")
        for field in ("save_tensor_name", "restore_op_name"):
            if not getattr(self.saver_def, field):
                raise ValueError(f"saver_def must specify the {field}: {self.saver_def}")
        self.saver_def = _renamed(self.saver_def, lambda text: prepend_scope(text, self._name))
        self._version, self._sharded = self.saver_def.version, self.saver_def.sharded

    # Saving -----------------------------------------------------------------------------------

    def save(
        self,
        sess: Any,
        save_path: str | os.PathLike[str],
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Write a checkpoint, then the file "checkpoint", then the graph.

        Args:
          sess: a session of the graph, whose variables have values.
          save_path: the prefix of the files; its folder has to be there.
          global_step: a number, or an integer tensor (or its name) to append to the prefix.
          latest_filename: of the file that names the latest checkpoint; by default "checkpoint".
          meta_graph_suffix: of the file with the graph.
          write_meta_graph, write_state: whether to write those two files.
          strip_default_attrs: as for `tf.train.export_meta_graph`.
          save_debug_info: accepted for TensorFlow's sake.

        Returns:
          what `restore` takes; None of an empty saver.

        Raises:
          TypeError: if `sess` is no session. ValueError: if the folder is not there.
          RuntimeError: if the saver is not built. tf.errors.OpError: if it cannot be written; the
          checkpoints that were there are whole.
        """
        path, latest = self._names(sess, save_path, global_step, latest_filename)
        written = None
        if not self._is_empty:
            with self._told(path):
                feed = {self.saver_def.filename_tensor_name: path}
                written = _text(sess.run(self.saver_def.save_tensor_name, feed))
                if write_state:
                    self._record(written)
                    self._write_state(os.path.dirname(path), written, latest)
                    self._delete_oldest(meta_graph_suffix)
        if write_meta_graph:
            name = checkpoint_state.meta_graph_filename(path, meta_graph_suffix)
            with sess.graph.as_default():
                self.export_meta_graph(name, strip_default_attrs=strip_default_attrs)
        return written

    def _names(
        self, sess: Any, save_path: Any, global_step: Any, latest_filename: str | None
    ) -> tuple[str, str]:
        """The prefix, and the name of the state's file, checked."""
        if not self._is_built:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest = latest_filename or "checkpoint"
        if os.path.dirname(latest):
            raise ValueError("'latest_filename' must not contain path components")
        if not hasattr(sess, "run") or not hasattr(sess, "graph"):
            raise TypeError(f"'sess' must be a Session; {sess}")
        if hasattr(sess, "run_step_fn"):
            raise TypeError(
                f"'sess' must be a Session; {sess}. A monitored session saves by itself: "
                f"tf.train.MonitoredTrainingSession(checkpoint_dir=...), or a "
                f"tf.train.CheckpointSaverHook. By hand: sess.run_step_fn(lambda step_context: "
                f"saver.save(step_context.session, path))."
            )
        path = _text(os.fspath(save_path))
        if global_step is not None:
            if not isinstance(global_step, int | np.integer):
                global_step = read_global_step(sess, global_step)
            return f"{path}-{global_step:08d}" if self._pad else f"{path}-{global_step}", latest
        if os.path.basename(path) == latest and not self._sharded:
            raise ValueError(
                f"'latest_filename' collides with 'save_path': '{latest}' and '{path}'"
            )
        return path, latest

    @contextmanager
    def _told(self, path: str) -> Iterator[None]:
        """If the block fails, nothing half is left, and a missing folder is called that."""
        try:
            yield
        except BaseException as error:
            if self._sharded:
                shutil.rmtree(f"{path}_temp", ignore_errors=True)
            folder = os.path.dirname(path) or "."
            lost = isinstance(error, FailedPreconditionError | NotFoundError)
            if lost and not file_system.is_folder(folder):
                raise ValueError(
                    f"Parent directory of {path} doesn't exist, can't save: there is no folder "
                    f"{folder}. tf.gfile.MakeDirs({folder!r}) makes it."
                ) from error
            raise

    def _record(self, path: str) -> None:
        if self.saver_def.max_to_keep:
            kept = [each for each in self._last_checkpoints if each[0] != path]
            self._last_checkpoints = [*kept, (path, time.time())]
            if len(self._last_checkpoints) > self.saver_def.max_to_keep:
                self._to_be_deleted.append(self._last_checkpoints.pop(0))

    def _write_state(self, folder: str, path: str, latest: str) -> None:
        all_paths = self.last_checkpoints
        if self._relative:
            path = os.path.relpath(path, folder) if os.path.isabs(path) else path
            all_paths = [
                os.path.relpath(each, folder) if os.path.isabs(each) else each for each in all_paths
            ]
        name = checkpoint_state.state_file(folder, latest)
        state = checkpoint_state.generate_checkpoint_state_proto(folder, path, all_paths)
        if (before := self._states.get(name)) and file_system.exists(name):
            if file_system.read(name) != before:
                logging.getLogger("tinytf").warning(
                    "Something else saves to this folder, too: %s has changed since this saver's "
                    "last save, and is overwritten now. Each saver knows only its own checkpoints, "
                    "and deletes the oldest of them; a folder of its own, or latest_filename, "
                    "keeps them apart.",
                    name,
                )
        self._states[name] = checkpoint_state.write_state(name, state)

    def _delete_oldest(self, meta_graph_suffix: str) -> None:
        if not self._to_be_deleted:
            return
        path, written = self._to_be_deleted.pop(0)
        if written > self._next_kept:
            self._next_kept += self.saver_def.keep_checkpoint_every_n_hours * 3600
            return
        try:
            checkpoint_state.remove_checkpoint(path, self.saver_def.version, meta_graph_suffix)
        except OpError as error:
            logging.getLogger("tinytf").warning("Ignoring: %s", error)

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Any = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """The graph as a `MetaGraphDef` with this saver; as `tf.train.export_meta_graph`."""
        return export_meta_graph(
            filename=filename,
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
        )

    # Restoring --------------------------------------------------------------------------------

    def restore(self, sess: Any, save_path: str | os.PathLike[str]) -> None:
        """Give the variables the values of a checkpoint; they need no initial values then.

        Args:
          sess: a session of the graph. save_path: what `save` returned, or
            `tf.train.latest_checkpoint`.

        Raises:
          ValueError: if there is no such checkpoint.
          tf.errors.NotFoundError: if it lacks some variables; tf.errors.InvalidArgumentError: if
          shapes or types differ. Both name all that differs, and nothing is restored.
          tf.errors.DataLossError: if it is damaged.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError(
                "Can't load save_path when it is None. tf.train.latest_checkpoint(folder) is None "
                "if it finds no checkpoint there: has anything been saved, and there?"
            )
        path = _text(os.fspath(save_path))
        if not checkpoint_state.checkpoint_exists(path):
            raise ValueError(
                f"The passed save_path is not a valid checkpoint: {path}. There is neither "
                f"{path}.index nor a file of an old checkpoint; the name is the one that save() "
                f"returned, without .index, .meta or .data."
            )
        logging.getLogger("tinytf").info("Restoring parameters from %s", path)
        if not self._is_built:
            raise RuntimeError("`build()` should be called before restore if defer_build==True")
        try:
            if error := mismatch_of_graph(sess.graph, self.saver_def.restore_op_name, path):
                raise error
            sess.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: path})
        except NotFoundError as error:
            raise _explained(error, "a Variable name or other graph key that is missing") from None
        except InvalidArgumentError as error:
            raise _explained(error, "a mismatch between the current graph and the graph") from None

    # What it knows ----------------------------------------------------------------------------

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that are kept, from the oldest to the latest."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Say which checkpoints there are; those are never deleted."""
        assert isinstance(last_checkpoints, list)
        self._last_checkpoints = [(path, math.inf) for path in last_checkpoints]

    def set_last_checkpoints_with_time(
        self, last_checkpoints_with_time: list[tuple[str, float]]
    ) -> None:
        """Say which checkpoints there are, and when each was written, in seconds since 1970."""
        assert isinstance(last_checkpoints_with_time, list)
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths: list[str]) -> None:
        """Say which checkpoints a program before this one wrote; those that are gone are not."""
        times = [
            (path, when)
            for path in checkpoint_paths
            for when in checkpoint_state.get_checkpoint_mtimes([path])
        ]
        self.set_last_checkpoints_with_time(times)

    def as_saver_def(self) -> Any:
        """The saver as a `SaverDef`."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The saver as a `SaverDef`; None if its operations are outside `export_scope`."""
        if export_scope is None:
            return self.saver_def
        names = (
            self.saver_def.filename_tensor_name,
            self.saver_def.save_tensor_name,
            self.saver_def.restore_op_name,
        )
        if not all(name.startswith(export_scope) for name in names):
            return None
        return _renamed(self.saver_def, lambda text: strip_scope(text, export_scope))

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """The saver that a `SaverDef` describes, of operations in the default graph."""
        return Saver(saver_def=saver_def, name=import_scope)


def _text(path: Any) -> str:
    return path.decode() if isinstance(path, bytes) else str(path)


def _renamed(saver_def: Any, rename: Any) -> Any:
    result = SaverDef()
    result.CopyFrom(saver_def)
    for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
        setattr(result, field, rename(getattr(saver_def, field)))
    return result


def _explained(error: OpError, what: str) -> OpError:
    return type(error)(
        error.node_def,
        error.op,
        f"Restoring from checkpoint failed. This is most likely due to {what} from the checkpoint. "
        f"Please ensure that you have not altered the graph expected based on the checkpoint. "
        f"Saver({{'name in the checkpoint': variable}}) restores some variables only, or under "
        f"other names. Original error:\n\n{error.message}",
    )


def _get_saver_or_default() -> Any:
    """The saver in the default graph's collection SAVERS; if there is none, a new one, put there.

    The new one saves all that can be saved, a file for each device; without variables it does
    nothing.

    Raises:
      RuntimeError: if the collection has several.
    """
    savers = get_default_graph().get_collection_ref(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to "
            f"use by passing it to the constructor: there are {len(savers)} savers."
        )
    if not savers:
        savers.append(Saver(sharded=True, allow_empty=True))
    return savers[0]


register_collection(GraphKeys.SAVERS, SaverDef, Saver.to_proto, Saver.from_proto)
