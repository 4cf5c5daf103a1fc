"""Printing, checking, Python functions."""

import numpy as np

from tests.conformance.registry import Program, case

# StringFormat: what tf.print shows ----------------------------------------------------------------

VALUES = {
    "vector": np.arange(10.0, dtype=np.float32),
    "matrix": np.arange(80).reshape(8, 10),
    "cube": np.arange(12).reshape(3, 2, 2),
    "empty": np.zeros([0], np.float32),
    "floats": np.array([0.1, 1 / 3, 1e-10, 123456789, 1e6, -0.0], np.float32),
    "doubles": np.array([0.1, 1 / 3, 1e100, 5e-324, 123456789.123]),
    "specials": np.array([np.nan, np.inf, -np.inf], np.float32),
    "bools": np.array([True, False, True]),
    "bytes": np.array([[b"a", b"b'"], [b'"c"', b"d\n"]], object),
    "small": np.array([-5, 100], np.int8),
}


@case("StringFormat", each=VALUES)
def format_values(tf, kind):
    value = tf.constant(VALUES[kind])
    return [tf.strings.format("{}", value, summarize=n) for n in (3, 1, -1)]


@case("StringFormat")
def format_several(tf):
    inputs = [tf.constant(1.5), tf.constant(["a", "b"]), tf.constant("text")]
    return tf.strings.format("a % b % c %.", inputs, placeholder="%")


@case("StringFormat", error="The template expects 2 tensors, but the inputs only has 1")
def format_too_few(tf):
    return tf.strings.format("{} {}", [tf.constant(1)])


# Print, PrintV2 -----------------------------------------------------------------------------------


@case("Print")
def print_passes_its_input_on(tf):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    return tf.Print(x, [x, tf.constant("b")], message="x is ", first_n=2, summarize=2, name="shown")


@case("Print")
def gradients_of_print(tf):
    x = tf.constant(3.0)
    return tf.gradients(tf.square(tf.Print(x, [x])), [x])


@case("PrintV2", "StringFormat")
def print_v2(tf):
    x = tf.constant([1.0, 2.0])
    return [
        tf.print("hello", x, {"a": tf.constant(3), "b": [1, 2]}, [tf.constant("x")], name="shown"),
        tf.print(tf.constant("plain")),
        tf.print(tf.constant("plain"), tf.constant("x"), 3, sep=",", end="!\n", summarize=1),
    ]


@case("PrintV2", error="Unsupported output stream, logging level, or file.7")
def print_to_nowhere(tf):
    return tf.print(3, output_stream=7)


@case("PrintV2", error="Unrecognized keyword arguments for tf.print")
def print_with_a_wrong_keyword(tf):
    return tf.print(3, colour="red")


# Assert -------------------------------------------------------------------------------------------


@case("Assert")
def assert_true(tf):
    x = tf.constant([1.0, 2.0])
    with tf.control_dependencies([tf.Assert(tf.constant(True), [x])]):
        return tf.identity(x)


@case("Assert")
def assert_without_a_guard(tf):
    return tf.Assert(tf.constant(True), [tf.constant("message"), tf.constant(3)], name="check")


@case("Assert", error="assertion failed: [1 2...] [x is]")
def assert_false(tf):
    data = [tf.constant([1.0, 2.0, 3.0]), tf.constant("x is")]
    return tf.Assert(tf.constant(False), data, summarize=2)


@case("Assert", error="assertion failed: [3] [a]")
def assert_false_without_a_guard(tf):
    return tf.Assert(False, [3, "a"])


@case("Assert", error="In[0] should be a scalar: [2]")
def assert_of_a_vector(tf):
    condition = tf.placeholder(tf.bool, name="condition")
    return Program(tf.Assert(condition, ["a"]), feed={condition: [True, False]})


# PyFunc -------------------------------------------------------------------------------------------


@case("PyFunc", travels=False)
def py_func_of_arrays(tf):
    x = tf.placeholder(tf.float32, [None], name="x")
    doubled = tf.py_func(lambda a: a * 2, [x], tf.float32)
    parts = tf.py_func(lambda a: (a.max(), a.astype(np.int64)), [x], [tf.float32, tf.int64])
    return Program([doubled, *parts], feed={x: [1.0, 2.5]})


@case("PyFunc", travels=False)
def py_func_of_strings(tf):
    joined = tf.py_func(lambda a, b: b"-".join(b) + a, [tf.constant("z"), ["x", "y"]], tf.string)
    return [joined, tf.py_func(lambda: np.array(["a", "b"]), [], tf.string)]


@case("PyFunc", travels=False)
def py_func_without_results(tf):
    return tf.py_func(lambda a: None, [1.0], [])


@case("PyFuncStateless", travels=False)
def py_func_without_state(tf):
    return tf.py_func(lambda a: a + 1, [[1, 2]], tf.int32, stateful=False, name="plus_one")


@case("PyFunc", travels=False, error="is double, but expects float")
def py_func_of_a_wrong_type(tf):
    return tf.py_func(lambda a: np.float64(1.5), [1.0], tf.float32)


@case("PyFunc", travels=False, error="returns 2 values, but expects to see 1 values")
def py_func_of_too_many(tf):
    return tf.py_func(lambda a: (a, a), [1.0], tf.float32)


@case("PyFunc", travels=False, error="returns 0 values, but expects to see 1 values")
def py_func_of_nothing(tf):
    return tf.py_func(lambda a: None, [1.0], tf.float32)


@case("PyFunc", travels=False, error="Expected func to be callable. Received func=3")
def py_func_of_a_number(tf):
    return tf.py_func(3, [1.0], tf.float32)
