"""`tf.keras.datasets.fashion_mnist`: clothes."""

from __future__ import annotations

from tinytf.datasets.course_digits import Sets
from tinytf.datasets.files import KERAS, find, keras_folder
from tinytf.datasets.mnist import TESTING, TRAINING, read_pair

__all__ = ["load_data"]


def load_data() -> Sets:
    """Clothes (TensorFlow: `tf.keras.datasets.fashion_mnist.load_data`).

    Returns:
      as of MNIST. Raises: likewise.

    Example:
      >>> (x_train, y_train), (x_test, y_test) = load_data()  # doctest: +SKIP
    """
    names = {name: KERAS + name for name in (*TRAINING, *TESTING)}
    folder = find(names, [keras_folder() / "fashion-mnist"], "Fashion-MNIST")
    return read_pair(folder, TRAINING), read_pair(folder, TESTING)
