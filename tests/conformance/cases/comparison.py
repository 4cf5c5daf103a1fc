"""Comparisons, logic, bits, and choosing by them."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, numbers

REAL = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
INTEGERS = REAL[4:]
ORDER = ["less", "less_equal", "greater", "greater_equal"]
NAN = float("nan")
T, F = True, False


@case("Less", "LessEqual", "Greater", "GreaterEqual", each=[(n, d) for n in ORDER for d in REAL])
def order(tf, name, dtype):
    x = tf.constant([[1], [2], [3]], dtype)
    return [getattr(tf, name)(x, [1, 3]), getattr(tf, name)(x[0, 0], x[1, 0])]


@case("Equal", "NotEqual", each=[*REAL, "complex64", "complex128", "bool", "string"])
def equality(tf, dtype):
    x = numbers(tf, 3, 1, dtype=dtype)
    y = numbers(tf, 2, dtype=dtype)
    return [tf.equal(x, y), tf.not_equal(x, y), tf.equal(y[0], y[0]), tf.not_equal(y[0], y[1])]


@case("Less", "Equal", "NotEqual", "GreaterEqual")
def comparing_with_nan(tf):
    x = tf.constant([NAN, 1.0, np.inf])
    return [tf.equal(x, x), tf.not_equal(x, x), x < x, x <= x, x > 1.0, x >= x]


@case("Equal", "NotEqual", each=["Equal", "NotEqual"])
def shapes_that_differ_and_may(tf, op_type):
    x, y = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    z = node(tf, op_type, [x, y], incompatible_shape_error=False)[0]
    known = node(
        tf, op_type, [tf.constant([1, 2]), tf.constant([1, 2, 3])], incompatible_shape_error=False
    )
    feeds = [{x: [1, 2], y: [1, 2, 3]}, {x: [1, 2], y: [1, 5]}]
    return Program([z, *known], feed=feeds)


@case("Equal", error="Dimensions must be equal, but are 2 and 3")
def equal_of_shapes_that_do_not_fit(tf):
    return tf.equal([1, 2], [1, 2, 3])


@case("Equal", error="Incompatible shapes: [2] vs. [3]")
def equal_of_fed_shapes_that_do_not_fit(tf):
    x, y = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    return Program(tf.equal(x, y), feed={x: [1, 2], y: [1, 2, 3]})


@case("Less", error="Value passed to parameter 'x' has DataType bool not in list of allowed values")
def truth_values_have_no_order(tf):
    return tf.less(tf.constant(True), tf.constant(False))


@case("Less", error="Expected int32 passed to parameter 'y' of op 'Less', got 2.5")
def less_of_other_dtypes(tf):
    return tf.less(tf.constant(1), 2.5)


# Logic, bits --------------------------------------------------------------------------------------


@case("LogicalAnd", "LogicalOr", "LogicalNot")
def logic(tf):
    x, y = tf.constant([[T], [F]]), tf.constant([T, F])
    return [
        tf.logical_and(x, y),
        tf.logical_or(x, y),
        tf.logical_not(x),
        tf.logical_xor(x, y),
        x & y,
        x | y,
        x ^ y,
        ~x,
        x & True,
        False | x,
        tf.logical_and(True, y),
        tf.logical_xor(x, y, name="named"),
        x ^ True,
    ]


@case("LogicalAnd", error="Input 'x' of 'LogicalAnd' Op has type int32 that does not match")
def logic_of_numbers(tf):
    return tf.logical_and(tf.constant(1), True)


@case("BitwiseAnd", "BitwiseOr", "BitwiseXor", "Invert", each=INTEGERS)
def bits(tf, dtype):
    x, y = tf.constant([[12], [7]], dtype), tf.constant([10, 1], dtype)
    return [
        tf.bitwise.bitwise_and(x, y),
        tf.bitwise.bitwise_or(x, y),
        tf.bitwise.bitwise_xor(x, y),
        tf.bitwise.invert(x),
        x & y,
        x | y,
        x ^ y,
        ~x,
        x & 3,
        3 | x,
    ]


@case("BitwiseAnd", error="Value passed to parameter 'x' has DataType float32 not in list")
def bits_of_a_float(tf):
    return tf.constant(1.0) & tf.constant(2.0)


# Choosing -----------------------------------------------------------------------------------------


@case("Select", each=["float32", "bfloat16", "int64", "bool", "string", "complex64"])
def where(tf, dtype):
    x, y = numbers(tf, 2, 2, dtype=dtype), numbers(tf, 2, 2, dtype=dtype)
    return [
        tf.where([[T, F], [F, T]], x, y),
        tf.where([T, F], x, y),
        tf.where(T, x, y),
        tf.where(F, x[0, 0], y[0, 1]),
        tf.where([], x[0, :0], y[0, :0]),
    ]


@case("Select", each=[([T, F], [2, 2]), (T, [2, 2]), ([[T, F], [T, F]], [2, 2]), ([T, F], [2])])
def where_of_what_is_fed(tf, condition, shape):
    c, feed = fed(tf, condition, "bool")
    x, more = fed(tf, np.ones(shape))
    y, rest = fed(tf, np.zeros(shape), shape=[2] + [None] * (len(shape) - 1))
    return Program(tf.where(c, x, y), feed={**feed, **more, **rest})


@case("SelectV2", each=["float32", "bfloat16", "int64", "bool", "string"])
def where_v2(tf, dtype):
    x, y = numbers(tf, 2, 1, dtype=dtype), numbers(tf, 3, dtype=dtype)
    return [
        tf.where_v2([T, F, T], x, y),
        tf.where_v2(T, x, y),
        tf.where_v2([[T], [F]], x[0, 0], y),
        tf.where_v2(F, x[0, 0], y[1]),
    ]


@case("SelectV2")
def where_v2_of_python_numbers(tf):
    c, feed = fed(tf, [T, F], "bool", [None])
    return Program([tf.where_v2(c, 1.0, 2.0), tf.where_v2(c, [[1]], 0)], feed=feed)


@case("Where", each=["bool", "float32", "float64", "int32", "uint8", "bfloat16", "complex64"])
def where_with_one_argument(tf, dtype):
    x = tf.constant([[T, F, T], [F, F, T]]) if dtype == "bool" else numbers(tf, 2, 3, dtype=dtype)
    return [tf.where(x), tf.where(x[0]), tf.where_v2(x[:0]), tf.where([[T, F]])]


@case("Where")
def where_of_unknown_shape(tf):
    x, feed = fed(tf, [0.0, NAN, 2.0])
    return Program([tf.where(x)], feed=feed)


@case("Where", error="WhereOp : Unhandled input dimensions: 0")
def where_of_a_scalar(tf):
    return tf.where(tf.constant(True))


@case("Select", error="x and y must both be non-None or both be None.")
def where_with_two_arguments(tf):
    return tf.where(tf.constant(True), 1)


@case(
    "Select",
    error="Dimension 0 in both shapes must be equal, but are",
    each=[([T, F, T], [2], [2]), ([T, F], [3], [2]), ([T, F], [1, 3], [1, 3])],
)
def where_of_shapes_that_do_not_fit(tf, condition, x, y):
    return tf.where(condition, tf.ones(x), tf.ones(y))


@case("Select", error="Shapes must be equal rank, but are 1 and 2")
def where_of_ranks_that_do_not_fit(tf):
    return tf.where([[T, F]], tf.ones([2]), tf.ones([2]))


@case(
    "Select",
    error="Inputs to operation Select of type Select must have the same size and shape.",
    each=[([T, F], [2], [2, 2]), ([[T, F]], [2, 2], [2, 2]), ([T, F, T], [2], [2])],
)
def where_of_fed_shapes_that_do_not_fit(tf, condition, x, y):
    return _fed_choice(tf, tf.where, condition, x, y)


def _fed_choice(tf, choose, condition, x, y):
    c, feed = fed(tf, condition, "bool")
    a, more = fed(tf, np.ones(x))
    b, rest = fed(tf, np.ones(y))
    return Program(choose(c, a, b), feed={**feed, **more, **rest})


@case("Select", error="Number of batches of 'then' must match size of 'cond', but saw: 2 vs. 3")
def where_of_too_many_rows(tf):
    return _fed_choice(tf, tf.where, [T, F, T], [2, 2], [2, 2])


@case("SelectV2", error="condition [3], then [2], and else [2] must be broadcastable")
def where_v2_of_fed_shapes_that_do_not_fit(tf):
    return _fed_choice(tf, tf.where_v2, [T, F, T], [2], [2])


@case("SelectV2", error="Dimensions must be equal, but are 3 and 2")
def where_v2_of_shapes_that_do_not_fit(tf):
    return tf.where_v2([T, F, T], tf.ones([2]), tf.ones([2]))


@case("Select", error="Expected int32 passed to parameter 'e' of op 'Select', got 2.5")
def where_of_other_dtypes(tf):
    return tf.where(tf.constant(True), 1, 2.5)


# Gradients ----------------------------------------------------------------------------------------


@case("Select")
def gradients_of_where(tf):
    x, y = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[5.0, 6.0], [7.0, 8.0]])
    chosen = [tf.where(x > 2.0, x * y, y), tf.where([T, F], x, y), tf.where(T, x, y)]
    return [tf.gradients(z, [x, y]) for z in chosen]


@case("SelectV2", each=[([2, 1], [3]), ([], [2, 3]), ([2, 3], [2, 3])])
def gradients_of_where_v2(tf, first, second):
    x = tf.constant(np.ones(first), tf.float32)
    y = tf.constant(np.ones(second), tf.float32)
    return tf.gradients(tf.where_v2([T, F, T], x, y), [x, y])


@case("SelectV2", "BroadcastGradientArgs")
def gradients_of_where_v2_of_unknown_shape(tf):
    x, feed = fed(tf, [[1.0], [2.0]])
    y, more = fed(tf, [1.0, 2.0, 3.0])
    z = tf.where_v2([T, F, T], x, y)
    return Program(tf.gradients(z, [x, y]), feed={**feed, **more})


@case("Greater", "LogicalAnd")
def nothing_flows_through_comparisons(tf):
    x = tf.constant([1.0, 2.0])
    mask = tf.cast(tf.logical_and(x > 1.0, tf.not_equal(x, 3.0)), tf.float32)
    return tf.gradients(mask * x, x)
