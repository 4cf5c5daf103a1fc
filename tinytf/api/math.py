"""`tf.math`: mathematics, under the names that TensorFlow 2 has for it as well."""

from tinytf.api import special
from tinytf.api.names import explained as _explained
from tinytf.ops.nn.sigmoid import log_sigmoid, sigmoid
from tinytf.ops.nn.softplus import softplus
from tinytf.ops.nn.tanh import tanh
from tinytf.ops.math.special.bessel import bessel_i0, bessel_i0e, bessel_i1, bessel_i1e
from tinytf.ops.math.nextafter import nextafter
from tinytf.ops.check.assert_values import is_non_decreasing, is_strictly_increasing
from tinytf.ops.math.complex_numbers import angle
from tinytf.ops.math.arithmetic import (
    accumulate_n,
    add,
    add_n,
    maximum,
    minimum,
    multiply,
    scalar_mul,
)
from tinytf.ops.math.arithmetic import squared_difference, subtract
from tinytf.ops.math.comparison import equal, greater, greater_equal, less, less_equal
from tinytf.ops.math.logical import logical_and
from tinytf.ops.math.logical import logical_not, logical_or, logical_xor
from tinytf.ops.math.comparison import not_equal
from tinytf.ops.math.complex_numbers import conj, imag, real
from tinytf.ops.math.division import divide, floordiv, floormod, truediv
from tinytf.ops.math.trigonometry import cos, sin
from tinytf.ops.math.exp_log import exp, expm1, log, log1p
from tinytf.ops.math.power import pow, reciprocal, rsqrt, sqrt, square
from tinytf.ops.math.rounding import ceil, floor, rint, round
from tinytf.ops.math.is_finite import is_finite, is_inf, is_nan
from tinytf.ops.math.sign import negative, sign
from tinytf.ops.math.sign import absolute as abs
from tinytf.ops.math.division import div_no_nan as divide_no_nan
from tinytf.ops.math.division import floormod as mod
from tinytf.ops.math.special.error_functions import erf, erfc, erfcinv, erfinv, ndtri
from tinytf.ops.math.special.gamma_functions import digamma, lbeta, lgamma, polygamma, zeta
from tinytf.ops.math.special.incomplete_gamma import betainc, igamma, igammac
from tinytf.ops.linalg.norms import l2_normalize
from tinytf.ops.nn.activations import softsign
from tinytf.ops.nn.in_top_k import in_top_k
from tinytf.ops.nn.losses import zero_fraction
from tinytf.ops.math.no_nan import multiply_no_nan, reciprocal_no_nan, xdivy, xlog1py, xlogy
from tinytf.ops.math.special.polynomials import polyval
from tinytf.ops.reduce.argmax import argmax, argmin
from tinytf.ops.reduce.reduction import count_nonzero, reduce_all
from tinytf.ops.math.cumsum import cumprod, cumsum
from tinytf.ops.reduce.reduction import (
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
)
from tinytf.ops.reduce.reduction import reduce_prod, reduce_sum
from tinytf.ops.segment.unsorted import unsorted_segment_sum
from tinytf.ops.math.trigonometry import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cosh,
    sinh,
    tan,
)
from tinytf.ops.array.transpose import invert_permutation
from tinytf.ops.math.bincount import bincount
from tinytf.ops.math.confusion_matrix import confusion_matrix
from tinytf.ops.reduce.variance import reduce_euclidean_norm, reduce_std, reduce_variance
from tinytf.ops.math.cumsum import cumulative_logsumexp
from tinytf.ops.segment.unsorted import (
    unsorted_segment_max,
    unsorted_segment_mean,
    unsorted_segment_min,
)
from tinytf.ops.segment.unsorted import unsorted_segment_prod, unsorted_segment_sqrt_n
from tinytf.ops.segment.sorted import segment_max, segment_mean, segment_min, segment_prod
from tinytf.ops.segment.sorted import segment_sum
from tinytf.ops.array.top_k import top_k
from tinytf.ops.nn.softmax import log_softmax, softmax

__all__ = ["abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "argmax", "argmin"]
__all__ += ["asin", "asinh", "atan", "atan2", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1"]
__all__ += ["bessel_i1e", "betainc", "bincount", "ceil", "confusion_matrix", "conj", "cos", "cosh"]
__all__ += ["count_nonzero", "cumprod", "cumsum", "cumulative_logsumexp", "digamma", "divide"]
__all__ += ["divide_no_nan", "equal", "erf", "erfc", "erfcinv", "erfinv", "exp", "expm1", "floor"]
__all__ += ["floordiv", "floormod", "greater", "greater_equal", "igamma", "igammac", "imag"]
__all__ += ["in_top_k", "invert_permutation", "is_finite", "is_inf", "is_nan", "is_non_decreasing"]
__all__ += ["is_strictly_increasing", "l2_normalize", "lbeta", "less", "less_equal", "lgamma"]
__all__ += ["log", "log1p", "log_sigmoid", "log_softmax", "logical_and", "logical_not"]
__all__ += ["logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply", "multiply_no_nan"]
__all__ += ["ndtri", "negative", "nextafter", "not_equal", "polygamma", "polyval", "pow", "real"]
__all__ += ["reciprocal", "reciprocal_no_nan", "reduce_all", "reduce_any", "reduce_euclidean_norm"]
__all__ += ["reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod"]
__all__ += ["reduce_std", "reduce_sum", "reduce_variance", "rint", "round", "rsqrt", "scalar_mul"]
__all__ += ["segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum", "sigmoid"]
__all__ += ["sign", "sin", "sinh", "softmax", "softplus", "softsign", "special", "sqrt", "square"]
__all__ += ["squared_difference", "subtract", "tan", "tanh", "top_k", "truediv"]
__all__ += ["unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_min"]
__all__ += ["unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sum", "xdivy"]
__all__ += ["xlog1py", "xlogy", "zero_fraction", "zeta"]

__getattr__ = _explained(__name__, "math")
