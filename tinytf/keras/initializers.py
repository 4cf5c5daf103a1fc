"""`tf.keras.initializers`: those of `tf.initializers`, some with other defaults."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.layers import by_name
from tinytf.ops.variables import initializers as _initializers
from tinytf.ops.variables import matrix_initializers as _matrices

Initializer, VarianceScaling = _initializers.Initializer, _initializers.VarianceScaling
Constant = constant = _initializers.Constant
Zeros = zeros = _initializers.Zeros
Ones = ones = _initializers.Ones
Identity = identity = _matrices.Identity
Orthogonal = orthogonal = _matrices.Orthogonal
glorot_normal, glorot_uniform = _initializers.GlorotNormal, _initializers.GlorotUniform
he_normal, he_uniform = _initializers.he_normal, _initializers.he_uniform
lecun_normal, lecun_uniform = _initializers.lecun_normal, _initializers.lecun_uniform


class RandomNormal(_initializers.RandomNormal):
    """Normal numbers, by default small (TensorFlow: `tf.keras.initializers.RandomNormal`).

    Example:
      >>> tf.keras.initializers.RandomNormal().stddev
      0.05
    """

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


class TruncatedNormal(_initializers.TruncatedNormal):
    """The same, none far off (TensorFlow: `tf.keras.initializers.TruncatedNormal`).

    Example:
      >>> w = tf.keras.initializers.TruncatedNormal(stddev=0.5)([2, 3])
      >>> tf.reduce_all(tf.abs(w) <= 1.0)  # True
    """

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


class RandomUniform(_initializers.RandomUniform):
    """Small numbers, all as likely (TensorFlow: `tf.keras.initializers.RandomUniform`).

    Example:
      >>> w = tf.keras.initializers.RandomUniform()([2, 3])
      >>> tf.reduce_all(tf.abs(w) <= 0.05)  # True
    """

    def __init__(
        self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(minval, maxval, seed, dtype)


normal = random_normal = RandomNormal
uniform = random_uniform = RandomUniform
truncated_normal = TruncatedNormal
_OWN = {
    "normal": RandomNormal,
    "random_normal": RandomNormal,
    "uniform": RandomUniform,
    "random_uniform": RandomUniform,
    "truncated_normal": TruncatedNormal,
}


def get(identifier: Any) -> Any:
    """An initializer, by its name or as it is (TensorFlow: `tf.keras.initializers.get`).

    Args:
      identifier: "zeros", for example, an initializer, or None.

    Raises:
      ValueError: for an unknown name.

    Example:
      >>> tf.keras.initializers.get("ones")([2])  # [1., 1.]
    """
    own = _OWN.get(identifier) if isinstance(identifier, str) else None
    return own() if own else by_name.initializer(identifier)
