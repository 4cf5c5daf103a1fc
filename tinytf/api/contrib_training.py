"""`tf.contrib.training`: strategies that choose a parameter server for each variable."""

from tinytf.api.names import explained as _explained
from tinytf.training.device_setter import GreedyLoadBalancingStrategy, RandomStrategy
from tinytf.training.device_setter import byte_size_load_fn

__all__ = ["GreedyLoadBalancingStrategy", "RandomStrategy", "byte_size_load_fn"]

__getattr__ = _explained(__name__, "contrib.training")
