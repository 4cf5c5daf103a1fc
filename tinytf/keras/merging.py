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
    """One of all inputs, which broadcast, element by element."""

    pair: Callable[[Any, Any], Any]

    def call(self, inputs: Any) -> Any:
        if not isinstance(inputs, list | tuple) or len(inputs) < 2:
            raise ValueError(
                f"A merge layer should be called on a list of at least 2 inputs. Received: {inputs}"
            )
        return functools.reduce(type(self).pair, inputs)


def _merge(name: str, pair: Callable[[Any, Any], Any], what: str) -> Any:
    body = {"pair": staticmethod(pair), "__module__": __name__}
    return type(name, (_Merge,), {**body, "__doc__": f"{what} (`tf.keras.layers.{name}`)."})


Add: Any = _merge("Add", arithmetic.add, "The sum of the inputs")
Subtract: Any = _merge("Subtract", arithmetic.subtract, "The first input less the second")
Multiply: Any = _merge("Multiply", arithmetic.multiply, "The product of the inputs")
Maximum: Any = _merge("Maximum", arithmetic.maximum, "The largest of the inputs")
Minimum: Any = _merge("Minimum", arithmetic.minimum, "The smallest of the inputs")


class Average(_Merge):
    """The mean of the inputs (TensorFlow: `tf.keras.layers.Average`)."""

    pair = staticmethod(arithmetic.add)

    def call(self, inputs: Any) -> Any:
        return super().call(inputs) / len(inputs)


class Concatenate(Layer):
    """One input behind the other (`tf.keras.layers.Concatenate`); axis: along which."""

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Tensor:
        return backend.concatenate(inputs, self.axis)


def _function(kind: Any) -> Any:
    def called(inputs: Any, **kwargs: Any) -> Any:
        return kind(**kwargs)(inputs)

    called.__doc__ = f"A `tf.keras.layers.{kind.__name__}`, made and called."
    return called


add, subtract, multiply = _function(Add), _function(Subtract), _function(Multiply)
average, maximum, minimum = _function(Average), _function(Maximum), _function(Minimum)


def concatenate(inputs: Any, axis: int = -1, **kwargs: Any) -> Any:
    """A `tf.keras.layers.Concatenate`, made and called."""
    return Concatenate(axis=axis, **kwargs)(inputs)
