"""Gamma, exponential and beta distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.distributions.kullback_leibler import RegisterKL
from tinytf.distributions.scalars import Scalars
from tinytf.distributions.util import new_seed, parameter, where_defined
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.tensor import Tensor


class Gamma(Scalars):
    """Waiting for several events (TensorFlow: `tf.distributions.Gamma`).

    Args:
      concentration: how many events. rate: how often there is one.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Example:
      >>> tf.distributions.Gamma(concentration=3.0, rate=[1.0, 2.0]).mean()  # [3.0, 1.5]
    """

    concentration = parameter("concentration", "How many events.")
    rate = parameter("rate", "How often there is one.")

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        Scalars.__init__(self, locals(), "concentration rate", positive="concentration rate")

    def _checked(self, x: Any) -> Any:
        ops.assert_same_float_dtype([x], self.dtype)
        return ops.with_dependencies([ops.assert_positive(x)], x) if self.validate_args else x

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        return ops.random_gamma([n], self.concentration, self.rate, self.dtype, seed)

    def _log_unnormalized_prob(self, x: Any) -> Any:
        x = self._checked(x)
        return ops.xlogy(self.concentration - 1.0, x) - self.rate * x

    def _log_normalization(self) -> Any:
        return ops.lgamma(self.concentration) - self.concentration * ops.log(self.rate)

    def _cdf(self, x: Any) -> Tensor:
        return ops.igamma(self.concentration, self.rate * self._checked(x))

    def _entropy(self) -> Any:
        k = self.concentration
        return k - ops.log(self.rate) + ops.lgamma(k) + (1.0 - k) * ops.digamma(k)

    def _mean(self) -> Any:
        return self.concentration / self.rate

    def _variance(self) -> Any:
        return self.concentration / ops.square(self.rate)

    def _stddev(self) -> Any:
        return ops.sqrt(self.concentration) / self.rate

    def _mode(self) -> Tensor:
        k, text = self.concentration, "mode not defined when any concentration <= 1"
        return where_defined(self, k > 1.0, (k - 1.0) / self.rate, [k], text)


@RegisterKL(Gamma, Gamma)
def _kl_gamma(a: Gamma, b: Gamma, name: str | None = None) -> Any:
    k, other = a.concentration, b.concentration
    with name_scope(name, "kl_gamma_gamma", [k, a.rate, other, b.rate]):
        rest = other * (ops.log(a.rate) - ops.log(b.rate)) + k * (b.rate / a.rate - 1.0)
        return (k - other) * ops.digamma(k) + ops.lgamma(other) - ops.lgamma(k) + rest


class Exponential(Gamma):
    """Waiting for an event (TensorFlow: `tf.distributions.Exponential`).

    Args:
      rate: how often there is one.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Example:
      >>> tf.distributions.Exponential([1.0, 4.0]).mean()  # [1.0, 0.25]
    """

    def __init__(
        self,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:
        given = dict(locals())
        given["rate"] = rate = convert_to_tensor(rate, name="rate")
        given["concentration"] = np.ones([], rate.dtype.as_numpy_dtype)
        Scalars.__init__(self, given, "concentration rate", positive="rate")
        del given["concentration"]

    def _log_survival_function(self, value: Any) -> Any:
        return self._log_prob(value) - ops.log(self.rate)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        wanted = ops.concat([[n], ops.shape(self.rate)], 0)
        return -ops.log(ops.random_uniform(wanted, least, 1.0, self.dtype, seed)) / self.rate


_CONCENTRATIONS = "concentration1 concentration0"


class Beta(Scalars):
    """A number between 0 and 1 (TensorFlow: `tf.distributions.Beta`).

    Args:
      concentration1: how much there is for 1. concentration0: for 0.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Example:
      >>> tf.distributions.Beta(3.0, 1.0).mean()  # 0.75
    """

    concentration1 = parameter("concentration1", "How much there is for 1.")
    concentration0 = parameter("concentration0", "How much there is for 0.")
    total_concentration = parameter("total_concentration", "How much there is for both.")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        Scalars.__init__(self, locals(), _CONCENTRATIONS, positive=_CONCENTRATIONS)
        with self._name_scope("total"):
            self._total_concentration = self._concentration1 + self._concentration0

    _concentration1: Any
    _concentration0: Any

    def _checks(self, given: dict[str, Any], positive: str) -> list[Any]:
        names = positive.split() if given["validate_args"] else ()
        what = "Concentration parameter must be positive."
        return [ops.assert_positive(given[name], message=what) for name in names]

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        one = ops.ones_like(self.total_concentration)
        seeds = seed, new_seed(seed, "beta")
        first, second = (
            ops.random_gamma([n], one * k, dtype=self.dtype, seed=s)
            for k, s in zip((self.concentration1, self.concentration0), seeds)
        )
        return first / (first + second)

    def _log_unnormalized_prob(self, x: Any) -> Any:
        if self.validate_args:
            below = ops.assert_less(x, 1.0, message="sample must be less than `1`.")
            above = ops.assert_positive(x, message="sample must be positive")
            x = ops.with_dependencies([above, below], x)
        return ops.xlogy(self.concentration1 - 1.0, x) + (self.concentration0 - 1.0) * ops.log1p(-x)

    def _log_normalization(self) -> Any:
        both = ops.lgamma(self.concentration1) + ops.lgamma(self.concentration0)
        return both - ops.lgamma(self.total_concentration)

    def _cdf(self, x: Any) -> Tensor:
        return ops.betainc(self.concentration1, self.concentration0, x)

    def _entropy(self) -> Any:
        a, b, total = self.concentration1, self.concentration0, self.total_concentration
        each = (a - 1.0) * ops.digamma(a) + (b - 1.0) * ops.digamma(b)
        return self._log_normalization() - each + (total - 2.0) * ops.digamma(total)

    def _mean(self) -> Any:
        return self.concentration1 / self.total_concentration

    def _variance(self) -> Any:
        return self._mean() * (1.0 - self._mean()) / (1.0 + self.total_concentration)

    def _mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        mode = (a - 1.0) / (self.total_concentration - 2.0)
        text = "Mode undefined for concentration1 <= 1 or concentration0 <= 1."
        return where_defined(self, ops.logical_and(a > 1.0, b > 1.0), mode, [a, b], text)


@RegisterKL(Beta, Beta)
def _kl_beta(a: Beta, b: Beta, name: str | None = None) -> Any:
    names = "concentration1", "concentration0", "total_concentration"
    pairs = [(getattr(a, each), getattr(b, each)) for each in names]
    with name_scope(name, "kl_beta_beta", [each for pair in pairs for each in pair]):
        one, zero, total = (ops.digamma(mine) * (other - mine) for mine, other in pairs)
        return b._log_normalization() - a._log_normalization() - one - zero + total
