"""`tf.test`: checks of gradients. For tests themselves there are Python's unittest and numpy's."""

from tinytf.api.not_yet import explained
from tinytf.testing.jacobians import compute_gradient, compute_gradient_error

__all__ = ["compute_gradient", "compute_gradient_error"]

__getattr__ = explained(__name__, "test")
