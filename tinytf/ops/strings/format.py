"""Tensors put into a text: strings.format."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.logging.tensor_text import ends_of_dimensions

_string_format = define_op(
    "StringFormat",
    "inputs: T -> output: string",
    "T: list(type) >= 0, template: string = '%s', placeholder: string = '%s', summarize: int = 3",
    no_gradient="text does not change by small amounts",
)


@_string_format.shape
def _string_format_shape(c: InferenceContext) -> TensorShape:
    wanted = c.attrs["template"].count(c.attrs["placeholder"])
    if wanted != len(c.inputs):
        raise ValueError(
            f"num placeholders in template and num inputs must match: {wanted} vs. {len(c.inputs)}"
        )
    return TensorShape.of(())


@_string_format.kernel
def _string_format_kernel(
    *inputs: Any, template: bytes, placeholder: bytes, summarize: int
) -> np.ndarray:
    parts = template.split(placeholder)
    texts = [ends_of_dimensions(value, summarize).encode() for value in inputs]
    joined = b"".join(part + text for part, text in zip(parts, [*texts, b""], strict=True))
    return np.array(joined, object)


def string_format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """Text with the values of tensors in it (TensorFlow: `tf.strings.format`).

    Args:
      template: the text, with `placeholder` where a value belongs.
      inputs: a tensor, or a list of them.
      summarize: how many elements to show at both ends of each dimension; negative for all.
      name: of the operation.

    Raises:
      ValueError: unless there are as many placeholders as tensors.

    Example:
      >>> x = tf.constant([1.0, 4.0])
      >>> tf.strings.format("mean {}, max {}", [tf.reduce_mean(x), tf.reduce_max(x)])
    """
    tensors = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    wanted = template.count(placeholder)
    if wanted != len(tensors):
        raise ValueError(
            f"The template expects {wanted} tensors, but the inputs only has {len(tensors)}. "
            f"Please ensure the number of placeholders in template matches inputs length."
        )
    return _string_format(
        tensors, name=name, template=template, placeholder=placeholder, summarize=summarize
    )
