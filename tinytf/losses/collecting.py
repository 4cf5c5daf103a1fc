"""The losses of a graph: collected as they are built, and summed."""

from __future__ import annotations

from typing import Any

from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.math.arithmetic import add_n


def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Add a loss of one's own to those of the graph (TensorFlow: `tf.losses.add_loss`).

    Args:
      loss: a tensor. loss_collection: which collection to add it to; None for none.

    Example:
      >>> w = tf.get_variable("w", [3])
      >>> tf.losses.add_loss(tf.reduce_mean(tf.abs(w)))
    """
    if loss_collection:
        get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """The losses of the graph (TensorFlow: `tf.losses.get_losses`).

    Args:
      scope: only those whose names begin like that. loss_collection: where they are.

    Example:
      >>> loss = tf.losses.mean_squared_error([1.0, 2.0], [1.5, 4.0])
      >>> tf.losses.get_losses()
      [<tf.Tensor 'mean_squared_error/value:0' shape=() dtype=float32>]
    """
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """What regularizers of variables ask for (TensorFlow: `tf.losses.get_regularization_losses`).

    Args:
      scope: only those whose names begin like that.

    Example:
      >>> w = tf.get_variable("w", [3], regularizer=tf.nn.l2_loss)
      >>> len(tf.losses.get_regularization_losses())  # 1
    """
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """Their sum; 0.0 if there are none (TensorFlow: `tf.losses.get_regularization_loss`).

    Args:
      scope: as of `get_regularization_losses`. name: of the operation.

    Example:
      >>> loss = tf.constant(2.0) + tf.losses.get_regularization_loss()
    """
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else constant(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of the graph's losses (TensorFlow: `tf.losses.get_total_loss`).

    Args:
      add_regularization_losses: whether those of regularizers are in it.
      name: of the operation. scope: only losses whose names begin like that.

    Raises:
      ValueError: if there are none.

    Example:
      >>> w = tf.get_variable("w", initializer=[1.0, 2.0])
      >>> loss = tf.losses.mean_squared_error([1.5, 4.0], w)
      >>> optimizer = tf.train.GradientDescentOptimizer(0.1)
      >>> train_op = optimizer.minimize(tf.losses.get_total_loss())
    """
    losses = get_losses(scope=scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope=scope)
    if not losses:
        where = f"no losses in the scope {scope!r}" if scope else "no losses"
        raise ValueError(
            f"This graph has {where}, and the sum needs one at least: inputs must be an iterable "
            "of at least one tensor. Functions of tf.losses add theirs; add your own with "
            "tf.losses.add_loss(loss)."
        )
    return add_n(losses, name=name)
