"""Pixels of another type than a file has: 300 must not become 44."""

import numpy as np

from tests.behaviour.asking import question

GIVEN = {
    "int64": np.array([[[3]]]),
    "int64, too large": np.array([[[300]]]),
    "int32, negative": np.array([[[-1]]], np.int32),
    "uint16, too large": np.array([[[300]]], np.uint16),
    "uint8": np.array([[[3]]], np.uint8),
    "float64": np.array([[[3.0]]]),
    "float32 with a fraction": np.array([[[1.5]]], np.float32),
    "not a number": np.array([[[np.nan]]]),
    "bool": np.array([[[True]]]),
    "complex": np.array([[[1j]]]),
    "text": np.array([[["a"]]]),
    "a list": [[[3]]],
    "a list of floats": [[[1.5]]],
    "a list, too large": [[[300]]],
    "numpy numbers in a list": [[[np.int64(300)]]],
}


def _types(encode):
    answers = {}
    for name, image in GIVEN.items():
        try:
            answers[name] = encode(image).op.inputs[0].dtype.name
        except (TypeError, ValueError) as error:
            answers[name] = type(error).__name__
    return answers


@question
def png(tf):
    return _types(tf.image.encode_png)


@question
def jpeg(tf):
    return _types(tf.image.encode_jpeg)


_WRAPS = "TensorFlow wraps around: 300 becomes 44, and a wrong picture is worse than an error"

DIFFERENCES = {
    ("jpeg", name): ("'TypeError'", _WRAPS)
    for name in (
        "int64, too large",
        "int32, negative",
        "uint16, too large",
        "float32 with a fraction",
        "not a number",
        "complex",
        "a list, too large",
        "numpy numbers in a list",
    )
}
