"""Cast: from every dtype to every other."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed

KINDS = [
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
    "complex64",
    "complex128",
    "bool",
]


@case("Cast", each=KINDS)
def to_every_dtype(tf, dtype):
    if dtype == "bool":
        x = tf.constant([True, False])
    else:
        x = tf.constant(np.array([0, 1.75, 100]), dtype)
    return [tf.cast(x, kind) for kind in KINDS] + [tf.cast(x[1], kind) for kind in KINDS]


@case("Cast")
def negative_numbers(tf):
    x = tf.constant([-1.75, -100.0])
    return [tf.cast(x, k) for k in ("int8", "int16", "int32", "int64", "float16", "bool")]


@case("Cast", each=["float32", "float64"])
def what_integers_cannot_hold(tf, dtype):
    x = tf.constant([3e9, -3e9, np.nan, np.inf, -np.inf], dtype)
    y = tf.constant([3e19, -3e19, np.nan, np.inf], dtype)
    return [tf.cast(x, tf.int32), tf.cast(y, tf.int64)]


@case("Cast")
def integers_that_are_too_wide(tf):
    x = tf.constant([300, -200, 70000])
    return [tf.cast(x, k) for k in ("int8", "uint8", "int16", "uint16", "uint32", "uint64")]


@case("Cast")
def floats_are_rounded(tf):
    x = tf.constant([1.00390625, 1.01171875, 3.4e38, 65520.0, 1e-8, -0.0, np.nan])
    return [tf.cast(x, tf.bfloat16), tf.cast(x, tf.float16), tf.cast(x, tf.bool)]


@case("Cast")
def functions_of_tensorflow_1(tf):
    x = tf.constant([1, 2], tf.int16)
    return [
        tf.to_float(x),
        tf.to_double(x),
        tf.to_int32(x),
        tf.to_int64(x),
        tf.to_bfloat16(x),
        tf.to_complex64(x),
        tf.to_complex128(x),
        tf.to_float(x, name="named"),
    ]


@case("Const", "Cast")
def what_has_the_dtype_is_left_alone(tf):
    x = tf.constant([1.5])
    return [
        tf.cast(x, tf.float32),
        tf.cast(x, "float32", name="unused"),
        tf.cast(1.5, tf.int32),
        tf.cast([1, 2], tf.int32),
        tf.cast(np.float64(2), tf.float32),
    ]


@case("Cast")
def shapes_pass_through(tf):
    x, feed = fed(tf, [[1.5]], shape=[None, 1])
    y, more = fed(tf, [2.5])
    return Program([tf.cast(x, tf.int32), tf.cast(y, tf.int64)], feed={**feed, **more})


@case("Cast", error="Cast string to float is not supported")
def from_strings(tf):
    return tf.cast(tf.constant(["1"]), tf.float32)


@case("Cast", error="Cast float to string is not supported")
def to_strings(tf):
    return tf.cast(tf.constant([1.0]), tf.string)


@case("Cast", error="Cannot convert the argument `type_value`: 'number' to a TensorFlow DType")
def to_what_is_no_dtype(tf):
    return tf.cast(1.0, "number")


@case("Cast", each=["float16", "bfloat16", "float64", "complex64"])
def gradients_of_cast(tf, dtype):
    x = tf.constant([1.0, 2.0])
    y = tf.cast(x, dtype)
    return tf.gradients(y * y, x, grad_ys=tf.ones_like(y))


@case("Cast")
def nothing_flows_through_integers(tf):
    x = tf.constant([1.0, 2.0])
    return tf.gradients(tf.cast(tf.cast(x, tf.int32), tf.float32) * x, x)
