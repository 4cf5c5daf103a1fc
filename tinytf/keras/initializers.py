"""`tf.keras.initializers`: those of `tf.initializers`, some with other defaults."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.layers import by_name
from tinytf.ops.variables import initializers as _initializers
from tinytf.ops.variables.initializers import Constant as Constant
from tinytf.ops.variables.initializers import Initializer as Initializer
from tinytf.ops.variables.initializers import Ones as Ones
from tinytf.ops.variables.initializers import VarianceScaling as VarianceScaling
from tinytf.ops.variables.initializers import Zeros as Zeros
from tinytf.ops.variables.initializers import he_normal as he_normal
from tinytf.ops.variables.initializers import he_uniform as he_uniform
from tinytf.ops.variables.initializers import lecun_normal as lecun_normal
from tinytf.ops.variables.initializers import lecun_uniform as lecun_uniform
from tinytf.ops.variables.matrix_initializers import Identity as Identity
from tinytf.ops.variables.matrix_initializers import Orthogonal as Orthogonal


class RandomNormal(_initializers.RandomNormal):
    """Normal numbers, by default small (TensorFlow: `tf.keras.initializers.RandomNormal`)."""

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


class TruncatedNormal(_initializers.TruncatedNormal):
    """The same, none far off (TensorFlow: `tf.keras.initializers.TruncatedNormal`)."""

    def __init__(
        self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


class RandomUniform(_initializers.RandomUniform):
    """Small numbers, all as likely (TensorFlow: `tf.keras.initializers.RandomUniform`)."""

    def __init__(
        self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(minval, maxval, seed, dtype)


normal = random_normal = RandomNormal
uniform = random_uniform = RandomUniform
truncated_normal, zeros, ones = TruncatedNormal, Zeros, Ones
identity, orthogonal = Identity, Orthogonal
_OWN = {
    "normal": RandomNormal,
    "random_normal": RandomNormal,
    "uniform": RandomUniform,
    "random_uniform": RandomUniform,
    "truncated_normal": TruncatedNormal,
}


def get(identifier: Any) -> Any:
    """An initializer, by its name or as it is (TensorFlow: `tf.keras.initializers.get`)."""
    own = _OWN.get(identifier) if isinstance(identifier, str) else None
    return own() if own else by_name.initializer(identifier)
