"""Trigonometry, hyperbolic and special functions, products that are never NaN: all of them.

Values of the special functions are compared within 1e-11 where TensorFlow's own methods lose a
few digits; ours are compared with exact values in tests/ops/math/test_special_functions.py.
"""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed

FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]

#: function -> (op type, arguments)
CIRCULAR = {
    "tan": ("Tan", [-1.2, 0.0, 0.5, 1.5]),
    "asin": ("Asin", [-1.0, -0.3, 0.5, 1.0]),
    "acos": ("Acos", [-1.0, -0.3, 0.5, 1.0]),
    "atan": ("Atan", [-30.0, -0.3, 0.5, 1.0]),
    "sinh": ("Sinh", [-3.0, -0.25, 0.5, 2.0]),
    "cosh": ("Cosh", [-3.0, -0.25, 0.5, 2.0]),
    "asinh": ("Asinh", [-30.0, -0.25, 0.5, 2.0]),
    "acosh": ("Acosh", [1.0, 1.25, 2.0, 30.0]),
    "atanh": ("Atanh", [-0.75, -0.25, 0.5, 0.96875]),
}
REAL = {
    "erf": ("Erf", [-2.5, -0.75, -1e-3, 0.0, 0.5, 1.0, 1.5, 4.0]),
    "erfc": ("Erfc", [-2.5, -0.75, -1e-3, 0.0, 0.5, 1.0, 1.5, 4.0]),
    "erfinv": ("Erfinv", [-0.96875, -0.75, -0.25, 0.0, 0.125, 0.5, 0.8125, 0.984375]),
    "ndtri": ("Ndtri", [0.001, 0.0625, 0.125, 0.25, 0.5, 0.75, 0.9375, 0.998]),
    "lgamma": ("Lgamma", [-2.75, -0.25, 0.125, 0.75, 1.5, 2.5, 7.5, 30.0]),
    "digamma": ("Digamma", [-2.75, -0.25, 0.125, 0.75, 1.5, 2.5, 7.5, 30.0]),
    "bessel_i0": ("BesselI0", [-3.0, -0.25, 0.0, 0.5, 2.0, 7.5, 8.5, 10.0]),
    "bessel_i0e": ("BesselI0e", [-30.0, -0.25, 0.0, 0.5, 2.0, 7.5, 8.5, 300.0]),
    "bessel_i1": ("BesselI1", [-3.0, -0.25, 0.0, 0.5, 2.0, 7.5, 8.5, 10.0]),
    "bessel_i1e": ("BesselI1e", [-30.0, -0.25, 0.0, 0.5, 2.0, 7.5, 8.5, 300.0]),
}
#: function of two -> op type
SAFE = {"xlogy": "Xlogy", "xlog1py": "Xlog1py", "xdivy": "Xdivy", "multiply_no_nan": "MulNoNan"}
EDGES = [-np.inf, -2.5, -2.0, -1.0, -0.5, 0.0, 1e-7, 0.5, 1.0, 2.5, 30.0, 1e3, np.inf, np.nan]


def pairs(table, dtypes):
    return [(name, dtype) for name in table for dtype in dtypes]


@case(*(op for op, _ in CIRCULAR.values()), each=pairs(CIRCULAR, FLOATS))
def circular(tf, name, dtype):
    x = tf.constant(CIRCULAR[name][1], dtype)
    function = getattr(tf, name)
    return [function(x), function(x[1], name="named"), function(x[:0])]


@case(*(op for op, _ in CIRCULAR.values()), each=pairs(CIRCULAR, COMPLEX))
def circular_of_complex_numbers(tf, name, dtype):
    x = tf.constant([0.5 + 0.25j, -2.0 - 1j, 0.5 - 3j, 2.0 + 0.5j], dtype)
    return [getattr(tf, name)(x), getattr(tf.math, name)(x[0])]


# The derivative is compared with differences in test_gradient_checks.
@case(*(op for op, _ in CIRCULAR.values()), each=pairs(CIRCULAR, ["float64", "complex128"]))
def gradients_of_circular(tf, name, dtype):
    values = np.asarray(CIRCULAR[name][1][1:3]) + (0.5j if dtype == "complex128" else 0)
    x = tf.constant(values, dtype)
    y = getattr(tf, name)(x)
    return tf.gradients(y, x, grad_ys=tf.ones_like(y))


@case(*(op for op, _ in CIRCULAR.values()), each=list(CIRCULAR))
def circular_at_the_edges(tf, name):
    return getattr(tf, name)(tf.constant(EDGES, tf.float64))


@case("Atan2", each=FLOATS)
def atan2(tf, dtype):
    y = tf.constant([[1.0], [-0.5], [0.0]], dtype)
    x = tf.constant([0.5, -2.0, 0.0], dtype)
    return [tf.atan2(y, x), tf.atan2(y[0, 0], x[1]), tf.math.atan2(x, 1.0)]


@case("Atan2")
def atan2_at_the_edges(tf):
    x = tf.constant([*EDGES, -0.0], tf.float64)
    return tf.atan2(x[:, None], x)


@case("Atan2")
def gradients_of_atan2(tf):
    y, x = tf.constant([[1.0], [-0.5]]), tf.constant([0.5, -2.0])
    return tf.gradients(tf.atan2(y, x), [y, x])


# Special functions --------------------------------------------------------------------------------


@case(*(op for op, _ in REAL.values()), each=pairs(REAL, ["float32", "float64"]), rtol=1e-5)
def of_one(tf, name, dtype):
    x = tf.constant(REAL[name][1], dtype)
    function = getattr(tf.math, name)
    return [function(x), function(x[1], name="named"), function(x[:0])]


@case(*(op for op, _ in REAL.values()), each=list(REAL), rtol=1e-11, atol=1e-13)
def of_one_in_double(tf, name):
    return getattr(tf.math, name)(tf.constant(REAL[name][1], tf.float64))


# TensorFlow computes in the narrow type, and is off by several units in its last place. It has
# not all kernels.
@case(
    "Erf",
    "Erfc",
    "Lgamma",
    "Digamma",
    each=[
        *pairs(["erf", "erfc"], ["float16", "bfloat16"]),
        *pairs(["lgamma", "digamma", "bessel_i0e", "bessel_i1e"], ["float16"]),
    ],
    rtol=0.05,
    atol=0.02,
)
def of_one_in_16_bits(tf, name, dtype):
    return getattr(tf.math, name)(tf.constant(REAL[name][1][:-1], dtype))


@case(*(op for op, _ in REAL.values()), each=list(REAL), rtol=1e-11, atol=1e-13)
def of_one_at_the_edges(tf, name):
    return getattr(tf.math, name)(tf.constant(EDGES, tf.float64))


@case(*(op for op, _ in REAL.values()), each=list(REAL), rtol=1e-11)
def gradients_of_one(tf, name):
    x = tf.constant(REAL[name][1][1:], tf.float64)
    return tf.gradients(getattr(tf.math, name)(x), x)


@case("Erf", "Erfc", "Lgamma", "Digamma")
def names_in_the_root(tf):
    x = tf.constant([0.25, 2.0])
    return [tf.erf(x), tf.erfc(x), tf.lgamma(x), tf.digamma(x)]


@case("Ndtri")
def erfcinv(tf):
    return [tf.math.erfcinv([0.25, 1.0, 1.5, 2.0]), tf.math.erfcinv(tf.constant(0.5), name="q")]


@case("Lgamma")
def lbeta(tf):
    x, feed = fed(tf, [[1.0, 2.0, 0.5], [3.0, 4.0, 5.0]])
    return Program(
        [tf.lbeta([0.5, 2.5]), tf.lbeta(x), tf.math.lbeta(tf.ones([2, 3, 2]), name="named")],
        feed=feed,
    )


@case("Lgamma", error="Invalid reduction dimension -1 for input with 0 dimensions")
def lbeta_of_a_number(tf):
    return tf.lbeta(tf.constant(1.0))


@case("Polygamma", "Zeta", each=["float32", "float64"], rtol=1e-5)
def polygamma_and_zeta(tf, dtype):
    n = tf.constant([[0.0], [1.0], [2.0], [5.0]], dtype)
    x = tf.constant([-0.75, 0.125, 1.0, 2.5, 30.0], dtype)
    s = tf.constant([[1.25], [2.0], [3.5]], dtype)
    return [
        tf.polygamma(n, x),
        tf.zeta(s, x[1:]),
        tf.math.polygamma(n[1, 0], x[1]),
        tf.math.zeta(s[1], x, name="named"),
    ]


@case("Polygamma", "Zeta", rtol=1e-11)
def polygamma_and_zeta_in_double(tf):
    n = tf.constant([[0.0], [1.0], [2.0], [5.0]], tf.float64)
    x = tf.constant([-1.75, 0.125, 1.0, 2.5, 30.0], tf.float64)
    return [tf.polygamma(n, x), tf.zeta(n + 2.0, x)]


@case("Polygamma", "Zeta", rtol=1e-11)
def polygamma_and_zeta_at_the_edges(tf):
    orders = tf.constant([-1.0, 0.0, 0.5, 1.0, 2.0, 2.5, 4.0, np.nan], tf.float64)[:, None]
    x = tf.constant(EDGES, tf.float64)
    return [tf.polygamma(orders, x), tf.zeta(orders, x)]


@case("Polygamma", "Zeta", rtol=1e-11)
def gradients_of_polygamma_and_zeta(tf):
    n, x = tf.constant([[1.0], [3.0]], tf.float64), tf.constant([0.5, 2.5], tf.float64)
    return [tf.gradients(tf.polygamma(n, x), x), tf.gradients(tf.zeta(n + 1.0, x), x)]


@case("Igamma", "Igammac", each=["float32", "float64"], rtol=1e-5)
def incomplete_gamma(tf, dtype):
    a = tf.constant([[0.25], [1.0], [3.5], [30.0]], dtype)
    x = tf.constant([0.0, 0.125, 1.0, 2.5, 35.0], dtype)
    return [
        tf.igamma(a, x),
        tf.igammac(a, x),
        tf.math.igamma(a[0, 0], x[2]),
        tf.math.igammac(a[0], 2.0, name="named"),
    ]


@case("Igamma", "Igammac", rtol=1e-11)
def incomplete_gamma_in_double(tf):
    a = tf.constant([[0.25], [1.0], [3.5], [30.0]], tf.float64)
    x = tf.constant([0.0, 0.125, 1.0, 2.5, 35.0], tf.float64)
    return [tf.igamma(a, x), tf.igammac(a, x)]


@case("Igamma", "Igammac", rtol=1e-11)
def incomplete_gamma_at_the_edges(tf):
    a = tf.constant([-1.0, 0.0, 0.5, 30.0, np.inf, np.nan], tf.float64)[:, None]
    x = tf.constant([-1.0, 0.0, 0.5, 1e3, np.inf, np.nan], tf.float64)
    return [tf.igamma(a, x), tf.igammac(a, x)]


@case("Igamma", "Igammac", "IgammaGradA", rtol=1e-10)
def gradients_of_incomplete_gamma(tf):
    a = tf.constant([[0.5], [3.5]], tf.float64)
    x = tf.constant([0.25, 1.5, 12.0], tf.float64)
    return [tf.gradients(tf.igamma(a, x), [a, x]), tf.gradients(tf.igammac(a, x), [a, x])]


@case("IgammaGradA", rtol=1e-10)
def derivative_of_the_incomplete_gamma_function(tf):
    a = tf.constant([0.5, 3.5, 30.0, 1.0, 0.0, 2.0], tf.float64)
    x = tf.constant([0.25, 12.0, 28.0, 0.0, 1.0, -1.0], tf.float64)
    return node(tf, "IgammaGradA", [a, x])


@case("Betainc", each=["float32", "float64"], rtol=1e-5)
def incomplete_beta(tf, dtype):
    a = tf.constant([0.25, 1.0, 3.5, 30.0], dtype)
    b = tf.constant([2.0, 0.5, 3.5, 10.0], dtype)
    x = tf.constant([0.125, 0.25, 0.5, 0.875], dtype)
    return [
        tf.betainc(a, b, x),
        tf.math.betainc(a, b, x[1], name="named"),
        tf.betainc(a[0], b[0], x),
    ]


@case("Betainc", rtol=1e-11)
def incomplete_beta_in_double(tf):
    a = tf.constant([[0.25, 1.0], [3.5, 30.0]], tf.float64)
    b = tf.constant([[2.0, 0.5], [3.5, 10.0]], tf.float64)
    return [tf.betainc(a, b, tf.constant([[0.0, 0.25], [0.5, 1.0]], tf.float64))]


@case("Betainc")
def incomplete_beta_outside(tf):
    values = [
        (-1.0, 1.0, 0.5),
        (0.0, 1.0, 0.5),
        (1.0, 1.0, -0.5),
        (1.0, 1.0, 1.5),
        (1.0, np.nan, 0.5),
        (1.0, 1.0, np.nan),
    ]
    return tf.betainc(*(tf.constant(column, tf.float64) for column in zip(*values)))


@case("Betainc", rtol=1e-10)
def gradients_of_incomplete_beta(tf):
    a, b = tf.constant([0.5, 3.5], tf.float64), tf.constant([2.5, 2.0], tf.float64)
    x = tf.constant([0.25, 0.5], tf.float64)
    return tf.gradients(tf.betainc(a, b, x), x)


@case("Betainc", each=["", "2", "3"])
def static_shapes_of_incomplete_beta(tf, number):
    shapes = {"": ([None, 2], [3, None], []), "2": ([], None, [2]), "3": (None, None, None)}[number]
    parts = [tf.placeholder(tf.float32, shape) for shape in shapes]
    sizes = [[3, 2], [3, 2], []] if number == "" else [[], [2], [2]]
    return Program(tf.betainc(*parts), feed=dict(zip(parts, [np.full(s, 0.5) for s in sizes])))


@case("Betainc", error="Dimension 0 in both shapes must be equal, but are 2 and 3")
def incomplete_beta_of_wrong_shapes(tf):
    return tf.betainc([1.0, 2.0], [1.0, 2.0, 3.0], 0.5)


@case("Betainc", error="Shapes of a and b are inconsistent: [2] vs. [3]")
def incomplete_beta_of_fed_shapes(tf):
    a, feed = fed(tf, [1.0, 2.0])
    return Program(tf.betainc(a, [1.0, 2.0, 3.0], 0.5), feed=feed)


@case("Igamma", error="Incompatible shapes: [2] vs. [3]", each=["igamma", "polygamma", "zeta"])
def fed_shapes_that_do_not_fit(tf, name):
    a, feed = fed(tf, [1.0, 2.0])
    return Program(getattr(tf, name)(a, [1.0, 2.0, 3.0]), feed=feed)


@case("Zeta", error="has DataType float16 not in list of allowed values: float32, float64")
def zeta_of_half(tf):
    return tf.zeta(tf.constant(2.0, tf.float16), tf.constant(1.0, tf.float16))


@case("Tan", error="has DataType int32 not in list of allowed values", each=["tan", "erf", "acosh"])
def integers(tf, name):
    return getattr(tf, name)(1)


@case("Erf", error="has DataType complex64 not in list of allowed values", each=["erf", "lgamma"])
def complex_numbers(tf, name):
    return getattr(tf, name)(tf.constant(1j, tf.complex64))


# Products and quotients that are never NaN --------------------------------------------------------


@case(*SAFE.values(), each=pairs(SAFE, FLOATS + COMPLEX))
def safe_products(tf, name, dtype):
    x = tf.constant([[0.0], [2.0], [-0.5]], dtype)
    y = tf.constant([0.0, 0.5, 2.0], dtype)
    function = getattr(tf.math, name)
    return [function(x, y), function(x[1, 0], y[1], name="named")]


@case(*SAFE.values(), each=list(SAFE))
def safe_products_at_the_edges(tf, name):
    x = tf.constant(EDGES, tf.float64)
    return getattr(tf.math, name)(x[:, None], x)


@case(*SAFE.values(), each=list(SAFE))
def gradients_of_safe_products(tf, name):
    x, y = tf.constant([[0.0], [2.0]]), tf.constant([0.5, 2.0])
    same = getattr(tf.math, name)(y, y)
    return [tf.gradients(getattr(tf.math, name)(x, y), [x, y]), tf.gradients(same, y)]


@case("Xdivy", error="has DataType int32 not in list of allowed values", each=["xdivy", "xlogy"])
def safe_products_of_integers(tf, name):
    return getattr(tf.math, name)(1, 2)


@case("MulNoNan", error="Tensor conversion requested dtype float32 for Tensor with dtype float64")
def product_of_two_types(tf):
    return tf.math.multiply_no_nan(tf.constant(1.0), tf.constant(1.0, tf.float64))


@case("DivNoNan", each=FLOATS + COMPLEX)
def reciprocal_no_nan(tf, dtype):
    x = tf.constant([0.0, 2.0, -0.5], dtype)
    return [tf.math.reciprocal_no_nan(x), tf.math.reciprocal_no_nan(x[1], name="named")]


@case("DivNoNan", error="has DataType int32 not in list of allowed values")
def reciprocal_no_nan_of_integers(tf):
    return tf.math.reciprocal_no_nan([1, 2])


# Others -------------------------------------------------------------------------------------------


@case("Angle", each=COMPLEX)
def angle(tf, dtype):
    x = tf.constant([1j, -1.0, 1.0, -3 - 4j, 0.0], dtype)
    return [tf.angle(x), tf.math.angle(x[0], name="named"), tf.gradients(tf.angle(x[:4]), x)]


@case("Select")
def angle_of_real_numbers(tf):
    return [tf.angle([-2.0, 0.0, 3.0]), tf.angle(tf.constant(-1.0, tf.float64))]


@case("Less", error="Expected int32, but got 3.14")
def angle_of_integers(tf):
    return tf.angle([1, 2])


@case("NextAfter", each=["float32", "float64"])
def nextafter(tf, dtype):
    x = tf.constant([[1.0], [0.0], [np.inf], [np.nan]], dtype)
    return [
        tf.math.nextafter(x, tf.constant([2.0, -1.0, 0.0], dtype)),
        tf.gradients(tf.math.nextafter(x, x[0]), x),
    ]


@case("Softplus", "Neg")
def log_sigmoid(tf):
    x = tf.constant([-100.0, 0.0, 2.0])
    return [
        tf.log_sigmoid(x),
        tf.math.log_sigmoid([0.5], name="named"),
        tf.gradients(tf.log_sigmoid(x), x),
    ]


@case("Mul", "AddV2")
def polyval(tf):
    x, feed = fed(tf, [1.0, 2.0])
    return Program(
        [
            tf.math.polyval([1.0, 2.0, x], [2.0, 3.0]),
            tf.math.polyval([3.0], x, name="constant"),
            tf.math.polyval([], x),
            tf.math.polyval([x, x], tf.constant([[1.0], [2.0]])),
        ],
        feed=feed,
    )


@case(error="Argument coeffs must be list type. Received type")
def polyval_of_a_tensor(tf):
    return tf.math.polyval(tf.constant([2.0, 3.0]), 1.0)


@case("ApproximateEqual", each=["float32", "float64"])
def approximately_equal(tf, dtype):
    x = tf.constant([1, 2, 3], dtype)
    return node(tf, "ApproximateEqual", [x, x + tf.constant([0, 1, 0], dtype)])


@case("ApproximateEqual", error="Dimension 0 in both shapes must be equal, but are 2 and 3")
def approximately_equal_of_wrong_shapes(tf):
    return node(tf, "ApproximateEqual", [tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])])
