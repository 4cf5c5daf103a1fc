"""`tf.contrib.distributions.MultivariateNormalDiag`, as TensorFlow 1.12 has it."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.distributions.distribution import FULLY_REPARAMETERIZED, Distribution
from tinytf.distributions.kullback_leibler import RegisterKL, kl_divergence
from tinytf.distributions.scalars import Normal
from tinytf.distributions.util import parameter
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape


class MultivariateNormalDiag(Distribution):
    """Vectors of independent normal numbers (`tf.contrib.distributions.MultivariateNormalDiag`).

    Args:
      loc: the means, in the last dimension; None for zeros.
      scale_diag: the standard deviations; None for ones.
      scale_identity_multiplier: added to each of them (or alone, if they are None).
      validate_args, allow_nan_stats, name: as of `tf.distributions.Distribution`.

    Raises:
      ValueError: if neither says how long the vectors are.

    Example:
      >>> normal = tf.contrib.distributions.MultivariateNormalDiag([0.0, 0.0], [1.0, 1.0])
      >>> normal.prob([0.0, 0.0])  # 0.15915494
    """

    loc = parameter("loc", "The means.")

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        given = dict(locals())
        if loc is None and scale_diag is None:
            raise ValueError("Must pass loc, scale_diag, or both: they say how long a vector is.")
        with name_scope(name, values=[loc, scale_diag, scale_identity_multiplier]) as scope:
            diag: Any = None if scale_diag is None else convert_to_tensor(scale_diag, name="diag")
            mean: Any = ops.zeros_like(diag) if loc is None else convert_to_tensor(loc, name="loc")
            if diag is None:
                one = 1.0 if scale_identity_multiplier is None else scale_identity_multiplier
                diag = ops.ones_like(mean) * convert_to_tensor(one, mean.dtype)[..., None]
            elif scale_identity_multiplier is not None:
                diag = diag + convert_to_tensor(scale_identity_multiplier, diag.dtype)[..., None]
            self._loc, self._each = mean, Normal(mean, diag, validate_args, allow_nan_stats)
        super().__init__(
            mean.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            given,
            [mean, diag],
            scope,
        )

    def _batch_shape(self) -> TensorShape:
        return self._each.batch_shape[:-1]

    def _batch_shape_tensor(self) -> Any:
        return self._each.batch_shape_tensor()[:-1]

    def _event_shape(self) -> TensorShape:
        return self._each.batch_shape[-1:]

    def _event_shape_tensor(self) -> Any:
        return self._each.batch_shape_tensor()[-1:]

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        return self._each._sample_n(n, seed)

    def _log_prob(self, x: Any) -> Tensor:
        return ops.reduce_sum(self._each.log_prob(x), -1)

    def _entropy(self) -> Tensor:
        return ops.reduce_sum(self._each.entropy(), -1)

    def _mean(self) -> Tensor:
        return self._each.mean()

    _mode = _mean

    def _stddev(self) -> Tensor:
        return self._each.stddev()

    def _covariance(self) -> Tensor:
        return ops.matrix_diag(self._each.variance())


@RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)
def _kl_normal_vectors(a: Any, b: Any, name: str | None = None) -> Tensor:
    return ops.reduce_sum(kl_divergence(a._each, b._each, name=name), -1)
