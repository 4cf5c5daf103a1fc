"""Losses made of elementwise ops, and zero_fraction."""

from __future__ import annotations

import math
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.where import where
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.math.arithmetic import add
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import not_equal
from tinytf.ops.math.exp_log import exp, log, log1p
from tinytf.ops.math.logical import logical_and
from tinytf.ops.math.sign import absolute
from tinytf.ops.nn.relu import relu
from tinytf.ops.reduce.reduction import reduce_sum


def _check_same_shape(first: str, a: Tensor, second: str, b: Tensor) -> None:
    if not b.shape.is_compatible_with(a.shape):
        raise ValueError(
            f"`{first}` and `{second}` must have the same shape, received ({a.shape} vs {b.shape})."
        )


def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Any:
    """How unlikely counts are where so many are expected (TensorFlow: `tf.nn.log_poisson_loss`).

    Args:
      targets: the counts.
      log_input: the logarithms of the expected counts, of the same shape and dtype.
      compute_full_loss: whether to add (an approximation of) log(targets!), which does not depend
        on `log_input`.
      name: of the operation.

    Raises:
      ValueError: if the shapes differ.

    Example:
      >>> tf.nn.log_poisson_loss([1.0, 2.0], [0.0, 0.0])  # [1., 1.]
    """
    with op_scope(name, "log_poisson_loss", (log_input, targets)):
        log_input = convert_to_tensor(log_input, name="log_input")
        targets = convert_to_tensor(targets, name="targets")
        _check_same_shape("log_input", log_input, "targets", targets)
        expected: Any = exp(log_input)
        result = expected - log_input * targets
        if compute_full_loss:
            half = constant(0.5, dtype=targets.dtype)
            two_pi = constant(2 * math.pi, dtype=targets.dtype)
            stirling = targets * log(targets) - targets + half * log(two_pi * targets)  # type: ignore[operator]
            zeros = ops.zeros_like(targets, dtype=targets.dtype)
            ones = ops.ones_like(targets, dtype=targets.dtype)
            is_small = logical_and(targets >= zeros, targets <= ones)
            result += where(is_small, zeros, stirling)
        return result


def weighted_cross_entropy_with_logits(
    labels: Any = None,
    logits: Any = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Tensor:
    """sigmoid_cross_entropy_with_logits, where missing a 1 costs more (or less) than a 0.

    TensorFlow: `tf.nn.weighted_cross_entropy_with_logits`.

    Args:
      labels: numbers from 0 to 1. targets: its older name.
      logits: of the same shape and dtype.
      pos_weight: what the loss of labels 1 is multiplied by.
      name: of the operation.

    Raises:
      ValueError: if the shapes differ.

    Example:
      >>> tf.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0], 2.0)
      ... # [1.3862944, 0.6931472]
    """
    labels = ops.deprecated_lookup("labels", labels, "targets", targets)
    with op_scope(name, "logistic_loss", (logits, labels)) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _check_same_shape("logits", logits, "labels", labels)
        weight = 1 + (pos_weight - 1) * labels
        smooth: Any = log1p(exp(-absolute(logits)))  # type: ignore[operator]
        return add((1 - labels) * logits, weight * (smooth + relu(-logits)), name=scope)


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of zeros, after a relu for example (TensorFlow: `tf.nn.zero_fraction`).

    Args:
      value: numbers of any shape.
      name: of the operation.

    Example:
      >>> tf.nn.zero_fraction([0.0, 1.0, 0.0, 2.0])  # 0.5
    """
    with op_scope(name, "zero_fraction", (value,)):
        value = convert_to_tensor(value, name="value")
        size: Any = ops.size(value, out_type=dtypes.int64)
        others = cond(
            size <= dtypes.int32.max,
            true_fn=lambda: cast(_others(value, dtypes.int32), dtype=dtypes.int64),
            false_fn=lambda: _others(value, dtypes.int64),
        )
        with op_scope(None, "counts_to_fraction"):
            zeros: Any = cast(size - others, dtype=dtypes.float32)
            fraction = zeros / cast(size, dtype=dtypes.float32)
        return ops.identity(fraction, "fraction")


def _others(value: Tensor, dtype: dtypes.DType) -> Tensor:
    """How many are not zero; counting in int32 is faster, where that is wide enough."""
    with op_scope(None, "count_nonzero", (value,)):
        zero = ops.zeros([], dtype=value.dtype)
        counted = cast(not_equal(value, zero), dtype=dtype)
        return reduce_sum(counted, name="nonzero_count")
