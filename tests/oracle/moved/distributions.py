"""tf.contrib.distributions."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def distributions(tf: Any) -> Any:
    """tf.distributions; several normal ones as one, by the sum of their logarithms."""
    from tensorflow.python.ops.distributions import kullback_leibler, util

    class MultivariateNormalDiag(tf.distributions.Normal):
        def __init__(self, loc: Any, scale_diag: Any) -> None:
            super().__init__(loc, scale_diag)
            self._batch_shape = lambda: self.loc.shape[:-1]
            self._event_shape = lambda: self.loc.shape[-1:]

        def _sample_n(self, n: Any, seed: Any = None) -> Any:
            shape = [n, *self.loc.shape.as_list()]
            return self.loc + self.scale * tf.random_normal(shape, seed=seed)

        def log_prob(self, value: Any) -> Any:
            return tf.reduce_sum(super().log_prob(value), -1)

        def entropy(self) -> Any:
            return tf.reduce_sum(super().entropy(), -1)

    normal = tf.distributions.Normal

    @kullback_leibler.RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)
    def _kl(a: Any, b: Any, name: Any = None) -> Any:
        parts = [normal(d.loc, d.scale) for d in (a, b)]
        return tf.reduce_sum(tf.distributions.kl_divergence(*parts), -1)

    own = {"MultivariateNormalDiag": MultivariateNormalDiag}
    own["softplus_inverse"] = util.softplus_inverse
    return SimpleNamespace(**{**vars(tf.distributions), **own})
