"""Batches of arrays, for estimators that are given x and y; the columns of such data."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tinytf.data.base import DatasetBase
from tinytf.data.generator import from_generator
from tinytf.data.iterator import make_one_shot_iterator
from tinytf.feature_column.contrib import infer_real_valued_columns
from tinytf.framework import nest
from tinytf.framework.graph import Graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape

#: Data that are shuffled come in the same order in each program, as in TensorFlow.
_SEED = 42


def input_fn_of(
    x: Any,
    y: Any,
    input_fn: Callable[[], Any] | None,
    batch_size: int | None,
    epochs: int | None = None,
) -> Callable[[], Any]:
    """The input function that was given, or one for arrays.

    Args:
      x, y: arrays, or dicts of them. batch_size: None for all rows at once.
      epochs: all rows so many times, in their order; None: for ever, shuffled.

    Raises:
      ValueError: for neither or both of x and input_fn, or lengths that differ.
    """
    if input_fn is not None:
        if any(each is not None for each in (x, y, batch_size)):
            raise ValueError("Can not provide both input_fn and x, y or batch_size.")
        return input_fn
    if x is None:
        raise ValueError("Either x or input_fn must be provided.")
    if any(isinstance(each, Tensor) for each in nest.flatten([x, y])):
        raise ValueError("Inputs cannot be tensors. Please provide input_fn=lambda: (x, y).")
    data = _arrays(x) if y is None else (_arrays(x), _arrays(y))
    lengths = {len(each) for each in nest.flatten(data)}
    if len(lengths) != 1:
        raise ValueError(f"x and y must have the same number of rows, not {sorted(lengths)}.")
    [count] = lengths
    size = min(batch_size or count, count)

    def batches() -> Iterator[Any]:
        source, order = np.random.RandomState(_SEED), np.arange(count)
        for _ in itertools.count() if epochs is None else range(epochs):
            if epochs is None:
                order = source.permutation(count)
            for start in range(0, count, size):
                rows = order[start : start + size]
                yield nest.map_structure(lambda each, rows=rows: each[rows], data)

    types = nest.map_structure(lambda each: each.dtype, data)
    shapes = nest.map_structure(lambda each: TensorShape.of((None, *each.shape[1:])), data)
    return lambda: from_generator(batches, types, shapes)


def _arrays(given: Any) -> Any:
    if isinstance(given, dict):
        return {name: np.asarray(value) for name, value in given.items()}
    return np.asarray(given)


def infer_real_valued_columns_from_input(x: Any) -> list[Any]:
    """A column for each feature of arrays (TensorFlow: `tf.contrib.learn`).

    Args:
      x: an array [rows, n], or a dict of arrays.

    Raises:
      ValueError: for other shapes, or no numbers.

    Example:
      >>> x = np.zeros([5, 3], np.float32)
      >>> columns = tf.contrib.learn.infer_real_valued_columns_from_input(x)
      >>> columns[0].shape
      (3,)
    """
    return infer_real_valued_columns(_arrays(x))


def infer_real_valued_columns_from_input_fn(input_fn: Callable[[], Any]) -> list[Any]:
    """A column for each feature that a function makes (TensorFlow: `tf.contrib.learn`).

    Args:
      input_fn: returns features, or (features, labels), as tensors or a dataset.

    Raises:
      ValueError: for other shapes, or no numbers.

    Example:
      >>> columns = tf.contrib.learn.infer_real_valued_columns_from_input_fn(
      ...     lambda: (tf.zeros([5, 3]), tf.zeros([5]))
      ... )
    """
    with Graph().as_default():
        found = input_fn()
        if isinstance(found, DatasetBase):
            found = make_one_shot_iterator(found).get_next()
        return infer_real_valued_columns(found[0] if isinstance(found, tuple | list) else found)
