"""`tf.math.special`: Bessel functions J, Y and K, and integrals."""

import numpy as np

from tests.conformance.registry import case

#: function -> (op type, arguments)
FUNCTIONS = {
    "bessel_j0": ("BesselJ0", [-3.0, 0.0, 0.5, 2.0, 7.5, 8.5, 30.0]),
    "bessel_j1": ("BesselJ1", [-3.0, 0.0, 0.5, 2.0, 7.5, 8.5, 30.0]),
    "bessel_y0": ("BesselY0", [0.01, 0.5, 2.0, 7.5, 8.5, 30.0]),
    "bessel_y1": ("BesselY1", [0.01, 0.5, 2.0, 7.5, 8.5, 30.0]),
    "bessel_k0": ("BesselK0", [0.01, 0.5, 2.0, 7.5, 30.0]),
    "bessel_k0e": ("BesselK0e", [0.01, 0.5, 2.0, 7.5, 300.0]),
    "bessel_k1": ("BesselK1", [0.01, 0.5, 2.0, 7.5, 30.0]),
    "bessel_k1e": ("BesselK1e", [0.01, 0.5, 2.0, 7.5, 300.0]),
    "dawsn": ("Dawsn", [-5.0, -0.25, 0.0, 0.5, 2.0, 3.5, 4.5, 30.0]),
    "expint": ("Expint", [0.01, 0.25, 1.5, 5.5, 7.0, 20.0, 40.0]),
    "fresnel_cos": ("FresnelCos", [-3.0, -0.25, 0.0, 0.5, 1.5, 2.5, 9.0]),
    "fresnel_sin": ("FresnelSin", [-3.0, -0.25, 0.0, 0.5, 1.5, 2.5, 9.0]),
    "spence": ("Spence", [0.0, 0.25, 0.75, 1.0, 1.25, 1.75, 3.0, 30.0]),
}
EDGES = [-np.inf, -2.5, -0.5, 0.0, 1e-7, 0.5, 1.0, 2.5, 9.0, 30.0, np.inf, np.nan]
TYPES = [op_type for op_type, _ in FUNCTIONS.values()]


@case(
    *TYPES, each=[(n, t) for n in FUNCTIONS for t in ("float32", "float64")], rtol=2e-5, atol=2e-7
)
def of_one(tf, name, dtype):
    x = tf.constant(FUNCTIONS[name][1], dtype)
    function = getattr(tf.math.special, name)
    return [function(x), function(x[1], name="named"), function(x[:0])]


@case(*TYPES, each=list(FUNCTIONS), rtol=1e-11, atol=1e-13)
def in_double(tf, name):
    return getattr(tf.math.special, name)(tf.constant(FUNCTIONS[name][1], tf.float64))


@case(*TYPES, each=list(FUNCTIONS), rtol=1e-10, atol=1e-13)
def at_the_edges(tf, name):
    return getattr(tf.math.special, name)(tf.constant(EDGES, tf.float64))


@case(*TYPES, each=list(FUNCTIONS), rtol=1e-10, atol=1e-13)
def gradients(tf, name):
    x = tf.constant(FUNCTIONS[name][1], tf.float64)
    return tf.gradients(getattr(tf.math.special, name)(x), x)


@case("BesselJ0", error="has DataType int32 not in list of allowed values")
def of_integers(tf):
    return tf.math.special.bessel_j0(1)
