"""Variables that start with values of another model's checkpoint: `tf.train.warm_start`.

Mirrors tensorflow/python/training/warm_starting_util.py.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from tinytf.estimator.checked import Checked
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.spelling import did_you_mean
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.array.where import where
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.state import assign
from tinytf.ops.variables.variable import Variable
from tinytf.resources import file_system
from tinytf.training.checkpoint_reading import init_from_checkpoint, load_checkpoint

_logger = logging.getLogger("tinytf")


class _VocabInfo(NamedTuple):
    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int = -1
    backup_initializer: Any = None
    axis: int = 0


class VocabInfo(Checked, _VocabInfo):
    """How words of a new vocabulary find their rows of an old variable.

    TensorFlow: `tf.train.VocabInfo`, `tf.estimator.VocabInfo`.

    Args:
      new_vocab: a file with one word a line. new_vocab_size: how many there are.
      num_oov_buckets: of rows that stand for all other words, after those.
      old_vocab: the file of the checkpoint's model. old_vocab_size: -1: all its lines.
      backup_initializer: for rows that the checkpoint has not; by default zeros.
      axis: 0: words are rows; 1: they are columns.

    Raises:
      ValueError: for another axis.

    Example:
      >>> tf.train.VocabInfo("new.txt", 3, num_oov_buckets=1, old_vocab="old.txt").axis
      0
    """

    __slots__ = ()

    @classmethod
    def _checked(cls, given: _VocabInfo) -> _VocabInfo:
        if given.axis not in (0, 1):
            raise ValueError(
                f"The only supported values for the axis argument are 0 and 1.  Provided axis: "
                f"{given.axis}"
            )
        return given


class _Settings(NamedTuple):
    ckpt_to_initialize_from: str
    vars_to_warm_start: Any = ".*"
    var_name_to_vocab_info: dict[str, VocabInfo] | None = None
    var_name_to_prev_var_name: dict[str, str] | None = None


class WarmStartSettings(Checked, _Settings):
    """From which checkpoint an estimator starts (TensorFlow: `tf.estimator.WarmStartSettings`).

    Args:
      ckpt_to_initialize_from: a checkpoint, or a folder, of which the latest is taken.
      vars_to_warm_start, var_name_to_vocab_info, var_name_to_prev_var_name: as of
        `tf.train.warm_start`.

    Raises:
      ValueError: without a checkpoint.

    Example:
      >>> settings = tf.estimator.WarmStartSettings("./model", vars_to_warm_start="dense.*")
    """

    __slots__ = ()

    @classmethod
    def _checked(cls, given: _Settings) -> _Settings:
        path, wanted, infos, names = given
        if not path:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        return _Settings(os.fspath(path), wanted, infos or {}, names or {})


def settings_of(given: Any) -> WarmStartSettings | None:
    """The settings that an estimator was given: a path, settings, or None."""
    if given is None or isinstance(given, WarmStartSettings):
        return given
    if not isinstance(given, str | bytes | os.PathLike):
        raise ValueError(
            f"warm_start_from must be a string or a WarmStartSettings, instead got {type(given)}"
        )
    path = os.fsdecode(given)
    saved = os.path.join(path, "variables", "variables")
    if file_system.exists(saved + ".index"):
        _logger.info("Warm-starting from a SavedModel")
        path = saved
    return WarmStartSettings(path)


def warm_start(
    ckpt_to_initialize_from: str,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, VocabInfo] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Let variables start with values of a checkpoint (TensorFlow: `tf.train.warm_start`).

    Their initializers read it: run them after this.

    Args:
      ckpt_to_initialize_from: a checkpoint, or a folder, of which the latest is taken.
      vars_to_warm_start: a pattern of trainable variables' names, or a list of patterns of any
        variables' names, or of variables. None: only those with a vocabulary.
      var_name_to_vocab_info: name -> `tf.train.VocabInfo`, of matrices whose rows, or columns,
        stand for words.
      var_name_to_prev_var_name: name -> the name in the checkpoint, where they differ.

    Raises:
      ValueError: if the checkpoint lacks a variable, or has another shape of it; for names in the
        dicts that are not warm-started.

    Example:
      >>> w = tf.get_variable("w", initializer=[1.0, 2.0])
      >>> sess.run(w.initializer)
      >>> path = tf.train.Saver().save(sess, "./model")
      >>> with tf.Graph().as_default(), tf.Session() as later:
      ...     w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
      ...     tf.train.warm_start(path)
      ...     later.run(w.initializer)
      ...     print(later.run(w))
      [1. 2.]
    """
    _logger.info("Warm-starting from: %s", ckpt_to_initialize_from)
    infos, names = var_name_to_vocab_info or {}, var_name_to_prev_var_name or {}
    variables = _by_name(vars_to_warm_start)
    for argument, given in (
        ("var_name_to_prev_var_name", names),
        ("var_name_to_vocab_info", infos),
    ):
        if unused := sorted(given.keys() - variables):
            raise ValueError(
                f"You provided the following variables in {argument} that were not used: "
                f"{set(unused)}.  Perhaps you misspelled them?  Here is the list of viable "
                f"variable names: {list(variables)}{did_you_mean(unused[0], variables)}"
            )
    for name, parts in variables.items():
        old_name = names.get(name, name)
        if name in infos:
            for part in parts:
                _start_with_words(part, ckpt_to_initialize_from, old_name, infos[name])
        elif vars_to_warm_start:
            target = parts if len(parts) > 1 else parts[0]
            init_from_checkpoint(ckpt_to_initialize_from, {old_name: target})
    _logger.info("Warm-started %d variables.", len(variables))


def _by_name(wanted: Any) -> dict[str, list[Any]]:
    """The variables that are meant, by their names in checkpoints; partitioned ones together."""
    graph = get_default_graph()
    if isinstance(wanted, str) or wanted is None:
        _logger.info("Warm-starting variables only in TRAINABLE_VARIABLES.")
        found = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, wanted)
    elif isinstance(wanted, list) and all(isinstance(each, str) for each in wanted):
        found = [
            variable
            for pattern in wanted
            for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES, pattern)
        ]
    elif isinstance(wanted, list) and all(isinstance(each, Variable) for each in wanted):
        found = wanted
    else:
        raise ValueError(
            f"If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`; else it "
            f"is a `str`, a pattern of names. Given: {wanted!r}"
        )
    by_name: dict[str, list[Any]] = {}
    for variable in found:
        info = variable._save_slice_info
        by_name.setdefault(variable.op.name if info is None else info.full_name, []).append(
            variable
        )
    return by_name


def _start_with_words(variable: Any, path: str, old_name: str, info: VocabInfo) -> None:
    """Make the initializer take, for each word, what the checkpoint has for it."""
    old = load_checkpoint(path).get_tensor(old_name)
    known = {word: i for i, word in enumerate(_words(info.old_vocab, info.old_vocab_size))}
    words = _words(info.new_vocab, info.new_vocab_size)
    shape = tuple(variable.shape.as_list())
    first = (
        0 if variable._save_slice_info is None else variable._save_slice_info.var_offset[info.axis]
    )
    numbers = [known.get(word, -1) for word in words] + [-1] * info.num_oov_buckets
    rows = np.array(numbers[first : first + shape[info.axis]])
    values = np.take(old, np.maximum(rows, 0), info.axis).astype(np.float32)
    is_there = np.expand_dims(rows >= 0, 1 - info.axis)
    backup = (info.backup_initializer or Zeros())(list(shape), variable.dtype.base_dtype)
    start = where(np.broadcast_to(is_there, shape), values, backup)
    variable._initializer_op = assign(variable, start).op


def _words(path: str, size: int) -> list[bytes]:
    words = file_system.read(path).splitlines()
    if len(words) < size:
        raise ValueError(f"The vocabulary {path} has {len(words)} lines, fewer than {size}.")
    return words if size < 0 else words[:size]
