"""`tf.keras.datasets.cifar10`: small photographs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tinytf.datasets.course_digits import Images, Sets
from tinytf.datasets.files import find, keras_folder
from tinytf.framework import errors

__all__ = ["load_data"]

_SOURCE = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"


def load_data() -> Sets:
    """Small photographs (TensorFlow: `tf.keras.datasets.cifar10.load_data`).

    The files are pickled; the pixels and labels are picked out of them, and nothing is unpickled.

    Returns:
      (images, labels) for training and for testing: uint8 [50000, 32, 32, 3], [50000, 1], and
      10000.

    Raises:
      tf.errors.NotFoundError: without the files. tf.errors.DataLossError: for damaged ones.

    Example:
      >>> (x_train, y_train), (x_test, y_test) = load_data()  # doctest: +SKIP
    """
    training = [f"data_batch_{number}" for number in range(1, 6)]
    names = dict.fromkeys([*training, "test_batch"], "(see below)")
    above = keras_folder()
    folder = above / "cifar-10-batches-py"
    if not all((folder / name).is_file() for name in names):
        find({"cifar-10-batches-py.tar.gz": _SOURCE}, [above], "CIFAR-10", "Then unpack it.")
        raise errors.NotFoundError(
            f"The files of CIFAR-10 are not unpacked. Type:\n\n    tar -xzf {folder}.tar.gz "
            f"-C {above}\n\nThey are {', '.join(names)}, in {folder}."
        )
    batches = [_batch(folder / name) for name in training]
    images, labels = (np.concatenate(parts) for parts in zip(*batches))
    return (images, labels), _batch(folder / "test_batch")


def _batch(file: Path) -> Images:
    """A text of 3,072 bytes for each image, and the numbers of a list: the rest is looked past."""
    import pickletools  # takes as long as the rest of tf.keras.datasets

    pixels, key = b"", ""
    labels: list[int] = []
    try:
        for opcode, value, _ in pickletools.genops(file.read_bytes()):
            if isinstance(value, bytes):
                value = value.decode("latin-1")
            if isinstance(value, str) and len(value) > len(pixels) and len(value) >= 3072:
                pixels = value.encode("latin-1")
            elif isinstance(value, str):
                key = value
            elif key == "labels" and isinstance(value, int) and "INT" in opcode.name:
                labels.append(value)
        images = np.frombuffer(pixels, np.uint8).reshape(len(labels), 3, 32, 32)
    except (ValueError, UnicodeError) as error:
        raise errors.DataLossError(
            f"{file} is no file of CIFAR-10, or is damaged: {error}"
        ) from None
    return images.transpose(0, 2, 3, 1), np.array(labels, np.uint8)[:, None]
