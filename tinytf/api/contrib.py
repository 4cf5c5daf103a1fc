"""`tf.contrib`: of what TensorFlow 1.x kept there, what programs of parameter servers use."""

from tinytf.api import contrib_data as data
from tinytf.api import contrib_framework as framework
from tinytf.api import contrib_learn as learn
from tinytf.api import contrib_lookup as lookup
from tinytf.api import contrib_nn as nn
from tinytf.api import contrib_staging as staging
from tinytf.api import contrib_stateless as stateless
from tinytf.api import contrib_training as training
from tinytf.api import contrib_util as util
from tinytf.api.names import explained as _explained

__all__ = ["data", "framework", "learn", "lookup", "staging", "stateless", "training", "util"]
__all__ += ["nn"]

__getattr__ = _explained(__name__, "contrib")
