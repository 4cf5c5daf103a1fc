"""`tf.keras.utils`: labels as vectors, arrays of length one."""

from __future__ import annotations

from typing import Any

import numpy as np


def to_categorical(y: Any, num_classes: int | None = None, dtype: str = "float32") -> Any:
    """Numbers of classes as rows with a 1 (TensorFlow: `tf.keras.utils.to_categorical`).

    Example:
      >>> tf.keras.utils.to_categorical([0, 2])
      array([[1., 0., 0.],
             [0., 0., 1.]], dtype=float32)
    """
    numbers = np.array(y, dtype="int")
    if numbers.ndim > 1 and numbers.shape[-1] == 1:
        numbers = numbers[..., 0]
    return np.eye(num_classes or int(numbers.max()) + 1, dtype=dtype)[numbers]


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Vectors made one long (TensorFlow: `tf.keras.utils.normalize`).

    Args:
      x: an array. axis: along which vectors lie. order: of the norm.

    Example:
      >>> tf.keras.utils.normalize([[3.0, 4.0]])
      array([[0.6, 0.8]])
    """
    lengths = np.atleast_1d(np.linalg.norm(x, order, axis))
    lengths[lengths == 0] = 1
    return x / np.expand_dims(lengths, axis)
