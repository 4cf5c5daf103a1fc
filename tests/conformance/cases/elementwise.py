"""Arithmetic, division, powers, signs, complex numbers: values, graphs, errors, gradients."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed

FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
INTEGERS = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
ALL = FLOATS + COMPLEX + INTEGERS + UNSIGNED
REAL = FLOATS + INTEGERS + UNSIGNED

#: name of the function -> (op type, dtypes)
BINARY = {
    "add": ("AddV2", ALL),
    "subtract": ("Sub", ALL),
    "multiply": ("Mul", ALL),
    "maximum": ("Maximum", REAL),
    "minimum": ("Minimum", REAL),
    "squared_difference": ("SquaredDifference", [*FLOATS, *COMPLEX, "int32", "int64"]),
    "realdiv": ("RealDiv", [*FLOATS, *COMPLEX]),
    "truncatediv": ("TruncateDiv", REAL),
    "floordiv": ("FloorDiv", REAL),
    "floormod": ("FloorMod", REAL),
    "truncatemod": ("TruncateMod", ["float32", "float64", "int32", "int64"]),
    "div_no_nan": ("DivNoNan", [*FLOATS, *COMPLEX]),
    "pow": ("Pow", [*FLOATS, *COMPLEX, *INTEGERS]),
}
#: The same, for functions of one tensor.
UNARY = {
    "square": ("Square", ALL),
    "sqrt": ("Sqrt", [*FLOATS, *COMPLEX]),
    "rsqrt": ("Rsqrt", [*FLOATS, *COMPLEX]),
    "reciprocal": ("Reciprocal", [*FLOATS, *COMPLEX]),
    "exp": ("Exp", [*FLOATS, *COMPLEX]),
    "expm1": ("Expm1", [*FLOATS, *COMPLEX]),
    "log": ("Log", [*FLOATS, *COMPLEX]),
    "log1p": ("Log1p", [*FLOATS, *COMPLEX]),
    "sin": ("Sin", [*FLOATS, *COMPLEX]),
    "cos": ("Cos", [*FLOATS, *COMPLEX]),
    "negative": ("Neg", [*FLOATS, *COMPLEX, *INTEGERS]),
    "abs": ("Abs", [*FLOATS, *INTEGERS]),
    "sign": ("Sign", [*FLOATS, *INTEGERS]),
    "floor": ("Floor", FLOATS),
    "ceil": ("Ceil", FLOATS),
    "rint": ("Rint", ["float32", "float64"]),
    "round": ("Round", FLOATS),
    "is_nan": ("IsNan", FLOATS),
    "is_inf": ("IsInf", FLOATS),
    "is_finite": ("IsFinite", FLOATS),
}
EDGES = [-np.inf, -2.5, -1.0, -0.0, 0.0, 1e-7, 0.5, 1.5, 2.5, np.inf, np.nan]


def pairs(table):
    return [(name, dtype) for name, (_, types) in table.items() for dtype in types]


def signed(values, dtype):
    """The values, without signs where the dtype has none, and with imaginary parts if it can."""
    values = np.asarray(values)
    if dtype in UNSIGNED:
        return np.abs(values)
    return values * (1 + 0.5j) if dtype in COMPLEX else values


def op_types(table):
    return sorted({op_type for op_type, _ in table.values()})


# Values -----------------------------------------------------------------------------------------


@case(*op_types(BINARY), each=pairs(BINARY))
def of_two_broadcast(tf, name, dtype):
    x = tf.constant(signed([[7], [-7], [6]], dtype), dtype)
    power = [3, 2] if name == "pow" else [2, -3] if dtype not in UNSIGNED else [2, 3]
    function = getattr(tf, name)
    y = tf.constant(np.asarray(power), dtype)
    return [function(x, y), function(x[0, 0], y[0])]


@case(*op_types(UNARY), each=pairs(UNARY))
def of_one(tf, name, dtype):
    values = [1, 2, 3] if name in ("sqrt", "rsqrt", "log", "log1p") else [1, -2, 3]
    if dtype in FLOATS:
        values = np.asarray(values) * 0.75
    x = tf.constant(signed(values, dtype), dtype)
    function = getattr(tf, name)
    return [function(x), function(x[1]), function(x[:0])]


@case(*op_types(UNARY), each=[n for n, (_, types) in UNARY.items() if "float64" in types])
def of_one_at_the_edges(tf, name):
    return getattr(tf, name)(tf.constant(EDGES, tf.float64))


@case(*op_types(BINARY), each=[n for n, (_, types) in BINARY.items() if "float64" in types])
def of_two_at_the_edges(tf, name):
    x = tf.constant(EDGES, tf.float64)
    return getattr(tf, name)(x[:, None], x)


@case("Add", "Div", "Mod", each=["Add", "Div", "Mod"])
def of_older_graphs(tf, op_type):
    ints = [tf.constant([[7], [-7]]), tf.constant([2, -3])]
    floats = [tf.constant([[7.5], [-7.0]]), tf.constant([2.0, -3.0])]
    return [node(tf, op_type, ints)[0], node(tf, op_type, floats)[0]]


@case("Div", each=[*FLOATS, *COMPLEX, *INTEGERS, *UNSIGNED])
def div_of_older_graphs(tf, dtype):
    x = tf.constant(signed([[7], [-7]], dtype), dtype)
    return node(tf, "Div", [x, tf.constant(signed([2, -3], dtype), dtype)])


@case("Inv", "InvGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", each=FLOATS + COMPLEX)
def derivatives(tf, dtype):
    x = tf.constant(signed([1.0, 2.0, 4.0], dtype), dtype)
    dy = tf.constant(signed([0.5, -1.0, 2.0], dtype), dtype)
    grads = ("InvGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad")
    return [node(tf, "Inv", [x])[0]] + [node(tf, name, [x, dy])[0] for name in grads]


@case("Add")
def strings_are_joined(tf):
    words = tf.constant([["a"], ["bc"]])
    return [tf.add(words, ["x", ""]), words + "y", tf.constant("p") + tf.constant("q")]


@case("AddN", each=ALL)
def add_n(tf, dtype):
    x = tf.constant(signed([1, -2, 3], dtype), dtype)
    return [tf.add_n([x, x, x]), tf.add_n([x[0], x[1]]), tf.add_n([x]), tf.add_n([x], name="one")]


@case("AddN")
def accumulate_n(tf):
    x, feed = fed(tf, [1.0, 2.0])
    return Program([tf.accumulate_n([x, tf.ones([2]), x]), tf.accumulate_n([x], [2])], feed=feed)


@case("ComplexAbs", "Conj", "Real", "Imag", "Complex", "DivNoNan", each=COMPLEX)
def complex_numbers(tf, dtype):
    x = tf.constant([3 + 4j, 0, -1j], dtype)
    return [
        tf.abs(x),
        tf.conj(x),
        tf.real(x),
        tf.imag(x),
        tf.sign(x),
        tf.abs(x[0]),
        tf.complex(tf.real(x), tf.imag(x)),
        tf.complex(tf.real(x[0]), tf.imag(x)),
    ]


@case("Const")
def complex_functions_of_real_numbers(tf):
    x = tf.constant([1.0, 2.0])
    return [tf.conj(x), tf.real(x), tf.imag(x), tf.conj([1, 2])]


@case("Complex")
def complex_of_python_numbers(tf):
    return [tf.complex(1.0, tf.constant([2.0, np.inf])), tf.complex(tf.constant(1.0), 2.0, "named")]


# Functions ----------------------------------------------------------------------------------------


@case("AddV2", "Sub", "Mul", "RealDiv", "FloorDiv", "FloorMod", "Pow")
def python_numbers_take_the_dtype_of_the_tensor(tf):
    x = tf.constant([1.0, 2.0], tf.float64)
    return [
        tf.add(x, 1),
        tf.add(x, 1.5, name="named"),
        tf.subtract(x, 1),
        tf.multiply(x, [3, 4]),
        tf.truediv(x, 2),
        tf.divide(x, 2),
        tf.divide(2.0, x),
        tf.divide(x, 2, name="quotient"),
        tf.div(x, 2),
        tf.floordiv(x, 2),
        tf.mod(x, 2),
        tf.floor_div(x, 2.0),
        tf.pow(x, 2),
        tf.scalar_mul(2, x),
        tf.math.add(x, np.array([1.0, 2.0], np.float32)),
    ]


@case("AddV2", "Mul", "Exp")
def python_values_alone(tf):
    return [
        tf.add(3, 5),
        tf.add([1.0], 2),
        tf.multiply(3, 4),
        tf.exp(1.0),
        tf.abs(-3),
        tf.sign(-2.0),
    ]


@case("RealDiv", "Cast", each=INTEGERS + UNSIGNED)
def true_division_of_integers(tf, dtype):
    x = tf.constant([7, 8], dtype)
    return [tf.truediv(x, 2), x / x, tf.div(x, 2), tf.truediv(x, x, name="named")]


@case("DivNoNan", "Cast")
def div_no_nan_of_integers_and_numbers(tf):
    x = tf.constant([0, 2])
    return [tf.div_no_nan(x, x), tf.div_no_nan(1, x), tf.math.divide_no_nan(x, 2)]


@case("Round")
def round_to_even(tf):
    return [tf.round([0.5, 1.5, 2.5, -0.5, -1.5]), tf.round([1, 2])]


@case("AddV2", "Sub", "Mul", "RealDiv", "FloorDiv", "FloorMod", "Pow", "Neg", "Abs", "MatMul")
def operators(tf):
    x, y, n = tf.constant([4.0, 9.0]), tf.constant([[1.0, 2.0]]), tf.constant([6, 7])
    return [
        x + x,
        x - x,
        x * x,
        x / x,
        x // x,
        x % x,
        x**x,
        -x,
        abs(x),
        y @ [[1], [2]],
        [[3.0]] @ y,
        x + 1,
        1 + x,
        x - 1,
        1 - x,
        x * 2,
        2 * x,
        x / 2,
        2 / x,
        x // 2,
        2 // x,
        x % 2,
        2 % x,
        x**2,
        2**x,
        n / 2,
        2 / n,
        n / n,
        n + np.array([1, 2]),
        np.array([1, 2]) - n,
        x + [1, 2],
        np.float64(2) * x,
        x < 5,
        x <= 5,
        x > 5,
        x >= 5,
        5 < x,
        x[0] + x[1],
    ]


@case("AddV2")
def names_in_scopes(tf):
    with tf.name_scope("outer"):
        x = tf.constant(1.0)
        return [tf.add(x, 1.0), tf.add(1.0, x), x + 1.0, 1.0 + x, tf.add(x, x, name="sum") + x]


@case(
    "AddV2", "Mul", each=[([2, None], [None, 3]), ([None], [1]), (None, [2]), ([2, 1], [None, 4])]
)
def static_shapes_of_what_is_not_known(tf, first, second):
    x = tf.placeholder(tf.float32, first)
    y = tf.placeholder(tf.float32, second)
    feed = {
        x: np.ones([2 if n is None else n for n in first or [1]]),
        y: np.ones([2 if n is None else n for n in second]),
    }
    if first == [2, None]:
        feed = {x: np.ones([2, 3]), y: np.ones([2, 3])}
    return Program([x + y, tf.multiply(x, y), -x, tf.add_n([x, x])], feed=feed)


@case("AddN")
def add_n_merges_shapes(tf):
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [3, None])
    return Program(tf.add_n([x, y]), feed={x: np.ones([3, 2]), y: np.ones([3, 2])})


# Errors -------------------------------------------------------------------------------------------


@case("AddV2", error="Dimensions must be equal, but are 2 and 3")
def shapes_that_do_not_fit(tf):
    return tf.add([1.0, 2.0], [1.0, 2.0, 3.0])


@case(
    "AddV2",
    error="Incompatible shapes: [2] vs. [3]",
    each=["add", "subtract", "multiply", "maximum", "realdiv", "pow", "floordiv", "floormod"],
)
def fed_shapes_that_do_not_fit(tf, name):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    return Program(getattr(tf, name)(x, y, name="here"), feed={x: np.ones(2), y: np.ones(3)})


@case("Mul", error="Incompatible shapes: [2,3] vs. [4,1,2]")
def fed_shapes_of_several_dimensions(tf):
    x, y = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
    return Program(tf.multiply(x, y), feed={x: np.ones([2, 3]), y: np.ones([4, 1, 2])})


@case(
    "FloorDiv",
    error="Integer division by zero",
    each=[("floordiv", d) for d in ("int32", "int64", "uint8")] + [("floormod", "int32")],
)
def integer_division_by_zero(tf, name, dtype):
    x = tf.constant([1, 2], dtype)
    return getattr(tf, name)(x, tf.constant([1, 0], dtype))


@case("Pow", error="Integers to negative integer powers are not allowed")
def negative_power_of_an_integer(tf):
    return tf.pow([1, 2], [1, -1])


@case("RealDiv", error="No OpKernel was registered to support Op 'RealDiv'")
def realdiv_of_integers(tf):
    return tf.realdiv([1], [2])


DTYPE_ERRORS = {
    "add": "Input 'y' of 'AddV2' Op has type float32 that does not match type int32 of argument",
    "multiply": "Input 'y' of 'Mul' Op has type float32 that does not match type int32 of argument",
    "truediv": "`x` and `y` must have the same dtype, got tf.int32 != tf.float32",
    "div_no_nan": "`x` and `y` must have the same dtype, got tf.int32 != tf.float32",
}


@case("AddV2", error="type", each=list(DTYPE_ERRORS))
def dtypes_that_differ(tf, name):
    return getattr(tf, name)(tf.constant(1), tf.constant(2.0))


@case("AddV2", error="Input 'y' of 'AddV2' Op has type float32 that does not match type int32")
def a_fraction_added_to_an_integer(tf):
    return tf.add(tf.constant(1), 2.5)


@case("Mul", error="Expected int32 passed to parameter 'y' of op 'Mul', got 2.5 of type 'float'")
def a_fraction_times_an_integer(tf):
    return tf.constant(1) * 2.5


@case(
    "AddV2", error="Value passed to parameter 'x' has DataType bool not in list of allowed values"
)
def truth_values_do_not_add(tf):
    return tf.constant(True) + tf.constant(False)


@case("Neg", error="Value passed to parameter 'x' has DataType uint8 not in list of allowed values")
def unsigned_numbers_have_no_negative(tf):
    return -tf.constant(1, tf.uint8)


@case("RealDiv", error="Invalid dtype tf.string in __truediv__")
def strings_do_not_divide(tf):
    return tf.constant("a") / tf.constant("b")


@case("AddV2", error="None values not supported.", each=["add", "subtract", "truediv"])
def none_is_no_tensor(tf, name):
    return getattr(tf, name)(tf.constant(1.0), None)


@case("AddN", error="From merging shape 0 with other shapes.")
def add_n_of_other_shapes(tf):
    return tf.add_n([tf.ones([2]), tf.ones([3])])


@case("AddN", error="Inputs to operation AddN of type AddN must have the same size and shape.")
def add_n_of_other_fed_shapes(tf):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    return Program(tf.add_n([x, y], name="AddN"), feed={x: np.ones(2), y: np.ones(3)})


@case("AddN", error="Inputs must be an iterable of at least one Tensor/IndexedSlices")
def add_n_of_nothing(tf):
    return tf.add_n([])


@case("AddN", error="Tensors in list passed to 'inputs' of 'AddN' Op have types [int32, float32]")
def add_n_of_other_dtypes(tf):
    return tf.add_n([tf.constant(1), tf.constant(1.0)])


@case("Mul", error="The input scalar must be a 0-D value. Received shape (2,).")
def scalar_mul_of_a_vector(tf):
    return tf.scalar_mul([1, 2], tf.constant([1.0, 2.0]))


@case("Complex", error="The `real` and `imag` components have incorrect types: int32 int32")
def complex_of_integers(tf):
    return tf.complex(1, 2)
