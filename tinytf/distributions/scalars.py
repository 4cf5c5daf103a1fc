"""Distributions of single numbers whose parameters broadcast: one event for each element."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from tinytf.distributions.kullback_leibler import RegisterKL
from tinytf.distributions.util import (
    log_cdf_laplace,
    log_ndtr,
    ndtr,
    new_seed,
    parameter,
    where_defined,
)
from tinytf.framework.scope_functions import control_dependencies, name_scope
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape


class Scalars(Distribution):
    """What they share.

    Args:
      given: the arguments of the class, by name. names: of those that are parameters.
      positive: of those that have to be.
    """

    def __init__(self, given: dict[str, Any], names: str, positive: str = "") -> None:
        values = {name: given[name] for name in names.split()}
        with name_scope(given["name"], values=list(values.values())) as scope:
            with control_dependencies(self._checks(given, positive)):
                tensors = {name: ops.identity(value, name=name) for name, value in values.items()}
            ops.assert_same_float_dtype(list(tensors.values()))
        for name, tensor in tensors.items():
            setattr(self, f"_{name}", tensor)
        self._broadcast = list(tensors.values())
        validate, allow = given["validate_args"], given["allow_nan_stats"]
        super().__init__(
            self._broadcast[-1].dtype,
            FULLY_REPARAMETERIZED,
            validate,
            allow,
            given,
            self._broadcast,
            scope,
        )

    def _checks(self, given: dict[str, Any], positive: str) -> list[Any]:
        names = positive.split() if given["validate_args"] else ()
        return [ops.assert_positive(given[name]) for name in names]

    def _batch_shape_tensor(self) -> Tensor:
        return functools.reduce(ops.broadcast_dynamic_shape, map(ops.shape, self._broadcast))

    def _batch_shape(self) -> TensorShape:
        shapes = [tensor.shape for tensor in self._broadcast]
        return functools.reduce(ops.broadcast_static_shape, shapes)

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _in_front(self, n: Any) -> Tensor:
        """The shape of n samples."""
        return ops.concat([[n], self.batch_shape_tensor()], 0)

    def _log_prob(self, x: Any) -> Tensor:
        result: Tensor = (
            self._found("log_unnormalized_prob")(x) - self._found("log_normalization")()
        )
        return result

    def _ones(self) -> Tensor:
        return ops.ones(self.batch_shape_tensor(), self.dtype)


class Normal(Scalars):
    """Gauss's (TensorFlow: `tf.distributions.Normal`).

    Args:
      loc: the mean. scale: the standard deviation.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Example:
      >>> normal = tf.distributions.Normal(loc=[0.0, 1.0], scale=2.0)
      >>> normal.sample(3).shape, normal.batch_shape
      (TensorShape([Dimension(3), Dimension(2)]), TensorShape([Dimension(2)]))
      >>> normal.cdf([0.0, 1.0])  # [0.5, 0.5]
    """

    loc = parameter("loc", "The mean.")
    scale = parameter("scale", "The standard deviation.")

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        Scalars.__init__(self, locals(), "loc scale", positive="scale")

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        drawn = ops.random_normal(self._in_front(n), 0.0, 1.0, self.dtype, seed)
        return drawn * self.scale + self.loc

    def _z(self, x: Any) -> Any:
        with name_scope("standardize", values=[x]):
            return (x - self.loc) / self.scale

    def _log_unnormalized_prob(self, x: Any) -> Any:
        return -0.5 * ops.square(self._z(x))

    def _log_normalization(self) -> Any:
        return 0.5 * math.log(2.0 * math.pi) + ops.log(self.scale)

    def _log_cdf(self, x: Any) -> Tensor:
        return log_ndtr(self._z(x))

    def _cdf(self, x: Any) -> Tensor:
        return ndtr(self._z(x))

    def _log_survival_function(self, x: Any) -> Tensor:
        return log_ndtr(-self._z(x))

    def _survival_function(self, x: Any) -> Tensor:
        return ndtr(-self._z(x))

    def _quantile(self, p: Any) -> Any:
        return ops.ndtri(p) * self.scale + self.loc

    def _entropy(self) -> Any:
        return 0.5 * math.log(2.0 * math.pi * math.e) + ops.log(self._stddev())

    def _mean(self) -> Any:
        return self.loc * ops.ones_like(self.scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return self.scale * ops.ones_like(self.loc)


@RegisterKL(Normal, Normal)
def _kl_normal(a: Normal, b: Normal, name: str | None = None) -> Any:
    with name_scope(name, "kl_normal_normal", [a.loc, b.loc]):
        ratio = ops.square(a.scale) / ops.square(b.scale)
        far = ops.squared_difference(a.loc, b.loc) / (2.0 * ops.square(b.scale))
        return far + 0.5 * (ratio - 1.0 - ops.log(ratio))


class Laplace(Scalars):
    """Exponential on both sides (TensorFlow: `tf.distributions.Laplace`).

    Args:
      loc: the mean. scale: the mean distance from it.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Example:
      >>> tf.distributions.Laplace(1.0, 2.0).prob(1.0)  # 0.25
    """

    loc = parameter("loc", "The mean.")
    scale = parameter("scale", "The mean distance from it.")

    def __init__(
        self,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        Scalars.__init__(self, locals(), "loc scale", positive="scale")

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        number = self.dtype.as_numpy_dtype
        least = np.nextafter(number(-1.0), number(0.0))
        u = ops.random_uniform(self._in_front(n), least, 1.0, self.dtype, seed)
        return self.loc - self.scale * ops.sign(u) * ops.log1p(-ops.absolute(u))

    def _z(self, x: Any) -> Any:
        return (x - self.loc) / self.scale

    def _log_unnormalized_prob(self, x: Any) -> Any:
        return -ops.absolute(self._z(x))

    def _log_normalization(self) -> Any:
        return math.log(2.0) + ops.log(self.scale)

    def _log_cdf(self, x: Any) -> Tensor:
        return log_cdf_laplace(self._z(x))

    def _log_survival_function(self, x: Any) -> Tensor:
        return log_cdf_laplace(-self._z(x))

    def _cdf(self, x: Any) -> Any:
        z = self._z(x)
        return 0.5 + 0.5 * ops.sign(z) * (1.0 - ops.exp(-ops.absolute(z)))

    def _entropy(self) -> Any:
        return math.log(2.0) + 1.0 + ops.log(self.scale + ops.zeros_like(self.loc))

    def _mean(self) -> Any:
        return self.loc + ops.zeros_like(self.scale)

    _mode = _mean

    def _stddev(self) -> Any:
        return math.sqrt(2.0) * self.scale + ops.zeros_like(self.loc)


class Uniform(Scalars):
    """The same for all between two numbers (TensorFlow: `tf.distributions.Uniform`).

    Args:
      low: the least that can be. high: what is not reached.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Example:
      >>> tf.distributions.Uniform(1.0, 5.0).prob([0.0, 2.0])  # [0.0, 0.25]
    """

    low = parameter("low", "The least that can be.")
    high = parameter("high", "What is not reached.")

    def __init__(
        self,
        low: Any = 0.0,
        high: Any = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        Scalars.__init__(self, locals(), "low high")

    def _checks(self, given: dict[str, Any], positive: str) -> list[Any]:
        if not given["validate_args"]:
            return []
        what = "uniform not defined when low >= high."
        return [ops.assert_less(given["low"], given["high"], message=what)]

    def range(self, name: str = "range") -> Tensor:
        """How far they are apart."""
        with self._name_scope(name):
            result: Tensor = self.high - self.low
            return result

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = ops.random_uniform(self._in_front(n), dtype=self.dtype, seed=seed)
        return self.low + self.range() * drawn

    def _prob(self, x: Any) -> Tensor:
        x = x * self._ones()
        outside = ops.logical_or(x < self.low, x >= self.high)
        inside = ops.ones_like(x) / self.range()
        return ops.where_v2(ops.is_nan(x), x, ops.where_v2(outside, ops.zeros_like(x), inside))

    def _cdf(self, x: Any) -> Tensor:
        x = x * self._ones()
        part = ops.where_v2(x < self.low, ops.zeros_like(x), (x - self.low) / self.range())
        return ops.where_v2(x >= self.high, ops.ones_like(x), part)

    def _entropy(self) -> Any:
        return ops.log(self.range())

    def _mean(self) -> Any:
        return (self.low + self.high) / 2.0

    def _variance(self) -> Any:
        return ops.square(self.range()) / 12.0

    def _stddev(self) -> Any:
        return self.range() / math.sqrt(12.0)


class StudentT(Scalars):
    """Student's, with long tails (TensorFlow: `tf.distributions.StudentT`).

    Args:
      df: the degrees of freedom. loc: the middle. scale: how wide it is.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Example:
      >>> tf.distributions.StudentT(df=1.0, loc=0.0, scale=1.0).prob(1.0)  # 0.15915494
    """

    df = parameter("df", "The degrees of freedom.")
    loc = parameter("loc", "The middle.")
    scale = parameter("scale", "How wide it is.")

    def __init__(
        self,
        df: Any,
        loc: Any,
        scale: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        Scalars.__init__(self, locals(), "df loc scale", positive="df")

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        normal = ops.random_normal(self._in_front(n), dtype=self.dtype, seed=seed)
        df = self.df * self._ones()
        gamma = ops.random_gamma([n], 0.5 * df, 0.5, self.dtype, new_seed(seed, "student_t"))
        return normal * ops.rsqrt(gamma / df) * self.scale + self.loc

    def _log_unnormalized_prob(self, x: Any) -> Any:
        y = (x - self.loc) / self.scale
        return -0.5 * (self.df + 1.0) * ops.log1p(ops.square(y) / self.df)

    def _log_normalization(self) -> Any:
        gammas = ops.lgamma(0.5 * self.df) - ops.lgamma(0.5 * (self.df + 1.0))
        return (
            ops.log(ops.absolute(self.scale))
            + 0.5 * (ops.log(self.df) + math.log(math.pi))
            + gammas
        )

    def _cdf(self, x: Any) -> Tensor:
        y = (x - self.loc) / ops.absolute(self.scale)
        below = 0.5 * ops.betainc(0.5 * self.df, 0.5, self.df / (ops.square(y) + self.df))
        return ops.where_v2(y < 0.0, below, 1.0 - below)

    def _entropy(self) -> Any:
        half, more = 0.5 * self.df * self._ones(), 0.5 * (self.df + 1.0)
        lbeta = ops.lgamma(half) + 0.5 * math.log(math.pi) - ops.lgamma(half + 0.5)
        rest = lbeta + more * (ops.digamma(more) - ops.digamma(0.5 * self.df))
        return ops.log(ops.absolute(self.scale)) + 0.5 * ops.log(self.df) + rest

    def _mean(self) -> Tensor:
        text = "mean not defined for components of df <= 1"
        return where_defined(self, self.df > 1.0, self.loc * self._ones(), [self.df], text)

    def _variance(self) -> Tensor:
        enough = self.df > 2.0
        below = ops.where_v2(enough, self.df - 2.0, ops.ones_like(self.df))
        there = self._ones() * ops.square(self.scale) * self.df / below
        variance = ops.where_v2(enough, there, np.array(np.inf, self.dtype.as_numpy_dtype))
        text = "variance not defined for components of df <= 1"
        return where_defined(self, self.df > 1.0, variance, [self.df], text)

    def _mode(self) -> Tensor:
        return ops.identity(self.loc)
