"""Layers of several inputs: sums, products, one behind the other."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tinytf.framework.tensor import Tensor
from tinytf.keras import backend
from tinytf.keras.base_layer import Layer
from tinytf.ops.math import arithmetic


class _Merge(Layer):
    """{what} of the inputs, which broadcast, element by element (`tf.keras.layers.{name}`).

    Raises:
      ValueError: when called with one input only.

    Example:
      >>> a, b = tf.constant([[5.0, 2.0]]), tf.constant([[3.0, 4.0]])
      >>> tf.keras.layers.{name}()([a, b])  # {value}
    """

    pair: Callable[[Any, Any], Any]

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, list | tuple) or len(inputs) < 2:
            raise ValueError(
                f"A merge layer should be called on a list of at least 2 inputs. Received: {inputs}"
            )
        return functools.reduce(type(self).pair, inputs)


def _merge(name: str, pair: Callable[[Any, Any], Any], what: str, value: str) -> Any:
    text = (_Merge.__doc__ or "").format(what=what, name=name, value=value)
    body = {"pair": staticmethod(pair), "__module__": __name__, "__doc__": text}
    return type(name, (_Merge,), body)


Add: Any = _merge("Add", arithmetic.add, "The sum", "[[8.0, 6.0]]")
Subtract: Any = _merge("Subtract", arithmetic.subtract, "The difference", "[[2.0, -2.0]]")
Multiply: Any = _merge("Multiply", arithmetic.multiply, "The product", "[[15.0, 8.0]]")
Maximum: Any = _merge("Maximum", arithmetic.maximum, "The largest", "[[5.0, 4.0]]")
Minimum: Any = _merge("Minimum", arithmetic.minimum, "The smallest", "[[3.0, 2.0]]")


class Average(_Merge):
    """The mean of the inputs (TensorFlow: `tf.keras.layers.Average`).

    Example:
      >>> a, b = tf.constant([[5.0, 2.0]]), tf.constant([[3.0, 4.0]])
      >>> tf.keras.layers.Average()([a, b])  # [[4.0, 3.0]]
    """

    pair = staticmethod(arithmetic.add)

    def call(self, inputs: Any) -> Any:
        return super().call(inputs) / len(inputs)


class Concatenate(Layer):
    """One input behind the other (`tf.keras.layers.Concatenate`); axis: along which.

    Example:
      >>> a, b = tf.constant([[5.0, 2.0]]), tf.constant([[3.0]])
      >>> tf.keras.layers.Concatenate()([a, b])  # [[5.0, 2.0, 3.0]]
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Tensor:
        return backend.concatenate(inputs, self.axis)


def _function(kind: Any) -> Any:
    def called(inputs: Any, **kwargs: Any) -> Any:
        return kind(**kwargs)(inputs)

    called.__doc__ = (kind.__doc__ or "").replace(f"{kind.__name__}()", kind.__name__.lower())
    return called


add, subtract, multiply = _function(Add), _function(Subtract), _function(Multiply)
average, maximum, minimum = _function(Average), _function(Maximum), _function(Minimum)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """A `tf.keras.layers.Concatenate`, made and called.

    Args:
      inputs: several tensors. axis: along which. kwargs: `name`, for example.

    Example:
      >>> a, b = tf.constant([[5.0, 2.0]]), tf.constant([[3.0]])
      >>> tf.keras.layers.concatenate([a, b])  # [[5.0, 2.0, 3.0]]
    """
    return Concatenate(axis=axis, **kwargs)(inputs)
