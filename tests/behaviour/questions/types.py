"""Element types."""

import numpy as np

from tests.behaviour.asking import question, says

NAMES = [
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
    "bool",
    "complex64",
    "complex128",
    "string",
    "resource",
    "variant",
    "qint8",
    "quint8",
    "qint16",
    "quint16",
    "qint32",
]


@question
def every_type(tf):
    answers = {}
    for name in NAMES:
        for kind in (tf.as_dtype(name), tf.as_dtype(name + "_ref")):
            answers[kind.name] = [
                repr(kind),
                str(kind),
                kind.as_datatype_enum,
                kind.base_dtype.name,
                kind.real_dtype.name,
                kind.size,
                kind.is_floating,
                kind.is_integer,
                kind.is_complex,
                kind.is_bool,
                kind.is_quantized,
                kind.is_unsigned,
                kind.is_numpy_compatible,
            ]
    return answers


@question
def by_other_names(tf):
    spelled = [
        "half",
        "double",
        "float",
        "float_ref",
        "double_ref",
        "half_ref",
        1,
        14,
        101,
        float,
        bool,
        object,
        np.float32,
        np.dtype("int16"),
        np.int64,
        np.str_,
        np.bytes_,
        np.bool_,
        np.dtype("U3"),
        np.dtype("S2"),
        "int32",
        "complex64",
        "float8_e5m2",
        "float8_e4m3fn",
        "int4",
        "uint4",
        np.dtype(">f4"),
    ]
    answers = {f"{i}": tf.as_dtype(n) for i, n in enumerate(spelled)}
    for name in NAMES[:16]:
        answers[f"numpy of {name}"] = np.dtype(tf.as_dtype(name).as_numpy_dtype).name
    for wrong in (
        "float33",
        "i8",
        ">f4",
        "O",
        "str",
        None,
        77,
        -1,
        3.5,
        [1],
        np.dtype("datetime64[s]"),
        int,
        str,
        bytes,
        complex,
    ):
        answers[f"no type: {wrong!r}"] = says("to a TensorFlow DType", tf.as_dtype, wrong)
    return answers


@question
def limits(tf):
    numbers = [n for n in NAMES if n not in ("string", "resource", "variant")]
    real = [n for n in numbers if n[0] != "q" and n not in ("bool", "complex64", "complex128")]
    answers = {n: [float(tf.as_dtype(n).min), float(tf.as_dtype(n).max)] for n in real}
    for name in [*NAMES[:16], "qint8", "variant"]:
        if name in ("float16", "bfloat16", "complex64", "complex128", "string", "qint8"):
            answers[f"limits {name}"] = says(
                "does not have defined limits", lambda n=name: tf.as_dtype(n).limits
            )
        elif name != "variant":
            answers[f"limits {name}"] = [float(limit) for limit in tf.as_dtype(name).limits]
    for name in ("bool", "complex64", "string", "resource"):
        kind = tf.as_dtype(name)
        answers[f"min {name}"] = says("Cannot find minimum value of", lambda k=kind: k.min)
        answers[f"max {name}"] = says("Cannot find maximum value of", lambda k=kind: k.max)
    return answers


@question
def comparing(tf):
    ref = tf.as_dtype("float32_ref")
    return {
        "numpy": tf.float32 == np.float32,
        "name": tf.float32 == "float32",
        "another name": tf.float32 == "float64",
        "not equal": tf.float32 != np.float64,
        "enum": tf.float32 == 1,
        "a reference": tf.float32 == ref,
        "no type": tf.float32 == "tomato",
        "none": tf.float32 == None,  # noqa: E711 - the comparison is what is asked
        "none, unequal": tf.float32 != None,  # noqa: E711
        "an object": tf.int32 == object(),
        "value takes value": tf.float32.is_compatible_with("float32"),
        "value takes reference": tf.float32.is_compatible_with(ref),
        "reference takes value": ref.is_compatible_with(tf.float32),
        "reference takes reference": ref.is_compatible_with(ref),
        "value takes other": tf.float32.is_compatible_with(tf.int32),
        "in a dictionary": {tf.float32: "a", tf.int32: "b"}[tf.as_dtype("float")],
        "the same object": tf.as_dtype(np.float32) is tf.float32,
    }
