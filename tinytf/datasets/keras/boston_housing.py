"""`tf.keras.datasets.boston_housing`: prices of houses."""

from __future__ import annotations

import numpy as np

from tinytf.datasets.course_digits import Sets
from tinytf.datasets.files import read_npz

__all__ = ["load_data"]


def load_data(path: str = "boston_housing.npz", test_split: float = 0.2, seed: int = 113) -> Sets:
    """Prices of houses (TensorFlow: `tf.keras.datasets.boston_housing.load_data`).

    Args:
      path: the file's name in Keras' folder, or an absolute path.
      test_split: which part is for testing, of the rows as `seed` shuffles them.

    Returns:
      (rows of 13 numbers, prices) for training and for testing, float64.

    Raises:
      ValueError: for a `test_split` that is not from 0 to below 1. NotFoundError: as MNIST's.

    Example:
      >>> (x_train, y_train), (x_test, y_test) = load_data()  # doctest: +SKIP
    """
    if not 0 <= test_split < 1:
        raise ValueError(f"test_split must be from 0 to below 1, got {test_split}")
    found = read_npz(path, "boston_housing.npz", "Boston housing")
    x, y = found["x"], found["y"]
    order = np.arange(len(x))
    np.random.seed(seed)
    np.random.shuffle(order)
    x, y = x[order], y[order]
    count = int(len(x) * (1 - test_split))
    return (x[:count], y[:count]), (x[count:], y[count:])
