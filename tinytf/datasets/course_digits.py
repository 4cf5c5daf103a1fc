"""The digits of the course in MNIST's shapes: 60,000 and 10,000 images of 28 by 28.

There are 1,797 of them, of 8 by 8. Each pixel becomes nine, with an edge around; as there are fewer
than MNIST has, each comes again, moved by up to a pixel. Those for testing are others than those
for training.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tinytf.framework import errors

FILE = Path(__file__).parents[2] / "notebooks" / "optdigits" / "digits.csv"
#: So many are for training, as in the course.
TRAINING = 1500
#: (images, labels), and those for training with those for testing.
Images = tuple[np.ndarray, np.ndarray]
Sets = tuple[Images, Images]


def load() -> Sets:
    """(images, labels) for training and for testing, uint8: [60000, 28, 28] and [60000], 10000.

    Raises:
      tf.errors.NotFoundError: if the course is not beside tinytf.

    Example:
      >>> (images, labels), (test_images, test_labels) = load()
    """
    if not FILE.is_file():
        raise errors.NotFoundError(
            f"The course's digits are not here ({FILE}): they come with the repository, not with "
            "the package. Clone it, and use the tinytf in there."
        )
    table = np.loadtxt(FILE, delimiter=",", dtype=np.uint8)
    pixels = (table[:, :64].astype(np.float32) * (255 / 16)).astype(np.uint8).reshape(-1, 8, 8)
    images, labels = pixels.repeat(3, 1).repeat(3, 2), table[:, 64]
    return (
        _moved(images[:TRAINING], labels[:TRAINING], 60_000),
        _moved(images[TRAINING:], labels[TRAINING:], 10_000),
    )


def _moved(images: np.ndarray, labels: np.ndarray, count: int) -> Images:
    found = np.zeros([count, 28, 28], np.uint8)
    for turn, start in enumerate(range(0, count, len(images))):
        down, right = divmod((turn + 4) % 9, 3)  # the first are in the middle
        part = found[start : start + len(images), 1:-1, 1:-1]
        part[:, down : down + 24, right : right + 24] = images[: len(part)]
    return found, np.resize(labels, count)
