"""Feature columns of data that are there. Mirrors a part of contrib/learn's estimators/estimator.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.data.base import DatasetBase
from tinytf.data.iterator import make_one_shot_iterator
from tinytf.feature_column.contrib import infer_real_valued_columns
from tinytf.framework.graph import Graph


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
    is_dict = isinstance(x, dict)
    return infer_real_valued_columns(
        {name: np.asarray(value) for name, value in x.items()} if is_dict else np.asarray(x)
    )


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
