"""Which checkpoints there are: the file "checkpoint" beside them, finding them, removing them.

Mirrors tensorflow/python/checkpoint/checkpoint_management.py.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Sequence

from google.protobuf import text_format

from tinytf.framework import files
from tinytf.framework.errors import NotFoundError, OpError
from tinytf.protos.checkpoint_pb2 import CheckpointState
from tinytf.protos.meta_graph_pb2 import SaverDef
from tinytf.resources import file_system

Path = str | os.PathLike[str]


def state_file(folder: Path, latest_filename: str | None) -> str:
    """Where the state of a folder of checkpoints is."""
    return os.path.join(os.fspath(folder), latest_filename or "checkpoint")


def generate_checkpoint_state_proto(
    save_dir: Path,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """What `update_checkpoint_state` writes (TensorFlow: the same).

    Args and errors as there.

    Returns:
      a `CheckpointState`; of relative paths, those relative to `save_dir`.

    Example:
      >>> state = tf.train.generate_checkpoint_state_proto("logs", "logs/model-3")
      >>> state.model_checkpoint_path
      'model-3'
    """
    paths = list(all_model_checkpoint_paths or ())
    if not paths or paths[-1] != model_checkpoint_path:
        paths.append(model_checkpoint_path)
    if all_model_checkpoint_timestamps and len(all_model_checkpoint_timestamps) != len(paths):
        raise ValueError(
            f"Checkpoint timestamps, if provided, must match checkpoint paths (got paths {paths} "
            f"and timestamps {all_model_checkpoint_timestamps})"
        )
    folder = os.fspath(save_dir)
    if not os.path.isabs(folder):
        paths = [p if os.path.isabs(p) else os.path.relpath(p, folder or ".") for p in paths]
    return CheckpointState(
        model_checkpoint_path=paths[-1],
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def update_checkpoint_state(
    save_dir: Path,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write which checkpoint is the latest (TensorFlow: `tf.train.update_checkpoint_state`).

    Savers do it themselves. Nobody ever reads half of the file.

    Args:
      save_dir: the folder of the checkpoints.
      model_checkpoint_path: the latest.
      all_model_checkpoint_paths: those that are kept, from the oldest to the latest.
      latest_filename: of the file; by default "checkpoint".
      all_model_checkpoint_timestamps: when each was written, in seconds since 1970.
      last_preserved_timestamp: when the last one was written that stays for good.

    Raises:
      RuntimeError: if a checkpoint has the name of the file. ValueError: if there are not as many
      times as paths. tf.errors.OpError: if it cannot be written.

    Example:
      >>> tf.train.update_checkpoint_state(".", "model-3", ["model-2", "model-3"])
      >>> tf.train.get_checkpoint_state(".").model_checkpoint_path
      './model-3'
    """
    state = generate_checkpoint_state_proto(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    write_state(state_file(save_dir, latest_filename), state)


def write_state(path: str, state: CheckpointState) -> bytes:
    """Write a state and return its text; errors as for `update_checkpoint_state`."""
    if path == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{path}' conflicts with path used for checkpoint state.  Please use a "
            f"different save path."
        )
    text = text_format.MessageToString(state).encode()
    files.write_file(path, text)
    return text


def get_checkpoint_state(
    checkpoint_dir: Path, latest_filename: str | None = None
) -> CheckpointState | None:
    """What the file "checkpoint" says (TensorFlow: `tf.train.get_checkpoint_state`).

    Args:
      checkpoint_dir: the folder. latest_filename: of the file, if it has another name.

    Returns:
      a `CheckpointState` whose paths begin with the folder; None, and a warning, if the file
      cannot be read; None if there is none.

    Raises:
      ValueError: if it names no checkpoint.

    Example:
      >>> tf.train.get_checkpoint_state(".") is None  # True
    """
    folder = os.fspath(checkpoint_dir)
    path = state_file(folder, latest_filename)
    if not file_system.exists(path):
        return None
    state = CheckpointState()
    try:
        text_format.Merge(file_system.read(path).decode(), state)
    except (OpError, text_format.ParseError, UnicodeDecodeError) as error:
        logging.getLogger("tinytf").warning(
            "%s: %s\n%s: Checkpoint ignored", type(error).__name__, error, path
        )
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {folder}: it names no checkpoint")
    state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    for index, name in enumerate(state.all_model_checkpoint_paths):
        state.all_model_checkpoint_paths[index] = os.path.join(folder, name)
    return state


def latest_checkpoint(checkpoint_dir: Path, latest_filename: str | None = None) -> str | None:
    """The latest checkpoint of a folder (TensorFlow: `tf.train.latest_checkpoint`).

    Args:
      checkpoint_dir: the folder. latest_filename: of the file that says it, if not "checkpoint".

    Returns:
      what `Saver.restore` takes; None if there is none.

    Example:
      >>> v = tf.Variable(1.0)
      >>> sess.run(v.initializer)
      >>> path = tf.train.Saver().save(sess, "./model", global_step=7)
      >>> tf.train.latest_checkpoint(".")
      './model-7'
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return str(state.model_checkpoint_path)
    logging.getLogger("tinytf").error(
        "Couldn't match files for checkpoint %s", state.model_checkpoint_path
    )
    return None


def _files_of(prefix: str) -> list[str]:
    """The files that say that there is a checkpoint: an index, or those of V1."""
    return file_system.glob_text(f"{prefix}.index") or file_system.glob_text(prefix)


def checkpoint_exists(checkpoint_prefix: Path) -> bool:
    """Whether there is such a checkpoint (TensorFlow: `tf.train.checkpoint_exists`).

    Args:
      checkpoint_prefix: what `Saver.save` returned, of either format.

    Example:
      >>> tf.train.checkpoint_exists("model-7")
      False
    """
    return bool(_files_of(os.fspath(checkpoint_prefix)))


def get_checkpoint_mtimes(checkpoint_prefixes: Iterable[str]) -> list[float]:
    """When checkpoints were written (TensorFlow: `tf.train.get_checkpoint_mtimes`).

    Args:
      checkpoint_prefixes: what `Saver.save` returned.

    Returns:
      seconds since 1970, of those that are there.

    Example:
      >>> tf.train.get_checkpoint_mtimes(["model-7"])
      []
    """
    found = [_files_of(prefix) for prefix in checkpoint_prefixes]
    return [file_system.stat(paths[0]).mtime_nsec / 1e9 for paths in found if paths]


def remove_checkpoint(
    checkpoint_prefix: str,
    checkpoint_format_version: int = SaverDef.V2,
    meta_graph_suffix: str = "meta",
) -> None:
    """Delete the files of a checkpoint (TensorFlow: `tf.train.remove_checkpoint`).

    Args:
      checkpoint_prefix: what `Saver.save` returned. checkpoint_format_version: `SaverDef.V1` or
        `V2`. meta_graph_suffix: of the file with its graph.

    Raises:
      tf.errors.OpError: if a file cannot be deleted; not if it is gone.

    Example:
      >>> tf.train.remove_checkpoint("model-7")
    """
    # The index first: without it there is no checkpoint, with it a damaged one.
    endings = (
        [".index", ".data-?????-of-?????"] if checkpoint_format_version == SaverDef.V2 else [""]
    )
    patterns = [f"{checkpoint_prefix}{ending}" for ending in endings]
    for pattern in [*patterns, meta_graph_filename(checkpoint_prefix, meta_graph_suffix)]:
        for path in file_system.glob_text(pattern):
            try:
                file_system.remove(path)
            except NotFoundError:  # another program was faster
                logging.getLogger("tinytf").warning("%s is gone already", path)


def meta_graph_filename(checkpoint_filename: str, meta_graph_suffix: str = "meta") -> str:
    """The name of the file with the graph of a checkpoint, also of one of several V1 files."""
    base = re.sub(r"-[\d\?]+-of-\d+$", "", checkpoint_filename)
    return f"{base}.{meta_graph_suffix}"
