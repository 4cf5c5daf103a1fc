"""`tf.math`: mathematics, under the names that TensorFlow 2 has for it as well."""

from tinytf import ops
from tinytf.api import special
from tinytf.api.names import explained
from tinytf.ops.nn.sigmoid import log_sigmoid, sigmoid
from tinytf.ops.nn.softplus import softplus
from tinytf.ops.nn.tanh import tanh
from tinytf.ops.math.special.bessel import bessel_i0, bessel_i0e, bessel_i1, bessel_i1e
from tinytf.ops.math.nextafter import nextafter
from tinytf.ops.check.assert_values import is_non_decreasing, is_strictly_increasing
from tinytf.ops.math.complex_numbers import angle
from tinytf.ops.math.arithmetic import accumulate_n
from tinytf.ops.math.arithmetic import add
from tinytf.ops.math.arithmetic import add_n
from tinytf.ops.math.rounding import ceil
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.math.trigonometry import cos
from tinytf.ops.math.division import divide
from tinytf.ops.math.comparison import equal
from tinytf.ops.math.exp_log import exp
from tinytf.ops.math.exp_log import expm1
from tinytf.ops.math.rounding import floor
from tinytf.ops.math.division import floordiv
from tinytf.ops.math.division import floormod
from tinytf.ops.math.comparison import greater
from tinytf.ops.math.comparison import greater_equal
from tinytf.ops.math.complex_numbers import imag
from tinytf.ops.math.is_finite import is_finite
from tinytf.ops.math.is_finite import is_inf
from tinytf.ops.math.is_finite import is_nan
from tinytf.ops.math.comparison import less
from tinytf.ops.math.comparison import less_equal
from tinytf.ops.math.exp_log import log
from tinytf.ops.math.exp_log import log1p
from tinytf.ops.math.logical import logical_and
from tinytf.ops.math.logical import logical_not
from tinytf.ops.math.logical import logical_or
from tinytf.ops.math.logical import logical_xor
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.arithmetic import minimum
from tinytf.ops.math.arithmetic import multiply
from tinytf.ops.math.sign import negative
from tinytf.ops.math.comparison import not_equal
from tinytf.ops.math.power import pow
from tinytf.ops.math.complex_numbers import real
from tinytf.ops.math.power import reciprocal
from tinytf.ops.math.rounding import rint
from tinytf.ops.math.rounding import round
from tinytf.ops.math.power import rsqrt
from tinytf.ops.math.arithmetic import scalar_mul
from tinytf.ops.math.sign import sign
from tinytf.ops.math.trigonometry import sin
from tinytf.ops.math.power import sqrt
from tinytf.ops.math.power import square
from tinytf.ops.math.arithmetic import squared_difference
from tinytf.ops.math.arithmetic import subtract
from tinytf.ops.math.division import truediv
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
from tinytf.ops.reduce.reduction import (
    argmax,
    argmin,
    count_nonzero,
    cumprod,
    cumsum,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    unsorted_segment_sum,
)
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
    unsorted_segment_prod,
    unsorted_segment_sqrt_n,
)
from tinytf.ops.segment.sorted import (
    segment_max,
    segment_mean,
    segment_min,
    segment_prod,
    segment_sum,
)
from tinytf.ops.array.top_k import top_k
from tinytf.ops.nn.softmax import log_softmax, softmax

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "argmax", "argmin", "asin",
    "asinh", "atan", "atan2", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e",
    "betainc", "bincount", "ceil", "confusion_matrix", "conj", "cos", "cosh", "count_nonzero",
    "cumprod", "cumsum", "cumulative_logsumexp", "digamma", "divide", "divide_no_nan", "equal",
    "erf", "erfc", "erfcinv", "erfinv", "exp", "expm1", "floor", "floordiv", "floormod", "greater",
    "greater_equal", "igamma", "igammac", "imag", "in_top_k", "invert_permutation", "is_finite",
    "is_inf", "is_nan", "is_non_decreasing", "is_strictly_increasing", "l2_normalize", "lbeta",
    "less", "less_equal", "lgamma", "log", "log1p", "log_sigmoid", "log_softmax", "logical_and",
    "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply",
    "multiply_no_nan", "ndtri", "negative", "nextafter", "not_equal", "polygamma", "polyval", "pow",
    "real", "reciprocal", "reciprocal_no_nan", "reduce_all", "reduce_any", "reduce_euclidean_norm",
    "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_std",
    "reduce_sum", "reduce_variance", "rint", "round", "rsqrt", "scalar_mul", "segment_max",
    "segment_mean", "segment_min", "segment_prod", "segment_sum", "sigmoid", "sign", "sin", "sinh",
    "softmax", "softplus", "softsign", "special", "sqrt", "square", "squared_difference",
    "subtract", "tan", "tanh", "top_k", "truediv", "unsorted_segment_max", "unsorted_segment_mean",
    "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n",
    "unsorted_segment_sum", "xdivy", "xlog1py", "xlogy", "zero_fraction", "zeta",
]  # fmt: skip

__getattr__ = explained(__name__, "math")
