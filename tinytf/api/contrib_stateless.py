"""`tf.contrib.stateless`: random numbers that their seed determines, under their first names."""

from tinytf.api.names import explained as _explained
from tinytf.ops.random.stateless_functions import stateless_multinomial, stateless_random_normal
from tinytf.ops.random.stateless_functions import stateless_random_uniform
from tinytf.ops.random.stateless_functions import stateless_truncated_normal

__all__ = ["stateless_multinomial", "stateless_random_normal", "stateless_random_uniform"]
__all__ += ["stateless_truncated_normal"]

__getattr__ = _explained(__name__, "contrib.stateless")
