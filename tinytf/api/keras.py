"""`tf.keras`: of Keras, what programs for graphs use."""

from tinytf.api import keras_datasets as datasets
from tinytf.api.names import explained as _explained

__all__ = ["datasets"]

__getattr__ = _explained(__name__, "keras")
