"""`tf.keras.activations`."""

from __future__ import annotations

from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.layers import by_name
from tinytf.ops.array.where import where_v2
from tinytf.ops.math.cast import cast
from tinytf.ops.math.clip import clip_by_value
from tinytf.ops.nn import activations as _activations
from tinytf.ops.nn.activations import leaky_relu as _leaky_relu
from tinytf.ops.nn.activations import selu as selu
from tinytf.ops.nn.activations import softsign as softsign
from tinytf.ops.nn.relu import relu as _relu
from tinytf.ops.nn.sigmoid import sigmoid as sigmoid
from tinytf.ops.nn.softmax import softmax as softmax
from tinytf.ops.nn.softplus import softplus as softplus
from tinytf.ops.nn.tanh import tanh as tanh


def linear(x: Any) -> Any:
    """The same (TensorFlow: `tf.keras.activations.linear`).

    Example:
      >>> tf.keras.activations.linear(tf.constant([-1.0, 2.0]))  # [-1., 2.]
    """
    return x


def elu(x: Any, alpha: float = 1.0) -> Any:
    """Negative numbers as alpha (exp(x) - 1) (TensorFlow: `tf.keras.activations.elu`).

    Args:
      x: a tensor. alpha: what it comes close to, far below 0, with a minus.

    Example:
      >>> tf.keras.activations.elu(tf.constant([-1.0, 2.0]), alpha=2.0)  # [-1.2642411, 2.]
    """
    curved = _activations.elu(x)
    return curved if alpha == 1 else where_v2(x > 0, curved, alpha * curved)


def relu(x: Any, alpha: float = 0.0, max_value: Any = None, threshold: float = 0.0) -> Any:
    """The positive part (TensorFlow: `tf.keras.activations.relu`).

    Args:
      alpha: what negative numbers are multiplied by. max_value: the most there is.
      threshold: up to it, numbers count as negative.

    Example:
      >>> tf.keras.activations.relu(tf.constant([-2.0, 3.0, 9.0]), max_value=6.0)  # [0., 3., 6.]
    """
    if alpha and not threshold and max_value is None:
        return _leaky_relu(x, alpha=alpha)
    x = convert_to_tensor(x)
    found = x * cast(x > threshold, x.dtype) if threshold else _relu(x)
    if max_value is not None:
        found = clip_by_value(found, 0.0, max_value)
    return found - alpha * _relu(threshold - x) if alpha else found


def hard_sigmoid(x: Any) -> Any:
    """A sigmoid of straight lines (TensorFlow: `tf.keras.activations.hard_sigmoid`).

    Example:
      >>> tf.keras.activations.hard_sigmoid(tf.constant([-3.0, 0.0, 1.0]))  # [0., 0.5, 0.7]
    """
    return clip_by_value(0.2 * x + 0.5, 0.0, 1.0)


def get(identifier: Any) -> Any:
    """A function, by its name or as it is; None is linear (`tf.keras.activations.get`).

    Args:
      identifier: "relu", for example, a function, or None.

    Raises:
      ValueError: for an unknown name.

    Example:
      >>> tf.keras.activations.get("relu")(tf.constant([-2.0, 3.0]))  # [0., 3.]
    """
    own = {"hard_sigmoid": hard_sigmoid, "elu": elu, "relu": relu}.get(identifier)
    return own or by_name.activation(identifier) or linear
