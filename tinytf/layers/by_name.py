"""Functions that layers can be given by name, as TensorFlow 1.15's layers can."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from tinytf.ops.math.exp_log import exp
from tinytf.ops.nn.activations import elu, selu, softsign
from tinytf.ops.nn.relu import relu
from tinytf.ops.nn.sigmoid import sigmoid
from tinytf.ops.nn.softmax import softmax
from tinytf.ops.nn.softplus import softplus
from tinytf.ops.nn.tanh import tanh
from tinytf.ops.variables import initializers
from tinytf.ops.variables.matrix_initializers import Identity, Orthogonal

_ACTIVATIONS: dict[str, Callable[..., Any] | None] = {
    "elu": elu,
    "exponential": exp,
    "linear": None,
    "relu": relu,
    "selu": selu,
    "sigmoid": sigmoid,
    "softmax": softmax,
    "softplus": softplus,
    "softsign": softsign,
    "tanh": tanh,
}
_INITIALIZERS: dict[str, Callable[[], Any]] = {
    "glorot_normal": initializers.GlorotNormal,
    "glorot_uniform": initializers.GlorotUniform,
    "he_normal": initializers.he_normal,
    "he_uniform": initializers.he_uniform,
    "identity": Identity,
    "lecun_normal": initializers.lecun_normal,
    "lecun_uniform": initializers.lecun_uniform,
    "ones": initializers.Ones,
    "orthogonal": Orthogonal,
    "random_normal": initializers.RandomNormal,
    "random_uniform": initializers.RandomUniform,
    "truncated_normal": initializers.TruncatedNormal,
    "zeros": initializers.Zeros,
}


def activation(function: Any) -> Callable[[Any], Any] | None:
    """An activation function; None for none.

    Args:
      function: one, its name, or None.

    Raises:
      ValueError: for a name that none has. TypeError: for what cannot be called.
    """
    if isinstance(function, str):
        return found(_ACTIVATIONS, function, "activation function")
    if function is None or callable(function):
        return function
    raise TypeError(
        f"Could not interpret activation function identifier: {function!r}. Give a function, such "
        "as tf.nn.relu, its name, or None."
    )


def initializer(given: Any) -> Any:
    """An initializer, if it was given by name; else what was given.

    Raises:
      ValueError: for a name that none has.
    """
    if isinstance(given, str):
        return found(_INITIALIZERS, given, "initializer")()
    return given


def found(table: dict[str, Any], name: str, what: str) -> Any:
    """What a table has by this name.

    Raises:
      ValueError: if it has none: "Unknown", what it is, and which there are.
    """
    if name not in table:
        near = difflib.get_close_matches(name, table, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else f" There are: {', '.join(table)}."
        raise ValueError(f"Unknown {what}: {name!r}.{hint}")
    return table[name]
