"""tf.contrib.losses and metrics: those of tf.losses and tf.metrics, predictions first."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

import numpy as np


def _turned(function: Any, fewer: int | None = None) -> Any:
    """With its first two arguments the other way round.

    Weights of 2016 are aligned with the first dimensions of the losses: those of a loss, which have
    `fewer` dimensions than the predictions, are given as many.
    """
    second, first, *others = inspect.signature(function).parameters

    def turned(*arguments: Any, **named: Any) -> Any:
        named.update(zip((first, second, *others), arguments, strict=False))
        if fewer is not None and np.ndim(named.get("weights", 1.0)):
            weights, ndim = named["weights"], len(named[first].shape) - fewer
            named["weights"] = np.reshape(weights, (len(weights),) + (1,) * (ndim - 1))
        return function(**named)

    return turned


def losses(tf: Any) -> Any:
    """Those of tf.losses, with predictions first; the others had the order that they have."""
    elementwise = "absolute_difference cosine_distance log_loss mean_squared_error"
    names = dict.fromkeys([*elementwise.split(), "sigmoid_cross_entropy"], 0)
    names |= {"softmax_cross_entropy": 1, "sparse_softmax_cross_entropy": 1}
    turned = {name: _turned(getattr(tf.losses, name), fewer) for name, fewer in names.items()}

    def hinge_loss(logits: Any, labels: Any) -> Any:
        return tf.nn.relu(1.0 - (2.0 * labels - 1.0) * logits)  # of each, in no collection

    def mean_pairwise_squared_error(predictions: Any, labels: Any, weights: Any = 1.0) -> Any:
        d = predictions - labels
        pairs = tf.square(d[:, :, tf.newaxis] - d[:, tf.newaxis])  # and of each with itself
        loss = tf.reduce_sum(weights * tf.reduce_mean(pairs, [1, 2]))
        tf.losses.add_loss(loss)
        return loss

    def compute_weighted_loss(losses: Any, weights: Any) -> Any:
        weights = np.reshape(weights, np.shape(weights) + (1,) * (len(losses.shape) - 1))
        return tf.losses.compute_weighted_loss(losses, weights)

    own = (hinge_loss, mean_pairwise_squared_error, compute_weighted_loss)
    turned |= {function.__name__: function for function in own}
    return SimpleNamespace(**{**vars(tf.losses), **turned})


def metrics(tf: Any) -> Any:
    """Those of tf.metrics as "streaming", predictions first where there are labels."""
    of_values = {
        "mean": "mean",
        "mean_tensor": "mean_tensor",
        "percentage_less": "percentage_below",
    }
    streaming = {
        f"streaming_{name}": _turned(getattr(tf.metrics, name))
        for name in dir(tf.metrics)
        if name[0] != "_" and name not in of_values.values()
    }
    streaming |= {f"streaming_{old}": getattr(tf.metrics, n) for old, n in of_values.items()}

    def accuracy(predictions: Any, labels: Any, weights: Any = 1.0) -> Any:
        right = tf.cast(tf.equal(predictions, labels), tf.float32)
        return tf.reduce_sum(right * weights) / tf.reduce_sum(tf.ones_like(right) * weights)

    sets = {f"set_{name}": getattr(tf.sets, name) for name in dir(tf.sets) if name[0] != "_"}
    return SimpleNamespace(**streaming, **sets, accuracy=accuracy)
