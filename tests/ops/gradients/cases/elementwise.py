"""Element by element: arithmetic, functions of one argument, choices, and what passes values on."""

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
    of_result,
    op,
    program,
    unary,
)

CASES: dict[str, list[Case]] = {
    # Passing on
    "Identity": unary("Identity", X),
    "IdentityN": [op("IdentityN", X, ROW, outputs=(0, 1))],
    "PreventGradient": [],
    "PlaceholderWithDefault": [op("PlaceholderWithDefault", X, shape=tf.TensorShape([2, None]))],
    "Print": [op("Print", X, message="", first_n=0)],
    "Cast": [
        program(lambda x: tf.cast(x, tf.complex128) * (1 + 2j), X),
        program(lambda x: tf.cast(tf.cast(x, tf.complex128), tf.float64), X),
    ],
    # Arithmetic
    "Add": [*binary("Add"), op("Add", C, C)],
    "AddV2": [*binary("AddV2"), op("AddV2", C, C)],
    "AddN": [op("AddN", X, P, X)],
    "Sub": [*binary("Sub"), op("Sub", C, C)],
    "Mul": [*binary("Mul"), op("Mul", C, C[::-1])],
    "Div": binary("Div"),
    "RealDiv": [*binary("RealDiv"), op("RealDiv", C, C[::-1])],
    "DivNoNan": [
        *binary("DivNoNan"),
        program(lambda x: tf.div_no_nan(x, np.array([0.0, 1.0, -2.0])), X),
    ],
    "FloorMod": [op("FloorMod", np.array([5.3, 7.1, -2.2]), np.array([2.0, 3.0, 0.9]))],
    "SquaredDifference": binary("SquaredDifference"),
    "Maximum": binary("Maximum", X, P * 1.01),
    "Minimum": binary("Minimum", X, P * 1.01),
    "Pow": [*binary("Pow", P, X), op("Pow", C, C[::-1]), program(lambda x: x**3.0, X)],
    # One argument
    "Abs": unary("Abs", X),
    "Neg": unary("Neg", X, C),
    "Sign": unary("Sign", X),
    "Square": unary("Square", X, C),
    "Sqrt": unary("Sqrt", P, C),
    "SqrtGrad": of_result("SqrtGrad"),
    "Rsqrt": unary("Rsqrt", P, C),
    "RsqrtGrad": of_result("RsqrtGrad"),
    "Reciprocal": unary("Reciprocal", X, C),
    "ReciprocalGrad": of_result("ReciprocalGrad"),
    "Inv": unary("Inv", X),
    "InvGrad": of_result("InvGrad"),
    "Exp": unary("Exp", X, C),
    "Expm1": unary("Expm1", X, C),
    "Log": unary("Log", P, C),
    "Log1p": unary("Log1p", P, C),
    "Sin": unary("Sin", X, C),
    "Cos": unary("Cos", X, C),
    "Tanh": unary("Tanh", X, C),
    "TanhGrad": of_result("TanhGrad"),
    "Sigmoid": unary("Sigmoid", X, C),
    "SigmoidGrad": of_result("SigmoidGrad"),
    "Complex": [op("Complex", X, P, Tout=tf.complex128), op("Complex", X, ROW, Tout=tf.complex128)],
    "ComplexAbs": unary("ComplexAbs", C, Tout=tf.float64),
    "Conj": unary("Conj", C),
    "Real": unary("Real", C, Tout=tf.float64),
    "Imag": unary("Imag", C, Tout=tf.float64),
    # Choices
    "Select": [op("Select", X > 0, X, P), op("Select", np.array([True, False]), X, P)],
    "SelectV2": [op("SelectV2", X > 0, X, P), op("SelectV2", ROW > 1, COLUMN, X)],
}
