"""`tf.keras.activations`."""

from __future__ import annotations

from typing import Any

from tinytf.layers import by_name
from tinytf.ops.array.where import where_v2
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
    """The same (TensorFlow: `tf.keras.activations.linear`)."""
    return x


def elu(x: Any, alpha: float = 1.0) -> Any:
    """Negative numbers as alpha (exp(x) - 1) (TensorFlow: `tf.keras.activations.elu`)."""
    curved = _activations.elu(x)
    return curved if alpha == 1 else where_v2(x > 0, curved, alpha * curved)


def relu(x: Any, alpha: float = 0.0, max_value: Any = None, threshold: float = 0.0) -> Any:
    """The positive part (TensorFlow: `tf.keras.activations.relu`).

    Args:
      alpha: what negative numbers are multiplied by. max_value: the most there is.
      threshold: below it, numbers count as negative.
    """
    if threshold:
        found = where_v2(x >= threshold, x, alpha * (x - threshold))
    else:
        found = _leaky_relu(x, alpha=alpha) if alpha else _relu(x)
    return found if max_value is None else clip_by_value(found, found.dtype.min, max_value)


def hard_sigmoid(x: Any) -> Any:
    """A sigmoid of straight lines (TensorFlow: `tf.keras.activations.hard_sigmoid`)."""
    return clip_by_value(0.2 * x + 0.5, 0.0, 1.0)


def get(identifier: Any) -> Any:
    """A function, by its name or as it is; None is linear (`tf.keras.activations.get`)."""
    own = {"hard_sigmoid": hard_sigmoid, "elu": elu, "relu": relu}.get(identifier)
    return own or by_name.activation(identifier) or linear
