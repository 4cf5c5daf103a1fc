"""What the shape functions and kernels of array ops share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor_shape import TensorShape


def shape_from_input(c: InferenceContext, index: int) -> TensorShape:
    """The shape that an input holds; -1 stands for a size that is not known.

    Raises:
      ValueError: if the input is no vector, or has an element below -1.
    """
    with_rank(c.input(index), 1)
    value = c.constant(index)
    if value is not None:
        for size in value.tolist():
            if size < -1:
                raise ValueError(f"Invalid value in tensor used for shape: {size}")
    return c.shape_value(index)


def element_count(shape: TensorShape) -> int | None:
    """The number of elements, which one 0 decides even where other sizes are not known."""
    if shape.sizes is not None and 0 in shape.sizes:
        return 0
    return shape.num_elements()


def known_product(sizes: tuple[int | None, ...]) -> int:
    """The product of the sizes that are known."""
    return math.prod(size for size in sizes if size is not None)


def divide_evenly(size: int, divisor: int) -> int:
    """`size / divisor`; ValueError if there is a remainder."""
    if size % divisor:
        raise ValueError(f"Dimension size must be evenly divisible by {divisor} but is {size}")
    return size // divisor


def shown(value: Any) -> str:
    """The shape of a value as TensorFlow's kernels write it: "[2,3]"."""
    return "[" + ",".join(map(str, np.shape(value))) + "]"


def shown_list(values: Any) -> str:
    """A list of numbers as TensorFlow's kernels write a shape: "[2,3]"."""
    return "[" + ",".join(map(str, values)) + "]"


def one_number(value: Any) -> int:
    """The only element of a value of any shape."""
    return int(np.asarray(value).reshape(-1)[0])
