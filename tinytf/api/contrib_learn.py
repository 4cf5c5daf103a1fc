"""`tf.contrib.learn`: of it, the tutorials' data sets."""

from tinytf.api import contrib_learn_datasets as datasets
from tinytf.api.names import explained as _explained

__all__ = ["datasets"]

__getattr__ = _explained(__name__, "contrib.learn")
