"""What functions of images share: one image or a batch, sizes known now or when it runs, checks.

What is known while the graph is built is checked then; the rest by assertions of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array import shape as _shapes
from tinytf.ops.array.reshape import expand_dims, squeeze
from tinytf.ops.array.stack import unstack
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.check.assert_values import assert_greater_equal, assert_positive
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.control_flow.grouping import with_dependencies
from tinytf.ops.math.comparison import equal
from tinytf.ops.variables.variable import Variable

#: `tf.rank` and `tf.shape`; what they give is indexed and added to.
rank_of: Any = _shapes.rank
shape_of: Any = _shapes.shape

LAYOUT = (
    "An image is [height, width, channels], a batch of them [batch, height, width, channels]; "
    "tf.expand_dims(image, -1) gives a grey one its channel"
)


def is_tensor(value: Any) -> bool:
    """Whether a number is known only when the graph runs."""
    return isinstance(value, Tensor | Variable)


def three_or_four(image: Tensor) -> ValueError:
    """The error for another rank."""
    return ValueError(
        f"'image' (shape {image.shape}) must have either 3 or 4 dimensions. {LAYOUT}."
    )


def by_rank(image: Tensor, single: Callable[[], Any], batch: Callable[[], Any]) -> Any:
    """`single()` for one image, `batch()` for several; decided in the run if it is not known.

    Raises:
      ValueError: for other ranks.
    """
    ndims = image.shape.ndims
    if ndims is None:
        return cond(equal(rank_of(image), 3), single, batch)
    if ndims not in (3, 4):
        raise three_or_four(image)
    return single() if ndims == 3 else batch()


def batched(image: Any) -> tuple[Any, bool]:
    """An image as a batch of one, and whether it was a batch already."""
    image = convert_to_tensor(image, name="image")
    ndims = image.shape.ndims
    if ndims == 4:
        return image, True
    if ndims not in (None, 3):
        raise three_or_four(image)
    image = expand_dims(image, 0)
    if ndims is None:
        image.set_shape([None] * 4)
    return image, False


def as_given(images: Any, was_batch: bool) -> Any:
    """The result of a function that works on batches, for what it was called with."""
    return images if was_batch else squeeze(images, axis=[0])


def sizes_of(images: Any, rank: int = 4) -> list[Any]:
    """The sizes of images: numbers where they are known, tensors elsewhere."""
    static = images.shape.with_rank(rank).as_list()
    if None not in static:
        return static
    running = unstack(shape_of(images), rank)
    return [now if now is not None else later for now, later in zip(static, running, strict=True)]


def require(condition: Any, message: str, hint: str = "") -> list[Operation]:
    """Check something: now if it is known (ValueError, with the hint), otherwise in the run."""
    if is_tensor(condition):
        return [Assert(condition, [message])]
    if not condition:
        raise ValueError(f"{message}{hint}")
    return []


def at_least_3d(image: Any) -> list[Operation]:
    """Assertions that an image has three dimensions or more, the last three without a 0.

    Raises:
      ValueError: if it is known that it has not.
    """
    ndims = image.shape.ndims
    if ndims is not None and ndims < 3:
        raise ValueError(
            f"'image' (shape {image.shape}) must be at least three-dimensional. {LAYOUT}."
        )
    inner = image.shape.with_rank(3) if ndims is None else image.shape[-3:]
    if 0 in inner.as_list():
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")
    if inner.is_fully_defined():
        return []
    return [
        assert_positive(shape_of(image)[-3:], ["inner 3 dims of 'image.shape' must be > 0."]),
        assert_greater_equal(
            rank_of(image), 3, message="'image' must be at least three-dimensional."
        ),
    ]


def asserted_3d(image: Any) -> Any:
    """An image that is there once it is known to have three dimensions or more."""
    return with_dependencies(at_least_3d(image), image)


def static(sizes: Sequence[Any]) -> list[int | None]:
    """Sizes as a static shape has them: None for tensors."""
    return [None if is_tensor(size) else size for size in sizes]
