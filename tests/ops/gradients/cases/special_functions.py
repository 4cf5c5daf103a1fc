"""Trigonometry, hyperbolic and special functions, products that are never NaN."""

import numpy as np

import tinytf as tf
from tests.ops.gradients.cases import (
    COLUMN,
    ROW,
    C,
    Case,
    P,
    X,
    binary,
    first_order,
    numbers,
    op,
    program,
    signed,
    unary,
)

INSIDE = X * 0.5


def incomplete(op_type: str) -> list[Case]:
    return [first_order(c, "IgammaGradA has no gradient") for c in binary(op_type, P, P + 1.0)]


CASES: dict[str, list[Case]] = {
    "Tan": unary("Tan", INSIDE, C),
    "Asin": unary("Asin", INSIDE, C),
    "Acos": unary("Acos", INSIDE, C),
    "Atan": unary("Atan", X, C),
    "Atan2": binary("Atan2"),
    "Sinh": unary("Sinh", X, C),
    "Cosh": unary("Cosh", X, C),
    "Asinh": unary("Asinh", X, C),
    "Acosh": unary("Acosh", P + 1.0, C),
    "Atanh": unary("Atanh", INSIDE, C),
    "Erf": unary("Erf", X),
    "Erfc": unary("Erfc", X),
    "Erfinv": unary("Erfinv", INSIDE),
    "Ndtri": unary("Ndtri", numbers(2, 3, low=0.05, high=0.95)),
    "Lgamma": unary("Lgamma", P, X * 1.7),
    "Digamma": unary("Digamma", P, X * 1.7),
    "Polygamma": [program(lambda x: tf.polygamma(np.array([[1.0], [2.0]]), x), ROW)],
    "Zeta": [program(lambda q: tf.zeta(np.array([[2.0], [3.5]]), q), ROW)],
    "Igamma": incomplete("Igamma"),
    "Igammac": incomplete("Igammac"),
    "Betainc": [program(lambda x: tf.betainc(P, P[::-1], x), numbers(2, 3, low=0.1, high=0.9))],
    "BesselI0": unary("BesselI0", X),
    "BesselI0e": unary("BesselI0e", X),
    "BesselI1": unary("BesselI1", X),
    "BesselI1e": unary("BesselI1e", X),
    "BesselJ0": unary("BesselJ0", X * 3),
    "BesselJ1": unary("BesselJ1", X * 3),
    "BesselY0": unary("BesselY0", P * 3),
    "BesselY1": unary("BesselY1", P * 3),
    "BesselK0": unary("BesselK0", P),
    "BesselK0e": unary("BesselK0e", P),
    "BesselK1": unary("BesselK1", P),
    "BesselK1e": unary("BesselK1e", P),
    "Dawsn": unary("Dawsn", X),
    "Expint": unary("Expint", P),
    "FresnelCos": unary("FresnelCos", X),
    "FresnelSin": unary("FresnelSin", X),
    "Spence": unary("Spence", P),
    "Xlogy": binary("Xlogy"),
    "Xlog1py": binary("Xlog1py"),
    "Xdivy": binary("Xdivy"),
    # Of complex numbers TensorFlow leaves the conjugates out, and tinytf with it.
    "MulNoNan": binary("MulNoNan"),
    "NextAfter": [op("NextAfter", X, P), op("NextAfter", COLUMN, signed(3))],
    "Angle": unary("Angle", C, Tout=tf.float64),
}
