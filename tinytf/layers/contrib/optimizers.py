"""A training step in one call (TensorFlow: contrib/layers' optimizers.py, contrib/training)."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import float32
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.scope_functions import control_dependencies, get_collection
from tinytf.framework.tensor import Tensor
from tinytf.ops.summary.summaries import histogram, scalar
from tinytf.ops.variables.initializers import Constant
from tinytf.ops.variables.scope import get_variable, variable_scope
from tinytf.ops.variables.variable import trainable_variables
from tinytf.training.adagrad import AdagradOptimizer
from tinytf.training.adam import AdamOptimizer
from tinytf.training.ftrl import FtrlOptimizer
from tinytf.training.global_step import get_global_step, get_or_create_global_step
from tinytf.training.gradient_descent import GradientDescentOptimizer
from tinytf.training.momentum import MomentumOptimizer
from tinytf.training.optimizer import Optimizer
from tinytf.training.rmsprop import RMSPropOptimizer

#: Optimizers by name.
OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Optimizer]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}
#: What `optimize_loss` can summarise.
OPTIMIZER_SUMMARIES = [
    "learning_rate",
    "loss",
    "gradients",
    "gradient_norm",
    "global_gradient_norm",
]
_DEFAULT_SUMMARIES = ["learning_rate", "loss", "global_gradient_norm"]


def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: Mapping[Any, Any] | None = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Callable[[Any, Any], Any] | None = None,
    update_ops: Iterable[Any] | None = None,
    variables: Iterable[Any] | None = None,
    name: str | None = None,
    summaries: Iterable[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Tensor:
    """A training step, and the loss that it gives (TensorFlow: `contrib.layers.optimize_loss`).

    Args:
      loss: a scalar. global_step: a variable; None for the graph's.
      learning_rate: a number, a tensor; None for an optimizer that has its own.
      optimizer: "SGD", "Adam", "Adagrad", "Momentum", "Ftrl" or "RMSProp"; an optimizer, its class,
        or a function of the learning rate that gives one.
      gradient_noise_scale: the deviation of noise that is added, times the learning rate.
      gradient_multipliers: variable, or its name, "a/weights:0" -> factor of its gradient.
      clip_gradients: their norm's greatest value, or a function of gradients and variables.
      learning_rate_decay_fn: a function of the learning rate and the global step.
      update_ops: what runs before the loss; by default the collection UPDATE_OPS.
      variables: what is trained. name: of the scope, by default "OptimizeLoss".
      summaries: some of `OPTIMIZER_SUMMARIES`.
      colocate_gradients_with_ops: as of `tf.gradients`.
      increment_global_step: whether the step adds 1 to it.

    Returns:
      the loss, of before the step: to fetch it is to do the step.

    Raises:
      ValueError: for a global step, a rate, an optimizer or a summary that there is not.

    Example:
      >>> w = tf.get_variable("w", initializer=4.0)
      >>> step = tf.train.create_global_step()
      >>> train = tf.contrib.layers.optimize_loss(w * w, step, 0.25, "SGD")
      >>> sess.run(tf.global_variables_initializer())
      >>> float(sess.run(train)), float(sess.run(w))
      (16.0, 2.0)
    """
    loss = convert_to_tensor(loss)
    if loss.shape.ndims not in (0, None):
        raise ValueError(f"Shape of loss must be a scalar, not {loss.shape}: tf.reduce_mean(loss).")
    step = get_global_step() if global_step is None else global_step
    with variable_scope(name, "OptimizeLoss", [loss, step]):
        updates = get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
        if updates := list(updates):
            with control_dependencies(updates):
                loss = ops.identity(loss)
        wanted = _checked(summaries)
        rate = _rate(learning_rate, learning_rate_decay_fn, step, wanted)
        made = _optimizer(optimizer, rate)
        trained = list(trainable_variables() if variables is None else variables)
        pairs = made.compute_gradients(
            loss, trained, colocate_gradients_with_ops=colocate_gradients_with_ops
        )
        if gradient_noise_scale is not None:
            pairs = [(_noisy(grad, gradient_noise_scale), var) for grad, var in pairs]
        if gradient_multipliers is not None:
            pairs = _multiplied(pairs, gradient_multipliers, lambda var: var.name)
        norms = {"global_gradient_norm", "gradient_norm"} & set(wanted)
        if norms:
            scalar("global_norm/gradient_norm", _norm(pairs))
        pairs = _clipped(pairs, clip_gradients)
        if "loss" in wanted:
            scalar("loss", loss)
        _summarize(pairs, wanted)
        if norms and clip_gradients is not None:
            scalar("global_norm/clipped_gradient_norm", _norm(pairs))
        counted = step if increment_global_step else None
        applied = made.apply_gradients(pairs, global_step=counted, name="train")
        with control_dependencies([applied]):
            return ops.identity(loss)


def _checked(summaries: Iterable[str] | None) -> list[str]:
    wanted = _DEFAULT_SUMMARIES if summaries is None else list(summaries)
    for one in wanted:
        if one not in OPTIMIZER_SUMMARIES:
            raise ValueError(
                f"Summaries should be one of {OPTIMIZER_SUMMARIES}, you provided {one}."
            )
    return wanted


def _rate(given: Any, decay: Any, step: Any, summaries: list[str]) -> Any:
    """The learning rate as a tensor; a number becomes a variable, as there."""
    if given is None:
        return None
    if isinstance(given, float | int) and not isinstance(given, bool):
        if given < 0:
            raise ValueError(f"Invalid learning_rate {given}.")
        rate: Any = get_variable(
            "learning_rate", [], trainable=False, initializer=Constant(float(given))
        )
    elif isinstance(given, Tensor) and given.shape.ndims == 0:
        rate = given
    else:
        raise ValueError(
            "Learning rate should be 0d Tensor or float. "
            f"Got {given} of type {type(given).__name__}"
        )
    if decay is not None:
        if step is None:
            raise ValueError("global_step is required for learning_rate_decay_fn.")
        rate = decay(rate, step)
        if "learning_rate" in summaries:
            scalar("learning_rate", rate)
    return rate


def _optimizer(given: Any, rate: Any) -> Any:
    if isinstance(given, str):
        if given not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], "
                f"you provided {given}."
            )
        given = OPTIMIZER_CLS_NAMES[given]
    if isinstance(given, Optimizer):
        return given
    if rate is None and isinstance(given, type):
        raise ValueError("Learning rate must be specified for an optimizer that is made here.")
    made = given(*([] if rate is None else [rate])) if callable(given) else None
    if not isinstance(made, Optimizer):
        raise ValueError(
            f"Unrecognized optimizer: should be string, subclass of Optimizer, instance of "
            f"subclass of Optimizer or function with one argument. Got {given}."
        )
    return made


def _values(gradient: Any) -> Any:
    return gradient.values if isinstance(gradient, IndexedSlices) else gradient


def _with_values(gradient: Any, change: Callable[[Any], Any]) -> Any:
    """A gradient with its values changed; None stays None."""
    if gradient is None or not isinstance(gradient, IndexedSlices):
        return None if gradient is None else change(gradient)
    return IndexedSlices(change(gradient.values), gradient.indices, gradient.dense_shape)


def _noisy(gradient: Any, scale: float) -> Any:
    return _with_values(
        gradient, lambda g: ops.add(g, ops.scalar_mul(scale, ops.truncated_normal(ops.shape(g))))
    )


def _norm(pairs: Any) -> Tensor:
    return ops.global_norm([grad for grad, _ in pairs])


def _clipped(pairs: Any, how: Any) -> Any:
    if how is None:
        return pairs
    if callable(how):
        return how(pairs)
    if not isinstance(how, float | int):
        raise ValueError(f"Unknown type {type(how)} for clip_gradients")
    clipped, _ = ops.clip_by_global_norm([grad for grad, _ in pairs], float(how))
    return list(zip(clipped, [var for _, var in pairs], strict=True))


def _summarize(pairs: Any, wanted: list[str]) -> None:
    for grad, var in pairs:
        if grad is None:
            continue
        name = var.name.replace(":", "_")
        if "gradients" in wanted:
            histogram(f"gradients/{name}", _values(grad))
        if "gradient_norm" in wanted:
            scalar(f"gradient_norm/{name}", ops.global_norm([_values(grad)]))


def multiply_gradients(pairs: Iterable[Any], multipliers: Mapping[Any, Any]) -> list[Any]:
    """Gradients, some of them multiplied (TensorFlow: `tf.contrib.training.multiply_gradients`).

    Args:
      pairs: gradients and variables. multipliers: variable, or its operation's name -> factor.

    Raises:
      ValueError: without multipliers, or for a variable without a gradient.

    Example:
      >>> w = tf.get_variable("w", initializer=4.0)
      >>> pairs = [(tf.constant(3.0), w)]
      >>> tf.contrib.training.multiply_gradients(pairs, {"w": 0.5})[0][0]  # 1.5
    """
    if not multipliers:
        raise ValueError("gradient_multipliers is empty.")
    pairs = list(pairs)
    for grad, var in pairs:
        if grad is None and (var in multipliers or var.op.name in multipliers):
            raise ValueError(f"Requested multiple of `None` gradient of {var.op.name}.")
    return _multiplied(pairs, multipliers, lambda var: var.op.name)


def _multiplied(pairs: Any, multipliers: Mapping[Any, Any], name_of: Any) -> list[Any]:
    found = []
    for grad, var in pairs:
        factor = multipliers.get(var, multipliers.get(name_of(var)))
        if factor is not None:
            times = functools.partial(ops.multiply, convert_to_tensor(factor, dtype=float32))
            grad = _with_values(grad, times)
        found.append((grad, var))
    return found


def clip_gradient_norms(gradients_to_variables: Iterable[Any], max_norm: Any) -> list[Any]:
    """Each gradient clipped by its own norm (TensorFlow: `tf.contrib.training`).

    Args:
      gradients_to_variables: pairs, as `compute_gradients` gives. max_norm: the greatest norm.

    Example:
      >>> w = tf.get_variable("w", [2])
      >>> pairs = [(tf.constant([3.0, 4.0]), w)]
      >>> tf.contrib.training.clip_gradient_norms(pairs, max_norm=1.0)[0][0]  # [0.6, 0.8]
    """
    return [
        (_with_values(grad, lambda g: ops.clip_by_norm(g, max_norm)), var)
        for grad, var in gradients_to_variables
    ]


def clip_gradient_norms_fn(max_norm: Any) -> Callable[[Any], list[Any]]:
    """A function that does `clip_gradient_norms`, for `create_train_op`.

    Args:
      max_norm: the greatest norm.

    Example:
      >>> w = tf.get_variable("w", initializer=4.0)
      >>> sgd = tf.train.GradientDescentOptimizer(1.0)
      >>> clip = tf.contrib.training.clip_gradient_norms_fn(max_norm=0.5)
      >>> train = tf.contrib.training.create_train_op(w * w, sgd, transform_grads_fn=clip)
      >>> sess.run(tf.global_variables_initializer())
      >>> float(sess.run(train)), float(sess.run(w))
      (16.0, 3.5)
    """
    return lambda pairs: clip_gradient_norms(pairs, max_norm)


def add_gradients_summaries(grads_and_vars: Iterable[Any]) -> list[Tensor]:
    """Histograms and norms of gradients (TensorFlow: `tf.contrib.training`).

    Args:
      grads_and_vars: pairs, as `compute_gradients` gives.

    Example:
      >>> w = tf.get_variable("w", initializer=4.0)
      >>> made = tf.contrib.training.add_gradients_summaries([(tf.constant(3.0), w)])
      >>> [one.op.name for one in made]
      ['w_gradient', 'w_gradient_norm']
    """
    made = []
    for grad, var in grads_and_vars:
        if grad is None:
            logging.getLogger("tinytf").info("Var %s has no gradient", var.op.name)
            continue
        made.append(histogram(f"{var.op.name}_gradient", _values(grad)))
        made.append(scalar(f"{var.op.name}_gradient_norm", ops.global_norm([_values(grad)])))
    return made


#: Stands for the graph's own global step; None means none.
_OF_THE_GRAPH = object()


def create_train_op(
    total_loss: Any,
    optimizer: Optimizer,
    global_step: Any = _OF_THE_GRAPH,
    update_ops: Iterable[Any] | None = None,
    variables_to_train: Iterable[Any] | None = None,
    transform_grads_fn: Callable[[Any], Any] | None = None,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Tensor:
    """A training step whose value is the loss (TensorFlow: `tf.contrib.training.create_train_op`).

    Args:
      total_loss: a scalar. global_step: a variable; by default the graph's, None for none.
      update_ops: what runs before; by default the collection UPDATE_OPS.
      variables_to_train: by default all that are trained.
      transform_grads_fn: a function from pairs of gradients and variables to such pairs.
      summarize_gradients: whether to add summaries. check_numerics: whether NaN is an error.
      gate_gradients, aggregation_method, colocate_gradients_with_ops: as of `compute_gradients`.

    Example:
      >>> w = tf.get_variable("w", initializer=4.0)
      >>> sgd = tf.train.GradientDescentOptimizer(0.25)
      >>> train = tf.contrib.training.create_train_op(w * w, sgd)
      >>> sess.run(tf.global_variables_initializer())
      >>> float(sess.run(train)), float(sess.run(w))
      (16.0, 2.0)
    """
    if global_step is _OF_THE_GRAPH:
        global_step = get_or_create_global_step()
    before = list(get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops)
    if before:
        with control_dependencies([ops.group(*before, name="update_barrier")]):
            total_loss = ops.identity(total_loss)
    variables = list(trainable_variables() if variables_to_train is None else variables_to_train)
    pairs = optimizer.compute_gradients(
        total_loss,
        variables,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn:
        pairs = transform_grads_fn(pairs)
    if summarize_gradients:
        add_gradients_summaries(pairs)
    applied = optimizer.apply_gradients(pairs, global_step=global_step)
    if check_numerics:
        total_loss = ops.check_numerics(total_loss, "LossTensor is inf or nan")
    with control_dependencies([applied]):
        return ops.identity(total_loss, name="train_op")
