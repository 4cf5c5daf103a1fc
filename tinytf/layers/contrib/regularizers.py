"""Losses of weights (TensorFlow: contrib/layers/python/layers/regularizers.py)."""

from __future__ import annotations

import logging
import numbers
from collections.abc import Callable, Iterable
from typing import Any

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.scope_functions import add_to_collection, get_collection
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope

Regularizer = Callable[[Any], Tensor | None]


def l1_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """Scale · Σ|w| of weights w: many of them become 0 (TensorFlow: `l1_regularizer`).

    Args:
      scale: how much the loss counts, as a float or a tensor; 0.0 for no loss.
      scope: of the operations' names.

    Returns:
      a function from weights to a scalar, for `weights_regularizer` and `tf.get_variable`.

    Raises:
      ValueError: for an integer, or a negative number.

    Example:
      >>> tf.contrib.layers.l1_regularizer(0.5)(tf.constant([1.0, -3.0])).eval()  # 2.0
    """
    return _regularizer(scale, scope, "l1_regularizer", lambda w: ops.reduce_sum(ops.absolute(w)))


def l2_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """Scale · Σw² / 2 of weights w: none of them becomes large (TensorFlow: `l2_regularizer`).

    Args:
      scale, scope: as of `l1_regularizer`.

    Raises:
      ValueError: as of `l1_regularizer`.

    Example:
      >>> tf.contrib.layers.l2_regularizer(0.5)(tf.constant([1.0, -3.0])).eval()  # 2.5
    """
    return _regularizer(scale, scope, "l2_regularizer", ops.l2_loss)


def _regularizer(scale: Any, scope: str | None, name: str, size: Any) -> Regularizer:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}. Write {float(scale)}.")
    if isinstance(scale, numbers.Real):
        if scale < 0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}.")
        if scale == 0:
            logging.getLogger("tinytf").info("Scale of 0 disables regularizer.")
            return lambda _: None

    def regularizer(weights: Any) -> Tensor:
        with op_scope(scope, name, (weights,)) as inner:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return ops.multiply(factor, size(weights), name=inner)

    return regularizer


def sum_regularizer(regularizer_list: Iterable[Any], scope: str | None = None) -> Any:
    """The sum of several regularizers; None if all of them are None.

    Args:
      regularizer_list: functions from weights to a loss, or None.
      scope: of the operations' names.

    Example:
      >>> layers = tf.contrib.layers
      >>> both = layers.sum_regularizer([layers.l1_regularizer(1.0), layers.l2_regularizer(2.0)])
      >>> both(tf.constant([1.0, -3.0]))  # 14.0
    """
    regularizers = [one for one in regularizer_list if one is not None]
    if not regularizers:
        return None

    def regularizer(weights: Any) -> Tensor | None:
        with op_scope(scope, "sum_regularizer", (weights,)) as inner:
            losses = [loss for one in regularizers if (loss := one(weights)) is not None]
            return ops.add_n(losses, name=inner) if losses else None

    return regularizer


def l1_l2_regularizer(
    scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None
) -> Regularizer:
    """`l1_regularizer` and `l2_regularizer`, added.

    Args:
      scale_l1, scale_l2, scope: as there.

    Raises:
      ValueError: as there.

    Example:
      >>> tf.contrib.layers.l1_l2_regularizer(0.5, 0.5)(tf.constant([1.0, -3.0])).eval()  # 4.5
    """
    name = scope or "l1_l2_regularizer"
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=name)


def apply_regularization(regularizer: Any, weights_list: Any = None) -> Tensor:
    """The sum of what a regularizer gives for several weights.

    It is also added to the collection `tf.GraphKeys.REGULARIZATION_LOSSES`.

    Args:
      regularizer: a function from weights to a scalar, or None.
      weights_list: the weights; by default those of the collection `tf.GraphKeys.WEIGHTS`.

    Raises:
      ValueError: if there are no weights, or the regularizer gives no scalar.

    Example:
      >>> halves = tf.contrib.layers.l2_regularizer(0.5)
      >>> tf.contrib.layers.apply_regularization(halves, [tf.ones([4]), tf.ones([2])]).eval()  # 1.5
    """
    weights = list(weights_list or get_collection(GraphKeys.WEIGHTS))
    if not weights:
        raise ValueError("No weights to regularize.")
    with op_scope(None, "get_regularization_penalty", weights) as scope:
        losses = [ops.constant(0.0) if (p := regularizer(w)) is None else p for w in weights]
        for loss in losses:
            if loss.shape.ndims != 0:
                raise ValueError(
                    f"regularizer must return a scalar Tensor instead of a Tensor with rank "
                    f"{loss.shape.ndims}."
                )
        total = ops.add_n(losses, name=scope)
    add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total
