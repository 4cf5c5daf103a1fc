"""Numbers as strings, and strings as numbers."""

import numpy as np

from tests.conformance.registry import case

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
FORMATS = [
    {},
    {"precision": 2},
    {"scientific": True},
    {"shortest": True},
    {"width": 12},
    {"precision": 0},
    {"width": 12, "fill": "0"},
    {"width": 12, "fill": "-"},
    {"width": 9, "fill": "+", "precision": 3},
    {"width": 12, "fill": " ", "scientific": True, "precision": 3},
    {"fill": "+"},
    {"shortest": True, "width": 6, "precision": 2},
]


@case("AsString", each=INTEGERS)
def as_string_of_integers(tf, dtype):
    x = tf.constant([3, 0, 100] if dtype[0] == "u" else [3, -1, 100], dtype)
    formats = (
        {},
        {"width": 5},
        {"width": 5, "fill": "0"},
        {"width": 5, "fill": "-"},
        {"width": 5, "fill": "+"},
        {"fill": " "},
        {"width": -3},
    )
    return [tf.as_string(x, **options) for options in formats] + [tf.strings.as_string(x[0])]


@case("AsString", each=[(t, i) for t in FLOATS for i in range(len(FORMATS))])
def as_string_of_floats(tf, dtype, number):
    values = [3.14159265, -0.0, 1e10, 1e-5, np.inf, -np.inf, 1 / 3]
    return tf.as_string(tf.constant(values, dtype), **FORMATS[number])


@case("AsString")
def as_string_of_others(tf):
    x = tf.constant([1 + 2j, -1.5 - 0.25j], tf.complex64)
    return [
        tf.as_string(x),
        tf.as_string(x, precision=2, width=8),
        tf.as_string(x, shortest=True),
        tf.as_string(tf.cast(x, tf.complex128), scientific=True),
        tf.as_string([True, False]),
        tf.as_string([True], width=7),
        tf.as_string(["x", "y"], name="named"),
        tf.as_string("x", width=3),
        tf.as_string("x", width=3, fill="-"),
        tf.as_string("x", precision=1),
    ]


@case(
    "AsString",
    error="not supported for datatype int32",
    each=["scientific", "shortest", "precision"],
)
def as_string_of_integers_as_if_floats(tf, option):
    return tf.as_string([1], **{option: 3 if option == "precision" else True})


@case("AsString", error="precision not supported for datatype bool")
def as_string_of_truth_with_precision(tf):
    return tf.as_string([True], precision=1)


@case("AsString", error="Cannot select both scientific and shortest notation")
def as_string_both_notations(tf):
    return tf.as_string([1.0], scientific=True, shortest=True)


@case("AsString", error='Fill argument not supported: "x"')
def as_string_filled_with_x(tf):
    return tf.as_string([1.0], width=3, fill="x")


@case("AsString", error="Fill string must be one or fewer characters")
def as_string_filled_with_two(tf):
    return tf.as_string([1.0], width=3, fill="00")


@case("StringToNumber", each=["float32", "float64", "int32", "int64"])
def string_to_number(tf, dtype):
    x = ["1", "-2", " 3 ", "007", "\t12\n"]
    return [
        tf.string_to_number(x, dtype),
        tf.strings.to_number(input="5", out_type=dtype, name="n"),
    ]


@case("StringToNumber", each=["float32", "float64"])
def string_to_float(tf, dtype):
    x = [
        "1.5",
        "1e3",
        "-inf",
        "nan",
        "inf",
        "1e400",
        ".5",
        "5.",
        "0x10",
        "1e-50",
        "+INF",
        "NaN",
        "+4",
        " ",
        "-1E-2",
        "99999999999",
    ]
    return [tf.string_to_number(x, dtype), tf.string_to_number(["1.5"])]


@case(
    "StringToNumber",
    error="StringToNumberOp could not correctly convert string: ",
    each=[
        (w, t)
        for w in ("a", "", "1 2", "1_0", "--1", "1f", "infinity", "1L")
        for t in ("float32", "int32")
    ]
    + [(w, "int64") for w in ("1.5", "1e3", "0x10", " ", "inf", "+4", "9223372036854775808")]
    + [("2147483648", "int32")],
)
def no_number(tf, word, dtype):
    return tf.string_to_number([word], dtype)


@case("StringToNumber", error="has DataType int16 not in list of allowed values")
def string_to_another_type(tf):
    return tf.string_to_number(["1"], tf.int16)
