"""`tf.contrib.distributions`: `tf.distributions`, and what only contrib has."""

from tinytf import distributions as _distributions
from tinytf.api.names import explained as _explained
from tinytf.distributions.normal_vectors import MultivariateNormalDiag
from tinytf.distributions.util import softplus_inverse

globals().update({_name: getattr(_distributions, _name) for _name in _distributions.__all__})
__all__ = ["MultivariateNormalDiag", "softplus_inverse"]
__all__ += _distributions.__all__

__getattr__ = _explained(__name__, "contrib.distributions")
