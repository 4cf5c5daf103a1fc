"""`tf.contrib`: of what TensorFlow 1.x kept there, what programs of parameter servers use."""

from tinytf.api import contrib_training as training
from tinytf.api.not_yet import explained

__all__ = ["training"]

__getattr__ = explained(__name__, "contrib")
