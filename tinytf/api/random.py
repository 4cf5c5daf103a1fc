"""`tf.random`: random numbers and their seeds."""

from tinytf.framework.random_seed import get_seed, set_random_seed
from tinytf.ops.random import random_normal as normal
from tinytf.ops.random import random_uniform as uniform
from tinytf.ops.random import truncated_normal

__all__ = ["get_seed", "normal", "set_random_seed", "truncated_normal", "uniform"]
