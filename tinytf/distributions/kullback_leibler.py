"""`tf.distributions.kl_divergence`: how far distributions are from each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tinytf import ops
from tinytf.framework.scope_functions import control_dependencies, name_scope
from tinytf.framework.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])

_divergences: dict[tuple[type, type], Callable[..., Any]] = {}


class RegisterKL:
    """Says how a divergence is computed (TensorFlow: `tf.distributions.RegisterKL`).

    Args:
      dist_cls_a, dist_cls_b: the classes, in this order.

    Raises:
      ValueError: used for a function, if there is one for these classes. TypeError: for what is no
      function.

    Example:
      >>> class Mine(tf.distributions.Normal):
      ...     pass
      >>> @tf.distributions.RegisterKL(Mine, Mine)
      ... def distance(a, b, name=None):
      ...     return tf.abs(a.loc - b.loc)
      >>> tf.distributions.kl_divergence(Mine(0.0, 1.0), Mine(3.0, 1.0))  # 3.0
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type):
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn: F) -> F:
        """Register `kl_fn(a, b, name=None)`, and return it."""
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _divergences:
            a, b = (kind.__name__ for kind in self._key)
            raise ValueError(
                f"KL({a} || {b}) has already been registered to: {_divergences[self._key]}"
            )
        _divergences[self._key] = kl_fn
        return kl_fn


def kl_divergence(
    distribution_a: Any,
    distribution_b: Any,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> Tensor:
    """How much b lacks to be a, in nats (TensorFlow: `tf.distributions.kl_divergence`).

    Args:
      distribution_a, distribution_b: two distributions.
      allow_nan_stats: whether the result may be NaN, or that is an error.

    Returns:
      KL(a || b): the mean under a of log(a/b), for each of the batch.

    Raises:
      NotImplementedError: if nothing is registered for their classes, or those they derive from.

    Example:
      >>> a, b = tf.distributions.Normal(0.0, 1.0), tf.distributions.Normal(1.0, 1.0)
      >>> tf.distributions.kl_divergence(a, b)  # 0.5
    """
    kinds = type(distribution_a), type(distribution_b)
    found = [
        (i + j, _divergences[a, b])
        for i, a in enumerate(kinds[0].__mro__)
        for j, b in enumerate(kinds[1].__mro__)
        if (a, b) in _divergences
    ]
    if not found:
        raise NotImplementedError(
            f"No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{kinds[0].__name__} and distribution_b type {kinds[1].__name__}"
        )
    function = min(found, key=lambda one: one[0])[1]
    with name_scope("KullbackLeibler"):
        result: Tensor = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return result
        result = ops.identity(result, name="kl")
        text = (
            f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN "
            f"values (and was called with allow_nan_stats=False). Values:"
        )
        check = ops.Assert(ops.logical_not(ops.reduce_any(ops.is_nan(result))), [text, result])
        with control_dependencies([check]):
            return ops.identity(result, name="checked_kl")


def cross_entropy(
    ref: Any, other: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Tensor:
    """The entropy of `ref`, and its divergence from `other`."""
    with name_scope(name, "cross_entropy"):
        result: Tensor = ref.entropy() + kl_divergence(ref, other, allow_nan_stats)
        return result
