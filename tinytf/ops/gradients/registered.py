"""What is known about differentiating each op type: registered gradients, types that have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tinytf.framework import dtypes, registry
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.functions.gradients import gradient_of_call

F = TypeVar("F", bound=Callable[..., Any])

_TRAINABLE = frozenset(
    [
        dtypes.float16,
        dtypes.bfloat16,
        dtypes.float32,
        dtypes.float64,
        dtypes.complex64,
        dtypes.complex128,
        dtypes.resource,
        dtypes.variant,
    ]
)


class RegisterGradient:
    """Registers the gradient of an op type (TensorFlow: `tf.RegisterGradient`).

    The function takes the operation and one gradient for each of its outputs, and returns one
    gradient (or None) for each of its inputs. A name that is no op type is for
    `Graph.gradient_override_map`.

    Args:
      op_type: the op type, or the name to override with.

    Raises:
      KeyError: if there is one registered under this name.

    Example:
      >>> @tf.RegisterGradient("ClippedIdentity")
      ... def _(op, dy):
      ...     return tf.minimum(tf.maximum(dy, -1.0), 1.0)
    """

    def __init__(self, op_type: str):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, function: F) -> F:
        """Register `function`, and return it."""
        registry.gradients.register(self._op_type, function)
        return function


def no_gradient(op_type: str) -> None:
    """Say that an op type is not differentiable (TensorFlow: `tf.NotDifferentiable`, `NoGradient`).

    Gradients stop there: what it depends on counts as unconnected.

    Raises:
      TypeError: if `op_type` is not a string. KeyError: if a gradient is registered already.

    Example:
      >>> tf.NotDifferentiable("MyRoundingOp")
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    registry.gradients.register(op_type, registry.NotDifferentiable("declared by the program"))


def is_trainable(tensor: Tensor) -> bool:
    """Whether a tensor's values can change by small amounts, so that derivatives make sense."""
    return tensor.dtype.base_dtype in _TRAINABLE


def gradient_function(op: Operation) -> Callable[..., Any] | None:
    """The gradient function registered for an operation; None if it is not differentiable.

    Raises:
      LookupError: if nothing is registered for its type.
    """
    if not op.inputs:
        return None
    override = op.attrs.get("_gradient_op_type")
    name = op.type if override is None else override.decode()
    function = registry.gradients.get(name) or gradient_of_call(op)
    if function is None:
        raise LookupError(
            f"No gradient defined for operation '{op.name}' (op type: {op.type}): "
            f"gradient registry has no entry for: {name}\n{op.describe_origin()}\n"
            f"Register one with @tf.RegisterGradient({name!r}), or put tf.stop_gradient around "
            f"what the operation depends on, to treat it as a constant."
        )
    return None if isinstance(function, registry.NotDifferentiable) else function
