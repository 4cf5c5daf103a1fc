"""Looking into checkpoints without a session, and initial values from them.

Mirrors tensorflow/python/training/checkpoint_utils.py and py_checkpoint_reader.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from tinytf.framework.dtypes import DType
from tinytf.framework.scope_functions import device
from tinytf.framework.spelling import did_you_mean
from tinytf.framework.summaries import type_text
from tinytf.ops.io.save_restore import restore_v2
from tinytf.ops.variables.current_scope import variable_store
from tinytf.ops.variables.variable import Variable
from tinytf.resources import file_system
from tinytf.resources.checkpoint_files.v1 import open_checkpoint
from tinytf.training.checkpoint_state import Path, latest_checkpoint
from tinytf.training.saveables import saveables_of


class CheckpointReader:
    """A checkpoint that is read without a graph; `NewCheckpointReader` makes one."""

    def __init__(self, filepattern: str):
        self._reader = open_checkpoint(os.fsdecode(filepattern))

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each tensor."""
        return {name: list(stored.shape) for name, stored in self._reader.tensors.items()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The type of each tensor."""
        return {name: stored.dtype for name, stored in self._reader.tensors.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of this name."""
        return tensor_str in self._reader.tensors

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of a tensor, an array or a single value; NotFoundError if it is not there."""
        return self._reader.read(tensor_str)[()]

    def debug_string(self) -> bytes:
        """A line for each tensor: its name, type and shape."""
        lines = [
            f"{name} ({type_text(stored.dtype)}) [{','.join(map(str, stored.shape))}]\n"
            for name, stored in sorted(self._reader.tensors.items())
        ]
        return "".join(lines).encode()


def NewCheckpointReader(filepattern: str) -> CheckpointReader:
    """Look into a checkpoint without a graph (TensorFlow: `tf.train.NewCheckpointReader`).

    Args:
      filepattern: what `Saver.save` returned, of either format.

    Returns:
      a reader, with `get_variable_to_shape_map`, `get_variable_to_dtype_map`, `has_tensor`,
      `get_tensor` and `debug_string`.

    Raises:
      tf.errors.NotFoundError: if it is not there. tf.errors.DataLossError: if it is damaged.

    Example:
      >>> v = tf.Variable([1.0, 2.0], name="v")
      >>> sess.run(v.initializer)
      >>> reader = tf.train.NewCheckpointReader(tf.train.Saver().save(sess, "./model"))
      >>> reader.get_variable_to_shape_map(), reader.get_tensor("v")
      ({'v': [2]}, array([1., 2.], dtype=float32))
    """
    return CheckpointReader(filepattern)


def load_checkpoint(ckpt_dir_or_file: Path) -> CheckpointReader:
    """A reader of a checkpoint (TensorFlow: `tf.train.load_checkpoint`).

    Args:
      ckpt_dir_or_file: a checkpoint, or a folder, of which the latest is taken.

    Raises:
      ValueError: if the folder has none. Errors of `tf.train.NewCheckpointReader`.

    Example:
      >>> v = tf.Variable(1.0, name="v")
      >>> sess.run(v.initializer)
      >>> path = tf.train.Saver().save(sess, "./model")
      >>> tf.train.load_checkpoint(".").has_tensor("v")
      True
    """
    return CheckpointReader(_prefix(ckpt_dir_or_file))


def _prefix(given: Path) -> str:
    path = os.fspath(given)
    if not file_system.is_folder(path):
        return path
    latest = latest_checkpoint(path)
    if latest is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return latest


def load_variable(ckpt_dir_or_file: Path, name: str) -> Any:
    """The value of a variable in a checkpoint (TensorFlow: `tf.train.load_variable`).

    Args:
      ckpt_dir_or_file: a checkpoint, or a folder, of which the latest is taken.
      name: of the variable, with or without ":0".

    Raises:
      tf.errors.NotFoundError: if it is not there. Errors of `tf.train.load_checkpoint`.

    Example:
      >>> v = tf.Variable(1.0, name="v")
      >>> sess.run(v.initializer)
      >>> path = tf.train.Saver().save(sess, "./model")
      >>> tf.train.load_variable(path, "v")  # 1.0
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: Path) -> list[tuple[str, list[int]]]:
    """Names and shapes of what a checkpoint has, sorted (TensorFlow: `tf.train.list_variables`).

    Args:
      ckpt_dir_or_file: a checkpoint, or a folder, of which the latest is taken.

    Raises:
      Errors of `tf.train.load_checkpoint`.

    Example:
      >>> v = tf.Variable([1.0, 2.0], name="v")
      >>> sess.run(v.initializer)
      >>> tf.train.list_variables(tf.train.Saver().save(sess, "./model"))
      [('v', [2])]
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


# Initial values -----------------------------------------------------------------------------------


def init_from_checkpoint(ckpt_dir_or_file: Path, assignment_map: Any) -> None:
    """Let variables start with values of a checkpoint.

    TensorFlow: `tf.train.init_from_checkpoint`.

    Their initializers read it: run them after this, with `tf.global_variables_initializer()`.

    Args:
      ckpt_dir_or_file: a checkpoint, or a folder, of which the latest is taken.
      assignment_map: a dict or pairs of names in the checkpoint to variables, their names or lists
        of the parts of one; or of scopes to scopes, both ending with "/": all variables of the
        second are read from the first. "/" is all of the checkpoint.

    Raises:
      ValueError: if a name is not there, here or in the checkpoint, or shapes differ.

    Example:
      >>> v = tf.get_variable("v", initializer=[1.0, 2.0])
      >>> sess.run(v.initializer)
      >>> path = tf.train.Saver([v]).save(sess, "./model")
      >>> w = tf.get_variable("w", [2])
      >>> tf.train.init_from_checkpoint(path, {"v": w})
      >>> sess.run(w.initializer)
      >>> sess.run(w)
      array([1., 2.], dtype=float32)
    """
    path = _prefix(ckpt_dir_or_file)
    shapes = CheckpointReader(path).get_variable_to_shape_map()
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    for name, target in sorted(pairs, key=lambda pair: pair[0]):
        variable = _named(target) if isinstance(target, str) else target
        found = {name: variable} if variable is not None else _in_scopes(name, target)
        for source, each in found.items():
            _check(path, shapes, source, each)
            for part in each if isinstance(each, list) else [each]:
                _start_with(part, path, source)


def _variables() -> dict[str, Variable]:
    found: dict[str, Variable] = variable_store()._variables
    return found


def _named(name: str) -> Any:
    """A variable of `tf.get_variable`, or the list of its parts; None if there is none."""
    known = _variables()
    if name in known:
        return known[name]
    parts: list[Variable] = []
    while (part := known.get(f"{name}/part_{len(parts)}")) is not None:
        parts.append(part)
    return parts or None


def _in_scopes(source: str, scope: str) -> dict[str, Any]:
    """Names in the checkpoint -> the variables of a scope."""
    inside = scope[: scope.rindex("/") + 1].lstrip("/") if "/" in scope else ""
    if not source.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {source}. "
            f"Should be 'scope/': 'other_scope/'. If {scope!r} is meant to be a variable: "
            f"tf.get_variable has made none of this name."
            f"{did_you_mean(scope, _variables())}"
        )
    names = {name.partition("/part_")[0] for name in _variables() if name.startswith(inside)}
    prefix = "" if source == "/" else source
    return {prefix + name.removeprefix(inside): _named(name) for name in sorted(names)}


def _check(path: str, shapes: dict[str, list[int]], source: str, variable: Any) -> None:
    if source not in shapes:
        raise ValueError(
            f"Tensor {source} is not found in {path} checkpoint {shapes}."
            f"{did_you_mean(source, shapes)}"
        )
    if isinstance(variable, Variable) and not variable.shape.is_compatible_with(shapes[source]):
        raise ValueError(
            f"Shape of variable {variable.name} ({variable.shape}) doesn't match with shape of "
            f"tensor {source} ({shapes[source]}) from checkpoint reader."
        )
    if isinstance(variable, list):
        wholes: Iterable[str] = {part._save_slice_info.full_name for part in variable}
        if len(set(wholes)) != 1:
            raise ValueError(f"Slices must all be from the same tensor: {sorted(wholes)}")


def _start_with(variable: Variable, path: str, source: str) -> None:
    """Make the initializer of a variable read the checkpoint."""
    info = variable._save_slice_info
    with device(variable.device), device("/cpu:0"):
        [value] = restore_v2(
            path,
            [source],
            [info.spec if info is not None else ""],
            dtypes=[variable.dtype.base_dtype],
            name="checkpoint_initializer",
        )
        [saveable] = saveables_of([variable])
    initializer = saveable.restore([value], None)
    variable._initializer_op = getattr(initializer, "op", initializer)
    value.set_shape(variable.shape)
    variable._initial_value = value
