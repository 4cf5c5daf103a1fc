"""`tf.contrib.stateless`: random numbers that their seed determines, under their first names."""

from tinytf.api.names import explained
from tinytf.ops.random.stateless_functions import (
    stateless_multinomial, stateless_random_normal, stateless_random_uniform,
    stateless_truncated_normal,
)  # fmt: skip

__all__ = [
    "stateless_multinomial", "stateless_random_normal", "stateless_random_uniform",
    "stateless_truncated_normal",
]  # fmt: skip

__getattr__ = explained(__name__, "contrib.stateless")
