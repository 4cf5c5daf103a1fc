"""`tf.math.special`: Bessel functions, and integrals without a simpler form."""

from tinytf.api.names import explained as _explained
from tinytf.ops.math.special.bessel import bessel_i0, bessel_i0e, bessel_i1, bessel_i1e
from tinytf.ops.math.special.functions import bessel_j0, bessel_j1, bessel_k0, bessel_k0e, bessel_k1
from tinytf.ops.math.special.functions import bessel_k1e, bessel_y0, bessel_y1, dawsn, expint
from tinytf.ops.math.special.functions import fresnel_cos, fresnel_sin, spence

__all__ = ["bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1"]
__all__ += ["bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1", "dawsn"]
__all__ += ["expint", "fresnel_cos", "fresnel_sin", "spence"]

__getattr__ = _explained(__name__, "math.special")
