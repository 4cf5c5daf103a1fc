"""Gradients of the elementwise ops, and of broadcasting."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case

DIFFERENTIABLE_BINARY = [
    "add",
    "subtract",
    "multiply",
    "realdiv",
    "maximum",
    "minimum",
    "squared_difference",
    "pow",
    "floormod",
    "div_no_nan",
]
DIFFERENTIABLE_UNARY = [
    "square",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "exp",
    "expm1",
    "log",
    "log1p",
    "sin",
    "cos",
    "negative",
    "abs",
    "sign",
]
SHAPES = [([2, 3], [2, 3]), ([2, 3], [3]), ([2, 1], [1, 3]), ([], [2]), ([1, 1], [1])]


def weighted(tf, y):
    """A gradient that differs from element to element."""
    return tf.constant(np.linspace(0.5, 2.0, int(np.prod(y.shape))).reshape(y.shape), y.dtype)


def filled(shape, start):
    return (np.arange(np.prod(shape, dtype=int)) * 0.7 + start).reshape(shape)


@case(
    "AddV2",
    "Sub",
    "Mul",
    "RealDiv",
    "Maximum",
    "Minimum",
    "SquaredDifference",
    "Pow",
    each=[(n, *s) for n in DIFFERENTIABLE_BINARY for s in SHAPES],
)
def gradients_of_two(tf, name, first, second):
    x = tf.constant(filled(first, 0.5), tf.float32)
    y = tf.constant(filled(second, 1.1), tf.float32)
    z = getattr(tf, name)(x, y)
    return tf.gradients(z, [x, y], grad_ys=weighted(tf, z))


@case(
    "BroadcastGradientArgs",
    "Shape",
    each=[(n, *s) for n in DIFFERENTIABLE_BINARY for s in SHAPES[:3]],
)
def gradients_of_two_of_unknown_shape(tf, name, first, second):
    x, y = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
    grads = tf.gradients(getattr(tf, name)(x, y), [x, y])
    return Program(grads, feed={x: filled(first, 0.5), y: filled(second, 1.1)})


@case("BroadcastGradientArgs", each=[([None, 3], [3]), ([None, 3], [None, 1]), ([None], [2, None])])
def gradients_of_partly_known_shapes(tf, first, second):
    x, y = tf.placeholder(tf.float32, first), tf.placeholder(tf.float32, second)
    grads = tf.gradients(x * y + x, [x, y])
    feed = {
        x: filled([2 if n is None else n for n in first], 0.5),
        y: filled([2 if n is None else n for n in second], 1.1),
    }
    return Program(grads, feed=feed)


@case("BroadcastGradientArgs", each=["int32", "int64"])
def broadcast_gradient_args(tf, dtype):
    shapes = [
        ([1, 3], [1, 3]),
        ([2, 3], [3]),
        ([2, 1], [1, 3]),
        ([1, 1], [1, 3]),
        ([], []),
        ([], [2]),
        ([1, 1], [1]),
        ([2, 1, 1, 3], [2, 1, 5, 3]),
        ([0, 1], [1, 1]),
        ([1, 2, 1], [2, 1]),
    ]
    return [
        node(tf, "BroadcastGradientArgs", [tf.constant(a, dtype), tf.constant(b, dtype)])
        for a, b in shapes
    ]


@case("BroadcastGradientArgs", error="Incompatible shapes: [2,3] vs. [2,4]")
def broadcast_gradient_args_of_shapes_that_do_not_fit(tf):
    return node(tf, "BroadcastGradientArgs", [tf.constant([2, 3]), tf.constant([2, 4])])


@case(
    "Neg", "Exp", "Mul", each=[(n, d) for n in DIFFERENTIABLE_UNARY for d in ("float32", "float64")]
)
def gradients_of_one(tf, name, dtype):
    x = tf.constant([0.5, 1.25, 3.0], dtype)
    y = getattr(tf, name)(x)
    return tf.gradients(y, x, grad_ys=weighted(tf, y))


@case("Conj", each=[n for n in DIFFERENTIABLE_UNARY if n not in ("abs", "sign")])
def complex_gradients_of_one(tf, name):
    x = tf.constant([0.5 + 1j, 1.25, 3j - 1], tf.complex128)
    y = getattr(tf, name)(x)
    return tf.gradients(y, x, grad_ys=tf.constant([1, 2j, 1 - 1j], tf.complex128))


@case("Conj", each=["add", "subtract", "multiply", "realdiv", "pow", "div_no_nan"])
def complex_gradients_of_two(tf, name):
    x = tf.constant([[0.5 + 1j], [2 - 1j]], tf.complex128)
    y = tf.constant([1.25, 3j - 1], tf.complex128)
    z = getattr(tf, name)(x, y)
    return tf.gradients(z, [x, y], grad_ys=tf.ones_like(z))


@case("ComplexAbs", "Complex", "Real", "Imag")
def gradients_to_and_from_complex(tf):
    x = tf.constant([[3.0], [0.5]])
    y = tf.constant([4.0, -1.0])
    z = tf.complex(x, y)
    result = tf.abs(z) + tf.real(z) * tf.imag(z)
    return tf.gradients(result, [x, y])


@case(
    "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", each=["sqrt", "rsqrt", "reciprocal", "square", "exp"]
)
def second_gradients(tf, name):
    x = tf.constant([0.5, 1.25, 3.0], tf.float64)
    first = tf.gradients(getattr(tf, name)(x), x)[0]
    return [first, tf.gradients(first, x, grad_ys=weighted(tf, first))]


@case("AddN")
def gradients_of_add_n(tf):
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    return tf.gradients(tf.add_n([x, y, x * y]), [x, y])


@case("Maximum", "Minimum", each=["maximum", "minimum"])
def gradients_where_both_are_equal(tf, name):
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 3.0, 2.0])
    return tf.gradients(getattr(tf, name)(x, y), [x, y])


@case("Pow")
def gradients_of_powers_of_zero_and_less(tf):
    x, y = tf.constant([0.0, -2.0, 2.0]), tf.constant([2.0, 3.0, 0.0])
    return tf.gradients(tf.pow(x, y), [x, y])


@case("FloorDiv", "Floor", "Round")
def nothing_flows_through_steps(tf):
    x = tf.constant([1.5, 2.5])
    steps = x // 2.0 + tf.floor(x) + tf.ceil(x) + tf.round(x) + tf.rint(x)
    return tf.gradients(steps + x, x)


@case("Div")
def gradients_of_div_of_older_graphs(tf):
    x, y = tf.constant([[6.0], [3.0]]), tf.constant([2.0, 4.0])
    return tf.gradients(node(tf, "Div", [x, y])[0], [x, y])


@case("Inv", "InvGrad")
def gradients_of_inv_of_older_graphs(tf):
    x = tf.constant([2.0, 4.0], tf.float64)
    first = tf.gradients(node(tf, "Inv", [x])[0], x)[0]
    again = tf.gradients(node(tf, "InvGrad", [x, x * 2.0])[0], x)[0]
    return [first, tf.gradients(first, x), again]
