"""Optimizers that estimators are given by name."""

from __future__ import annotations

from typing import Any

from tinytf.framework.spelling import did_you_mean
from tinytf.training.adagrad import AdagradOptimizer
from tinytf.training.adam import AdamOptimizer
from tinytf.training.ftrl import FtrlOptimizer
from tinytf.training.gradient_descent import GradientDescentOptimizer
from tinytf.training.optimizer import Optimizer
from tinytf.training.rmsprop import RMSPropOptimizer

_BY_NAME = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}


def optimizer_of(given: Any, learning_rate: float) -> Optimizer:
    """An optimizer: by its name with this learning rate, itself, or what a function returns.

    Raises:
      ValueError: for another name, or what is no optimizer.
    """
    if isinstance(given, str):
        if given not in _BY_NAME:
            raise ValueError(
                f"Unsupported optimizer name: {given}. Supported names are: "
                f"{tuple(sorted(_BY_NAME))}{did_you_mean(given, _BY_NAME)}"
            )
        return _BY_NAME[given](learning_rate=learning_rate)
    if callable(given):
        given = given()
    if not isinstance(given, Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {given}")
    return given
