"""`tf.random.experimental`: stateless random numbers under their first names."""

from tinytf.api.names import explained as _explained
from tinytf.ops.random.stateless import Algorithm
from tinytf.ops.random.stateless_functions import stateless_fold_in, stateless_shuffle
from tinytf.ops.random.stateless_functions import stateless_split

__all__ = ["Algorithm", "stateless_fold_in", "stateless_shuffle", "stateless_split"]

__getattr__ = _explained(__name__, "random.experimental")
