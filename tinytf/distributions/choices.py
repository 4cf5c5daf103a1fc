"""Distributions of yes or no, and of a class among several."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.distributions.distribution import NOT_REPARAMETERIZED, Distribution
from tinytf.distributions.kullback_leibler import RegisterKL
from tinytf.distributions.util import checked_counts, logits_and_probs, parameter
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape


class _Choice(Distribution):
    """What the two share: logits or probabilities."""

    logits = parameter("logits", "The unscaled logarithms of the probabilities.")
    probs = parameter("probs", "The probabilities.")

    def __init__(self, given: dict[str, Any], multidimensional: bool) -> None:
        values, validate = (given["logits"], given["probs"]), given["validate_args"]
        with name_scope(given["name"], values=list(values)) as scope:
            pair = logits_and_probs(*values, scope, validate, multidimensional)
        self._logits, self._probs = pair
        super().__init__(
            dtypes.as_dtype(given["dtype"]),
            NOT_REPARAMETERIZED,
            validate,
            given["allow_nan_stats"],
            given,
            list(pair),
            scope,
        )

    def _event_shape(self) -> TensorShape:
        return TensorShape([])


class Bernoulli(_Choice):
    """1 or 0 (TensorFlow: `tf.distributions.Bernoulli`).

    Args:
      logits: log(p / (1 - p)), or else probs: p, the probability of 1.
      dtype: of samples.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Raises:
      ValueError: if both logits and probabilities are given, or none. TypeError: for integers.

    Example:
      >>> tf.distributions.Bernoulli(probs=[0.5, 0.9]).mode()  # [0, 1]
    """

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        _Choice.__init__(self, locals(), multidimensional=False)

    def _batch_shape_tensor(self) -> Tensor:
        return ops.shape(self.logits)

    def _batch_shape(self) -> TensorShape:
        static: TensorShape = self.logits.shape
        return static

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        wanted = ops.concat([[n], self.batch_shape_tensor()], 0)
        drawn = ops.random_uniform(wanted, seed=seed, dtype=self.probs.dtype)
        return ops.cast(ops.less(drawn, self.probs), self.dtype)

    def _log_prob(self, event: Any) -> Tensor:
        event = checked_counts(event, at_most=1) if self.validate_args else event
        event = ops.cast(event, self.logits.dtype)
        logits = ops.ones_like(event) * self.logits
        return -ops.sigmoid_cross_entropy_with_logits(
            labels=ops.ones_like(logits) * event, logits=logits
        )

    def _entropy(self) -> Any:
        return -self.logits * (ops.sigmoid(self.logits) - 1.0) + ops.softplus(-self.logits)

    def _mean(self) -> Tensor:
        return ops.identity(self.probs)

    def _variance(self) -> Any:
        return self.probs * (1.0 - self.probs)

    def _mode(self) -> Tensor:
        return ops.cast(self.probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Any:
    with name_scope(name, "kl_bernoulli_bernoulli", [a.logits, b.logits]):
        zero = ops.softplus(-b.logits) - ops.softplus(-a.logits)
        one = ops.softplus(b.logits) - ops.softplus(a.logits)
        return ops.sigmoid(a.logits) * zero + ops.sigmoid(-a.logits) * one


class Categorical(_Choice):
    """A class, as its number (TensorFlow: `tf.distributions.Categorical`).

    Args:
      logits: unscaled logarithms of the classes' probabilities in the last dimension, or else
        probs: the probabilities.
      dtype: of samples.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Raises:
      ValueError: if both logits and probabilities are given, or none. TypeError: for integers.

    Example:
      >>> tf.distributions.Categorical(probs=[0.1, 0.2, 0.7]).prob([2, 0])  # [0.7, 0.1]
    """

    event_size = parameter("event_size", "The number of classes.")

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        _Choice.__init__(self, locals(), multidimensional=True)
        with self._name_scope("event_size"):
            number = self.logits.shape.with_rank_at_least(1)[-1].value
            static = number is not None
            self._event_size = convert_to_tensor(number) if static else ops.shape(self.logits)[-1]

    def _batch_shape_tensor(self) -> Tensor:
        result: Tensor = ops.shape(self.logits)[:-1]
        return result

    def _batch_shape(self) -> TensorShape:
        static: TensorShape = self.logits.shape[:-1]
        return static

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        flat = ops.reshape(self.logits, [-1, self.event_size])
        kind = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
        drawn = ops.transpose(ops.multinomial(flat, n, seed=seed, output_dtype=kind))
        return ops.cast(
            ops.reshape(drawn, ops.concat([[n], self.batch_shape_tensor()], 0)), self.dtype
        )

    def _both(self, k: Any, parameters: Tensor) -> tuple[Any, Any]:
        """Classes and parameters, broadcast to each other."""
        k = checked_counts(k) if self.validate_args else convert_to_tensor(k, name="k")
        if k.dtype.is_floating:
            k = ops.cast(k, dtypes.int32)
        if not k.dtype.is_integer:
            raise TypeError(f"`value` should have integer `dtype` or `self.dtype` ({self.dtype})")
        params = parameters * ops.ones_like(k[..., None], dtype=parameters.dtype)
        known = params.shape
        k = k * ops.ones(ops.shape(params)[:-1], k.dtype)
        k.set_shape(known[:-1] if known.ndims is not None else known)
        return k, params

    def _log_prob(self, k: Any) -> Tensor:
        k, logits = self._both(k, self.logits)
        return -ops.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k: Any) -> Tensor:
        k, probs = self._both(k, self.probs)
        below = ops.sequence_mask(k, self.event_size)
        return ops.reduce_sum(
            ops.where_v2(below, probs, np.zeros([], probs.dtype.as_numpy_dtype)), -1
        )

    def _entropy(self) -> Tensor:
        return -ops.reduce_sum(ops.log_softmax(self.logits) * self.probs, -1)

    def _mode(self) -> Tensor:
        return ops.cast(ops.argmax(self.logits, axis=ops.rank(self.logits) - 1), self.dtype)


@RegisterKL(Categorical, Categorical)
def _kl_categorical(a: Categorical, b: Categorical, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_categorical_categorical", [a.logits, b.logits]):
        difference = ops.log_softmax(a.logits) - ops.log_softmax(b.logits)
        return ops.reduce_sum(ops.softmax(a.logits) * difference, -1)
