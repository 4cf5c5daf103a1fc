"""Images mirrored, transposed, turned by a quarter; for certain or at random."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.reverse import reverse
from tinytf.ops.array.transpose import transpose as transposed
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.case import case
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.image.shapes import asserted_3d, by_rank, shape_of
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal, less
from tinytf.ops.math.division import floormod
from tinytf.ops.math.rounding import round
from tinytf.ops.random.basic import random_uniform


def _as_before(image: Tensor, result: Tensor) -> Tensor:
    """The result of a flip, which has the shape of the image."""
    result.set_shape([None] * 3 if image.shape.ndims is None else image.shape)
    return result


def _flip(image: Any, axis: int, scope: str) -> Tensor:
    with op_scope(None, scope, (image,)):
        image = asserted_3d(convert_to_tensor(image, name="image"))
        return by_rank(
            image,
            lambda: _as_before(image, reverse(image, [axis])),
            lambda: reverse(image, [axis + 1]),
        )


def flip_left_right(image: Any) -> Tensor:
    """Images with columns in reverse order (TensorFlow: `tf.image.flip_left_right`).

    Args:
      image: [height, width, channels], or a batch of them.

    Raises:
      ValueError: for another rank.

    Example:
      >>> tf.image.flip_left_right([[[1], [2]]])[:, :, 0]  # [[2, 1]]
    """
    return _flip(image, 1, "flip_left_right")


def flip_up_down(image: Any) -> Tensor:
    """Images with rows in reverse order (TensorFlow: `tf.image.flip_up_down`).

    Args:
      image: [height, width, channels], or a batch of them.

    Raises:
      ValueError: for another rank.

    Example:
      >>> tf.image.flip_up_down([[[1]], [[2]]])[:, :, 0]  # [[2], [1]]
    """
    return _flip(image, 0, "flip_up_down")


def _random_flip(image: Any, axis: int, scope: str, seed: int | None) -> Tensor:
    with op_scope(None, scope, (image,)) as name:
        image = asserted_3d(convert_to_tensor(image, name="image"))

        def single() -> Tensor:
            drawn = less(random_uniform([], 0, 1.0, seed=seed), 0.5)
            result = cond(drawn, lambda: reverse(image, [axis]), lambda: image, name=name)
            return _as_before(image, result)

        def batch() -> Any:
            count = shape_of(image)[0]
            drawn = random_uniform([count], 0, 1.0, seed=seed)
            flips: Any = cast(round(reshape(drawn, [count, 1, 1, 1])), image.dtype)
            flipped = reverse(image, [axis + 1])
            return flips * flipped + (1 - flips) * image

        return by_rank(image, single, batch)


def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """Half of the time, `flip_left_right` (TensorFlow: `tf.image.random_flip_left_right`).

    Args:
      image: [height, width, channels], or a batch of them, each of which has its own luck.
      seed: see `tf.set_random_seed`.

    Raises:
      ValueError: for another rank.

    Example:
      >>> tf.image.random_flip_left_right([[[2], [2]]])[:, :, 0]  # [[2, 2]]
    """
    return _random_flip(image, 1, "random_flip_left_right", seed)


def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """Half of the time, `flip_up_down` (TensorFlow: `tf.image.random_flip_up_down`).

    Arguments and errors as of `random_flip_left_right`.

    Example:
      >>> tf.image.random_flip_up_down([[[2]], [[2]]])[:, :, 0]  # [[2], [2]]
    """
    return _random_flip(image, 0, "random_flip_up_down", seed)


def transpose_image(image: Any, name: str | None = None) -> Tensor:
    """Images with rows as columns (TensorFlow: `tf.image.transpose_image`, `tf.image.transpose`).

    Args:
      image: [height, width, channels], or a batch of them. name: of the scope.

    Raises:
      ValueError: for another rank.

    Example:
      >>> tf.image.transpose_image([[[1], [2]]])[:, :, 0]  # [[1], [2]]
    """
    with op_scope(name, "transpose", (image,)):
        image = asserted_3d(convert_to_tensor(image, name="image"))
        return by_rank(
            image,
            lambda: transposed(image, [1, 0, 2], name=name),
            lambda: transposed(image, [0, 2, 1, 3], name=name),
        )


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """Images turned to the left by quarters (TensorFlow: `tf.image.rot90`).

    Args:
      image: [height, width, channels], or a batch of them.
      k: how many quarters, a number or a scalar tensor. name: of the scope.

    Raises:
      ValueError: for another rank.

    Example:
      >>> tf.image.rot90([[[1], [2]]])[:, :, 0]  # [[2], [1]]
    """
    with op_scope(name, "rot90", (image, k)) as scope:
        image = asserted_3d(convert_to_tensor(image, name="image"))
        k = convert_to_tensor(k, dtype=dtypes.int32, name="k")
        k.shape.assert_has_rank(0)
        k = floormod(k, 4)
        return by_rank(
            image, lambda: _turned(image, k, scope, 0), lambda: _turned(image, k, scope, 1)
        )


def _turned(image: Any, k: Tensor, scope: str, first: int) -> Tensor:
    """An image turned k times; its rows are the axis `first`."""
    rows, columns = first, first + 1
    swapped = [0, 2, 1, 3] if first else [1, 0, 2]
    turns = [
        (equal(k, 1), lambda: transposed(reverse(image, [columns]), swapped)),
        (equal(k, 2), lambda: reverse(image, [rows, columns])),
        (equal(k, 3), lambda: reverse(transposed(image, swapped), [columns])),
    ]
    result = case(turns, default=lambda: image, exclusive=True, name=scope)
    if image.shape.ndims is not None:
        sizes = image.shape.as_list()
        result.set_shape([*sizes[:first], None, None, sizes[-1]])
    return result
