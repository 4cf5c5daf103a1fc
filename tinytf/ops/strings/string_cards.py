"""What the kernels of strings share: object arrays of bytes, element by element."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.cancellation import looking
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown

NO_DERIVATIVE = "text does not change by small amounts"


def texts(x: Any) -> list[bytes]:
    """The elements of a tensor of strings; whoever works on each goes over `looking(texts(x))`."""
    return np.asarray(x, object).reshape(-1).tolist()


def string_array(values: Iterable[bytes], shape: tuple[int, ...]) -> np.ndarray:
    """A tensor of strings from its elements."""
    values = list(values)
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)


def map_texts(function: Callable[[bytes], bytes], x: Any) -> np.ndarray:
    """A tensor of strings with a function applied to each."""
    return string_array(map(function, looking(texts(x))), np.shape(x))


def only_text(x: Any, what: str) -> bytes:
    """A tensor that has to be a single string.

    Raises:
      InvalidArgumentError: "Pattern must be scalar, but received [2]".
    """
    if np.shape(x) != ():
        raise invalid(f"{what} {shown(x)}")
    return texts(x)[0]


def beside_scalars(c: InferenceContext) -> TensorShape:
    """For shape functions: the shape of the first input; all others are scalars."""
    for scalar in c.shapes()[1:]:
        with_rank(scalar, 0)
    return c.input(0)


def text_card(
    op_type: str, attrs: str = "", output: str = "string", kernel: Callable[..., Any] | None = None
) -> OpCard:
    """A card for an op from a tensor of strings to one of the same shape."""
    return define_op(
        op_type,
        f"input: string -> output: {output}",
        attrs,
        shape=shape_inference.unchanged,
        kernel=kernel,
        no_gradient=NO_DERIVATIVE,
    )
