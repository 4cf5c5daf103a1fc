"""`tf.keras.datasets.mnist`: digits."""

from __future__ import annotations

from tinytf.datasets import course_digits
from tinytf.datasets.files import DIGITS, read_npz, wants_course_digits

__all__ = ["load_data"]


def load_data(path: str = "mnist.npz") -> course_digits.Sets:
    """Digits (TensorFlow: `tf.keras.datasets.mnist.load_data`).

    Args:
      path: the file's name in Keras' folder, or an absolute path.

    Returns:
      (images, labels) for training and for testing: uint8 [60000, 28, 28], [60000], and 10000.

    Raises:
      tf.errors.NotFoundError: without the file; it says where to put it.

    Example:
      >>> (x_train, y_train), (x_test, y_test) = load_data()  # doctest: +SKIP
    """
    if wants_course_digits():
        return course_digits.load()
    found = read_npz(path, "mnist.npz", "MNIST", DIGITS)
    return (found["x_train"], found["y_train"]), (found["x_test"], found["y_test"])
