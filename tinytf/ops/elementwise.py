"""The elementwise ops under one name: `from tinytf.ops.elementwise import add, cast, exp`.

The cards are in the modules named here, one idea each.
"""

from tinytf.ops.array.where import where, where_v2
from tinytf.ops.math.arithmetic import (
    accumulate_n,
    add,
    add_n,
    maximum,
    minimum,
    multiply,
    scalar_mul,
    squared_difference,
    subtract,
)
from tinytf.ops.math.bitwise import bitwise_and, bitwise_or, bitwise_xor, invert
from tinytf.ops.math.cast import (
    cast,
    to_bfloat16,
    to_complex64,
    to_complex128,
    to_double,
    to_float,
    to_int32,
    to_int64,
)
from tinytf.ops.math.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from tinytf.ops.math.complex_numbers import conj, imag, make_complex, real
from tinytf.ops.math.division import (
    div,
    div_no_nan,
    divide,
    floor_div,
    floordiv,
    floormod,
    realdiv,
    truediv,
    truncatediv,
    truncatemod,
)
from tinytf.ops.math.exp_log import exp, expm1, log, log1p
from tinytf.ops.math.is_finite import is_finite, is_inf, is_nan
from tinytf.ops.math.logical import logical_and, logical_not, logical_or, logical_xor
from tinytf.ops.math.power import pow, reciprocal, rsqrt, sqrt, square
from tinytf.ops.math.rounding import ceil, floor, rint, round
from tinytf.ops.math.sign import absolute, negative, sign
from tinytf.ops.math.trigonometry import cos, sin

__all__ = [
    "absolute",
    "accumulate_n",
    "add",
    "add_n",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "cast",
    "ceil",
    "conj",
    "cos",
    "div",
    "div_no_nan",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_div",
    "floordiv",
    "floormod",
    "greater",
    "greater_equal",
    "imag",
    "invert",
    "is_finite",
    "is_inf",
    "is_nan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "make_complex",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "not_equal",
    "pow",
    "real",
    "realdiv",
    "reciprocal",
    "rint",
    "round",
    "rsqrt",
    "scalar_mul",
    "sign",
    "sin",
    "sqrt",
    "square",
    "squared_difference",
    "subtract",
    "to_bfloat16",
    "to_complex64",
    "to_complex128",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
    "truediv",
    "truncatediv",
    "truncatemod",
    "where",
    "where_v2",
]
