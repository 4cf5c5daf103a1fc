"""Distributions of vectors: how often each class comes, and how likely classes are."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.distributions.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    ReparameterizationType,
)
from tinytf.distributions.kullback_leibler import RegisterKL
from tinytf.distributions.util import (
    checked_classes,
    checked_counts,
    checked_sums,
    log_combinations,
    logits_and_probs,
    new_seed,
    parameter,
    where_defined,
)
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape


class _Vector(Distribution):
    """What they share: the mean has the batch's shape and the event's."""

    def _begin(
        self,
        given: dict[str, Any],
        tensors: list[Tensor],
        how: ReparameterizationType,
        scope: str,
    ) -> None:
        validate, allow = given["validate_args"], given["allow_nan_stats"]
        super().__init__(tensors[-1].dtype, how, validate, allow, given, tensors, scope)

    def _whole(self) -> Tensor:
        """A tensor of that shape."""
        raise NotImplementedError

    def _batch_shape_tensor(self) -> Tensor:
        result: Tensor = ops.shape(self._whole())[:-1]
        return result

    def _batch_shape(self) -> TensorShape:
        static: TensorShape = self._whole().shape.with_rank_at_least(1)[:-1]
        return static

    def _event_shape_tensor(self) -> Tensor:
        result: Tensor = ops.shape(self._whole())[-1:]
        return result

    def _event_shape(self) -> TensorShape:
        static: TensorShape = self._whole().shape.with_rank_at_least(1)[-1:]
        return static

    def _covariance_of(self, a: Any, b: Any) -> Tensor:
        outer = -ops.matmul(a[..., :, None], b[..., None, :])
        return ops.matrix_set_diag(outer, self._found("variance")())


class Multinomial(_Vector):
    """How often each class is drawn (TensorFlow: `tf.distributions.Multinomial`).

    Args:
      total_count: how many draws there are, floating-point.
      logits: unscaled logarithms of the classes' probabilities in the last dimension, or else
        probs: the probabilities.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Raises:
      ValueError: if both logits and probabilities are given, or none. TypeError: for integers.

    Example:
      >>> counts = tf.distributions.Multinomial(total_count=4.0, probs=[0.25, 0.75])
      >>> counts.mean()  # [1.0, 3.0]
    """

    total_count = parameter("total_count", "How many draws there are.")
    logits = parameter("logits", "The unscaled logarithms of the probabilities.")
    probs = parameter("probs", "The probabilities.")

    def __init__(
        self,
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        given = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as scope:
            count: Any = convert_to_tensor(total_count, name="total_count")
            self._total_count = checked_counts(count) if validate_args else count
            pair = logits_and_probs(logits, probs, scope, validate_args, True)
            self._logits, self._probs = pair
            self._mean_val: Any = count[..., None] * self._probs
        self._begin(given, [self._total_count, *pair], NOT_REPARAMETERIZED, scope)

    def _whole(self) -> Tensor:
        mean: Tensor = self._mean_val
        return mean

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        k = self.event_shape_tensor()[0]
        counts = ops.ones_like(self.logits[..., 0], dtype=dtypes.int32)
        counts = counts * ops.cast(self.total_count, dtypes.int32)
        logits = ops.ones_like(counts[..., None], dtype=self.logits.dtype) * self.logits

        def drawn(one: Any) -> Tensor:
            of, count = one
            classes = ops.reshape(ops.multinomial(of[None, ...], count, seed), [n, -1])
            return ops.reduce_sum(ops.one_hot(classes, depth=k), -2)

        flat = [ops.reshape(logits, [-1, k]), n * ops.reshape(counts, [-1])]
        found = ops.transpose(ops.map_fn(drawn, flat, dtype=self.dtype), [1, 0, 2])
        return ops.reshape(found, ops.concat([[n], self.batch_shape_tensor(), [k]], 0))

    def _log_prob(self, counts: Any) -> Any:
        counts = checked_sums(self.total_count, counts) if self.validate_args else counts
        each = ops.reduce_sum(counts * ops.log_softmax(self.logits), -1)
        return each + log_combinations(self.total_count, counts)

    def _mean(self) -> Tensor:
        return ops.identity(self._mean_val)

    def _p(self) -> Any:
        return self.probs * ops.ones_like(self.total_count)[..., None]

    def _covariance(self) -> Tensor:
        return self._covariance_of(self._mean_val, self._p())

    def _variance(self) -> Any:
        return self._mean_val - self._mean_val * self._p()


class _Concentrated(_Vector):
    """What the next two share."""

    concentration = parameter("concentration", "How much there is for each class.")
    total_concentration = parameter("total_concentration", "How much there is for all.")

    def _concentrate(self, concentration: Any, validate: bool) -> None:
        given = convert_to_tensor(concentration, name="concentration")
        if validate:
            what = "Concentration parameter must be positive."
            checks = [ops.assert_positive(given, message=what)]
            given = ops.with_dependencies(checks, checked_classes(given))
        self._concentration: Any = given
        self._total_concentration: Any = ops.reduce_sum(given, -1)

    def _whole(self) -> Tensor:
        concentration: Tensor = self._concentration
        return concentration

    def _shares(self) -> Any:
        return self.concentration / self.total_concentration[..., None]


class Dirichlet(_Concentrated):
    """Probabilities of classes (TensorFlow: `tf.distributions.Dirichlet`).

    Args:
      concentration: how much there is for each class, in the last dimension.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Example:
      >>> tf.distributions.Dirichlet([1.0, 3.0]).mean()  # [0.25, 0.75]
    """

    def __init__(
        self,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        given = dict(locals())
        with name_scope(name, values=[concentration]) as scope:
            self._concentrate(concentration, validate_args)
        both = [self._total_concentration, self._concentration]
        self._begin(given, both, FULLY_REPARAMETERIZED, scope)

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        drawn = ops.random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        return drawn / ops.reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, x: Any) -> Any:
        if self.validate_args:
            one, sums = ops.ones_like(ops.reduce_sum(x, -1)), ops.reduce_sum(x, -1)
            positive = ops.assert_positive(x, message="samples must be positive")
            what = "sample last-dimension must sum to `1`"
            x = ops.with_dependencies([positive, ops.assert_near(one, sums, message=what)], x)
        return ops.reduce_sum(ops.xlogy(self.concentration - 1.0, x), -1) - ops.lbeta(
            self.concentration
        )

    def _entropy(self) -> Any:
        k, total = self.concentration, self.total_concentration
        number = ops.cast(self.event_shape_tensor()[0], self.dtype)
        each = ops.reduce_sum((k - 1.0) * ops.digamma(k), -1)
        return ops.lbeta(k) + (total - number) * ops.digamma(total) - each

    def _mean(self) -> Any:
        return self._shares()

    def _scale(self) -> Any:
        return ops.rsqrt(1.0 + self.total_concentration[..., None])

    def _covariance(self) -> Tensor:
        x = self._scale() * self._mean()
        return self._covariance_of(x, x)

    def _variance(self) -> Any:
        x = self._scale() * self._mean()
        return x * (self._scale() - x)

    def _mode(self) -> Tensor:
        k, number = self.concentration, ops.cast(self.event_shape_tensor()[0], self.dtype)
        mode = (k - 1.0) / (self.total_concentration[..., None] - number)
        text = "Mode undefined when any concentration <= 1"
        return where_defined(self, ops.reduce_all(k > 1.0, -1, keepdims=True), mode, [k], text)


@RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet(a: Dirichlet, b: Dirichlet, name: str | None = None) -> Any:
    k, other = a.concentration, b.concentration
    with name_scope(name, "kl_dirichlet_dirichlet", [k, other]):
        difference = ops.digamma(k) - ops.digamma(ops.reduce_sum(k, -1, keepdims=True))
        return ops.reduce_sum((k - other) * difference, -1) - ops.lbeta(k) + ops.lbeta(other)


class DirichletMultinomial(_Concentrated):
    """Draws with probabilities that are drawn (`tf.distributions.DirichletMultinomial`).

    Args:
      total_count: how many draws there are, floating-point.
      concentration: how much there is for each class, in the last dimension.
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Example:
      >>> tf.distributions.DirichletMultinomial(4.0, [1.0, 3.0]).mean()  # [1.0, 3.0]
    """

    total_count = parameter("total_count", "How many draws there are.")

    def __init__(
        self,
        total_count: Any,
        concentration: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        given = dict(locals())
        with name_scope(name, values=[total_count, concentration]) as scope:
            count = convert_to_tensor(total_count, name="total_count")
            self._total_count = checked_counts(count) if validate_args else count
            self._concentrate(concentration, validate_args)
        self._begin(given, [count, self._concentration], NOT_REPARAMETERIZED, scope)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        k = self.event_shape_tensor()[0]
        likely = ops.random_gamma([n], self.concentration, dtype=self.dtype, seed=seed)
        logits = ops.reshape(ops.log(likely), [-1, k])
        draws = ops.cast(self.total_count, dtypes.int32)
        drawn = ops.multinomial(logits, draws, new_seed(seed, "dirichlet_multinomial"))
        counts = ops.reduce_sum(ops.one_hot(drawn, depth=k), -2)
        final = ops.concat([[n], self.batch_shape_tensor(), [k]], 0)
        return ops.cast(ops.reshape(counts, final), self.dtype)

    def _log_prob(self, counts: Any) -> Any:
        counts = checked_sums(self.total_count, counts) if self.validate_args else counts
        ordered = ops.lbeta(self.concentration + counts) - ops.lbeta(self.concentration)
        return ordered + log_combinations(self.total_count, counts)

    def _mean(self) -> Any:
        return self.total_count * self._shares()

    def _scale(self) -> Any:
        c = self.total_concentration[..., None]
        return ops.sqrt((1.0 + c / self.total_count) / (1.0 + c))

    def _covariance(self) -> Tensor:
        x = self._scale() * self._mean()
        return self._covariance_of(x, x)

    def _variance(self) -> Any:
        x = self._scale() * self._mean()
        return x * (self.total_count * self._scale() - x)
