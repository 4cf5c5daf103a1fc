"""`tf.keras.datasets.reuters`: news."""

from __future__ import annotations

from typing import Any, NoReturn

from tinytf.datasets.keras.texts import refusal, word_index

__all__ = ["get_word_index", "load_data"]


def load_data(*args: Any, **kwargs: Any) -> NoReturn:
    """Not here (TensorFlow: `tf.keras.datasets.reuters.load_data`).

    Raises:
      tf.errors.UnimplementedError: always; it says what to do.

    Example:
      >>> load_data(num_words=10000)
      UnimplementedError: .../reuters.npz holds pickled Python objects ...
    """
    raise refusal("reuters")


def get_word_index(path: str = "reuters_word_index.json") -> dict[str, int]:
    """Words -> their rank (TensorFlow: `tf.keras.datasets.reuters.get_word_index`).

    Args:
      path: the file's name in Keras' folder, or an absolute path.

    Raises:
      tf.errors.NotFoundError: without the file; it says where to put it.

    Example:
      >>> get_word_index()["the"]  # doctest: +SKIP
      1
    """
    return word_index(path, "reuters")
