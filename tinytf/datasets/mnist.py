"""MNIST as TensorFlow's tutorials read it: batches from memory.

Mirrors tensorflow/contrib/learn/python/learn/datasets/mnist.py, of which
tensorflow.examples.tutorials.mnist.input_data is another name.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from tinytf.datasets import course_digits, idx
from tinytf.datasets.files import DIGITS, find, keras_folder, read_npz, wants_course_digits
from tinytf.framework.dtypes import as_dtype, float32, uint8
from tinytf.framework.random_seed import get_seed

DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"
TRAINING = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"
TESTING = "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"
#: Where the tutorials' programs keep them.
USUAL = ["MNIST_data", "MNIST-data", "mnist", "/tmp/data", "/tmp/mnist", "/tmp/MNIST_data"]
USUAL += ["/tmp/tensorflow/mnist/input_data"]

__all__ = ["DEFAULT_SOURCE_URL", "DataSet", "Datasets", "dense_to_one_hot", "extract_images"]
__all__ += ["extract_labels", "load_mnist", "read_data_sets"]


class DataSet:
    """Images and their labels in memory, taken batch by batch, shuffled in each epoch.

    Args:
      images: uint8 [n, rows, columns, 1]. labels: [n], or [n, 10].
      fake_data: hold nothing; batches are all of one image. one_hot: only of those.
      dtype: tf.float32 for pixels from 0 to 1, tf.uint8 for 0 to 255.
      reshape: images become [n, rows * columns].
      seed: numpy's generator is set to it, or to the graph's seed.

    Raises:
      TypeError: for another dtype.

    Example:
      >>> DataSet(np.zeros([5, 28, 28, 1], np.uint8), np.arange(5)).next_batch(2)[0].shape
      (2, 784)
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        of_graph, of_both = get_seed(seed)
        np.random.seed(of_graph if seed is None else of_both)
        dtype = as_dtype(dtype).base_dtype
        if dtype not in (uint8, float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self._fake, self.one_hot = fake_data, one_hot
        if fake_data:
            self._count = 10_000
        else:
            if len(images) != len(labels):
                raise ValueError(f"{images.shape} images and {labels.shape} labels do not fit")
            self._count = len(images)
            if reshape:
                images = images.reshape(self._count, math.prod(images.shape[1:]))
            if dtype == float32:
                images = images.astype(np.float32) * np.float32(1.0 / 255.0)
        self._images, self._labels = images, labels
        self._epochs = self._next = 0

    @property
    def images(self) -> Any:
        """All of them, in the order of this epoch."""
        return self._images

    @property
    def labels(self) -> Any:
        """Theirs."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """How many."""
        return self._count

    @property
    def epochs_completed(self) -> int:
        """How often all have been taken."""
        return self._epochs

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> Any:
        """The next images and labels; what is left of an epoch comes with the first of the next.

        Args:
          batch_size: how many. fake_data: as of the class. shuffle: at the start of an epoch.

        Example:
          >>> images, labels = mnist.train.next_batch(50)  # doctest: +SKIP
        """
        if fake_data:
            label = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._next
        if self._epochs == 0 and start == 0 and shuffle:
            self._shuffle()
        self._next = end = start + batch_size
        if end <= self._count:
            return self._images[start:end], self._labels[start:end]
        self._epochs += 1
        rest = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._next = end = end - self._count
        return (
            np.concatenate([rest[0], self._images[:end]]),
            np.concatenate([rest[1], self._labels[:end]]),
        )

    def _shuffle(self) -> None:
        order = np.arange(self._count)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


class Datasets(NamedTuple):
    """What `read_data_sets` gives."""

    train: DataSet
    validation: DataSet
    test: DataSet


def read_data_sets(
    train_dir: Any,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = float32,
    reshape: bool = True,
    validation_size: int = 5000,
    seed: int | None = None,
    source_url: str = DEFAULT_SOURCE_URL,
) -> Datasets:
    """MNIST from its four files (TensorFlow: `input_data.read_data_sets`).

    Args:
      train_dir: the folder with the files; other usual ones are looked in as well, and Keras'
        mnist.npz. Where TINYTF_TUTORIAL_DATA is "digits" (`tinytf run --digits`), none is.
      fake_data: images of ones, no files. one_hot: labels are rows of ten.
      dtype, reshape, seed: as of `DataSet`.
      validation_size: so many of the images for training are `validation`.
      source_url: only said if the files are missing: nothing is fetched.

    Returns:
      `train`, `validation` and `test`, of class `DataSet`.

    Raises:
      tf.errors.NotFoundError: without the files; it says which to put where.
      ValueError: for a `validation_size` that is not between 0 and the number of images.

    Example:
      >>> mnist = read_data_sets("MNIST_data/", one_hot=True)  # doctest: +SKIP
      >>> batch = mnist.train.next_batch(50)  # doctest: +SKIP
    """
    if fake_data:
        one = {"fake_data": True, "one_hot": one_hot, "dtype": dtype, "seed": seed}
        return Datasets(DataSet([], [], **one), DataSet([], [], **one), DataSet([], [], **one))
    train, test = _arrays(train_dir, source_url or DEFAULT_SOURCE_URL)
    if not 0 <= validation_size <= len(train[0]):
        raise ValueError(
            f"Validation size should be between 0 and {len(train[0])}. Received: {validation_size}."
        )

    def made(images: np.ndarray, labels: np.ndarray) -> DataSet:
        shown = dense_to_one_hot(labels, 10) if one_hot else labels
        return DataSet(images[..., None], shown, dtype=dtype, reshape=reshape, seed=seed)

    images, labels = train
    return Datasets(
        train=made(images[validation_size:], labels[validation_size:]),
        validation=made(images[:validation_size], labels[:validation_size]),
        test=made(*test),
    )


def load_mnist(train_dir: str = "MNIST-data") -> Datasets:
    """`read_data_sets` with its defaults (TensorFlow: `tf.contrib.learn.datasets.load_dataset`).

    Example:
      >>> load_mnist().train.num_examples  # doctest: +SKIP
      55000
    """
    return read_data_sets(train_dir)


def _arrays(train_dir: Any, url: str) -> course_digits.Sets:
    if wants_course_digits():
        return course_digits.load()
    keras = keras_folder()
    folders = [*dict.fromkeys([Path(train_dir), *map(Path, USUAL), keras / "mnist"])]
    names = {name: url + name for name in (*TRAINING, *TESTING)}
    if not any(all((folder / name).is_file() for name in names) for folder in folders):
        if (keras / "mnist.npz").is_file():
            found = read_npz("mnist.npz", "mnist.npz", "MNIST")
            return (found["x_train"], found["y_train"]), (found["x_test"], found["y_test"])
    folder = find(names, folders, "MNIST", DIGITS)
    return read_pair(folder, TRAINING), read_pair(folder, TESTING)


def read_pair(folder: Path, names: tuple[str, str]) -> course_digits.Images:
    """Images and labels from two files: uint8 [n, rows, columns] and [n].

    Example:
      >>> images, labels = read_pair(Path("MNIST_data"), TESTING)  # doctest: +SKIP
    """
    with open(folder / names[0], "rb") as file:
        images = idx.read(file, idx.IMAGES, "image")
    with open(folder / names[1], "rb") as file:
        return images, idx.read(file, idx.LABELS, "label")


def extract_images(f: BinaryIO) -> np.ndarray:
    """The images of an open file: uint8 [n, rows, columns, 1].

    Example:
      >>> extract_images(open("t10k-images-idx3-ubyte.gz", "rb")).shape  # doctest: +SKIP
      (10000, 28, 28, 1)
    """
    return idx.read(f, idx.IMAGES, "image")[..., None]


def extract_labels(f: BinaryIO, one_hot: bool = False, num_classes: int = 10) -> np.ndarray:
    """The labels of an open file: uint8 [n]; with `one_hot`, float64 [n, num_classes].

    Example:
      >>> extract_labels(open("t10k-labels-idx1-ubyte.gz", "rb")).shape  # doctest: +SKIP
      (10000,)
    """
    labels = idx.read(f, idx.LABELS, "label")
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense: np.ndarray, num_classes: int) -> np.ndarray:
    """Numbers of classes as rows with a 1 at that place, float64.

    Example:
      >>> dense_to_one_hot(np.array([1, 0]), 2)
      array([[0., 1.],
             [1., 0.]])
    """
    return np.eye(num_classes)[labels_dense.ravel()]
