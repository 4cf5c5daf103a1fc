"""What a step is fed with: placeholder, placeholder_with_default."""

from __future__ import annotations

from typing import Any

from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape, unknown_shape
from tinytf.ops.base.arguments import explains_arguments

# Placeholder --------------------------------------------------------------------------------------

_placeholder = define_op(
    "Placeholder",
    "-> output: dtype",
    "dtype: type, shape: shape = { unknown_rank: true }",
    no_gradient="a placeholder is an input of the graph",
)


#: The last graphs that wrote {} for an unknown shape as well as for that of a scalar.
_LAST_VAGUE_PRODUCER = 21


@_placeholder.shape
def _placeholder_shape(c: InferenceContext) -> TensorShape:
    shape = c.attrs["shape"]
    if c.producer <= _LAST_VAGUE_PRODUCER and shape.ndims == 0:
        return unknown_shape()
    return shape


@_placeholder.kernel
def _placeholder_kernel(*, node: Any) -> Any:
    kind = node.attrs["dtype"]
    raise InvalidArgumentError(
        f"You must feed a value for placeholder tensor '{node.name}' with dtype {kind.name} and "
        f"shape {node.outputs[0].shape}: add it, or its name {node.outputs[0].name!r}, to the "
        f"feed_dict of this run."
    )


@explains_arguments
def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor whose value every run must feed (TensorFlow: `tf.placeholder`).

    Args:
      dtype: the element type. shape: what fed values must fit; None for any shape.
      name: of the operation.

    Example:
      >>> x = tf.placeholder(tf.float32, [None, 3])
    """
    return _placeholder(name=name, dtype=dtype, shape=as_shape(shape))


# PlaceholderWithDefault ---------------------------------------------------------------------------

_placeholder_with_default = define_op(
    "PlaceholderWithDefault", "input: dtype -> output: dtype", "dtype: type, shape: shape"
)


@_placeholder_with_default.shape
def _default_shape(c: InferenceContext) -> TensorShape:
    try:
        c.input(0).merge_with(c.attrs["shape"])
    except ValueError as error:
        raise ValueError(f"The default value does not fit: {error}") from None
    return c.attrs["shape"]


@_placeholder_with_default.kernel
def _pass_on(value: Any) -> Any:
    return value


@_placeholder_with_default.gradient
def _placeholder_with_default_gradient(op: Any, gradient: Tensor) -> Tensor:
    return gradient


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor that may be fed, and is `input` otherwise.

    Args:
      input: the default value. shape: what the value, fed or not, must fit. name: of the operation.

    Example:
      >>> rate = tf.placeholder_with_default(0.5, [])
      >>> sess.run(rate * 2.0), sess.run(rate * 2.0, {rate: 3.0})  # (1., 6.)
    """
    return _placeholder_with_default(
        input, name=name, shape=as_shape(shape) if shape is not None else unknown_shape()
    )
