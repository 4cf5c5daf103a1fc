"""Numbers as bits, and casts that keep to the bounds."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed

SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]


@case("LeftShift", "RightShift", each=SIGNED + UNSIGNED)
def shifts(tf, dtype):
    x = tf.constant([[-7], [7], [100]] if dtype in SIGNED else [[200], [7], [100]], dtype)
    y = tf.constant(
        [-8, -1, 0, 1, 7, 8, 31, 100] if dtype in SIGNED else [0, 1, 7, 8, 31, 200], dtype
    )
    functions = tf.bitwise.left_shift, tf.bitwise.right_shift
    return [f(x, y) for f in functions] + [f(x[0, 0], y[2], name="named") for f in functions]


@case("PopulationCount", each=SIGNED + UNSIGNED)
def population_count(tf, dtype):
    x = tf.constant([-1, 7, 0, -128] if dtype in SIGNED else [255, 7, 0, 128], dtype)
    return [node(tf, "PopulationCount", [x])[0], node(tf, "PopulationCount", [x[0]])[0]]


@case("LeftShift", error="has DataType float32 not in list of allowed values")
def shift_of_floats(tf):
    return tf.bitwise.left_shift(1.0, 2.0)


@case("RightShift", error="Incompatible shapes: [2] vs. [3]")
def shift_of_wrong_fed_shapes(tf):
    x, feed = fed(tf, [1, 2], "int32")
    return Program(tf.bitwise.right_shift(x, [1, 2, 3]), feed=feed)


@case("Bitcast")
def bitcast(tf):
    x, feed = fed(tf, np.arange(8).reshape(2, 4), "uint8")
    return Program(
        [
            tf.bitcast([[1.0, 2.0]], tf.int16),
            tf.bitcast(x, tf.int32),
            tf.bitcast(1.0, tf.int32),
            tf.bitcast(tf.constant(1 + 2j, tf.complex64), "float32"),
            tf.bitcast(7, tf.uint8),
            tf.bitcast(tf.constant([1, 2, 3, 4], tf.uint8), tf.int32, name="named"),
            tf.bitcast(tf.constant([1.5], tf.bfloat16), tf.uint16),
            tf.bitcast(x, tf.int8),
        ],
        feed=feed,
    )


@case("Bitcast")
def bitcast_static_shapes(tf):
    x, y = tf.placeholder(tf.uint8, [None, None]), tf.placeholder(tf.float64, [None])
    feed = {x: np.ones([2, 4]), y: [1.0]}
    return Program([tf.bitcast(x, tf.int32), tf.bitcast(y, tf.int32)], feed=feed)


@case("Bitcast", error="Cannot bitcast from 4 to 3 due to shape. 3 does not match 4")
def bitcast_of_three(tf):
    return tf.bitcast(tf.constant([[1, 2, 3]], tf.uint8), tf.int32)


@case("Bitcast", error="Cannot bitcast from 4 to 3")
def bitcast_of_three_in_a_run(tf):
    x, feed = fed(tf, np.ones([2, 3]), "uint8")
    return Program(tf.bitcast(x, tf.int32), feed=feed)


@case("Bitcast", error="Shape must be at least rank 1 but is rank 0")
def bitcast_of_a_number(tf):
    return tf.bitcast(tf.constant(1, tf.uint8), tf.int32)


@case("Bitcast", error="has DataType bool not in list of allowed values", each=["from", "to"])
def bitcast_of_truth(tf, direction):
    return tf.bitcast(True, tf.uint8) if direction == "from" else tf.bitcast(1.0, tf.bool)


CASTS = [
    ("float32", "int32"),
    ("int32", "uint8"),
    ("int32", "int64"),
    ("uint8", "int32"),
    ("float64", "float32"),
    ("float32", "float32"),
    ("complex64", "int8"),
    ("float64", "int64"),
    ("float32", "complex64"),
    ("complex128", "complex64"),
    ("uint8", "int8"),
    ("float32", "float16"),
    ("float16", "int32"),
    ("complex128", "float32"),
    ("int32", "bfloat16"),
    ("float32", "bfloat16"),
    ("float16", "int8"),
    ("int16", "uint32"),
    ("float64", "uint8"),
]


@case("Cast", each=CASTS)
def saturate_cast(tf, source, wanted):
    values = np.array([0.0, 100.0, 300.0, 7e4, 3e9, 1e20, 1e300])
    with np.errstate(over="ignore"):
        highest = {"uint8": 250.0, "int16": 3e4, "int32": 2e9, "int64": 9e18, "float16": 6e4}
        values = np.minimum(values, highest.get(source, 1e300))
        x = tf.constant(values if source[0] == "u" else np.append(values, -values), source)
    return [tf.saturate_cast(x, wanted), tf.saturate_cast(x[1], wanted, name="named")]


@case("ClipByValue")
def saturate_cast_of_values(tf):
    return [tf.saturate_cast([300, -3], tf.uint8), tf.saturate_cast([300.5, np.inf], tf.int8)]


@case(error="Cannot find minimum value of")
def saturate_cast_to_truth(tf):
    return tf.saturate_cast([1, 2], tf.bool)
