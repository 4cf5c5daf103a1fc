"""`tf.contrib.predictor`: a model as a function of arrays."""

from tinytf.api.names import explained as _explained
from tinytf.saved_model.predictor import from_saved_model

__all__ = ["from_saved_model"]

__getattr__ = _explained(__name__, "contrib.predictor")
