"""From Python values to constants: type inference, and what cannot be converted."""

from fractions import Fraction

import ml_dtypes
import numpy as np

from tests.behaviour.asking import question, says


def made(tf, *args, **kwargs):
    """The tensor as text, and its value as the node holds it."""
    tensor = tf.constant(*args, **kwargs)
    value = tf.make_ndarray(tensor.op.get_attr("value"))
    return [str(tensor), str(value.dtype), value.shape, value.tolist()]


VALUES = [
    3,
    -3,
    2**31 - 1,
    2**31,
    -(2**31),
    -(2**31) - 1,
    2**63 - 1,
    3.5,
    1e300,
    float("inf"),
    True,
    "text",
    b"bytes",
    "ü",
    1 + 2j,
    [],
    [[]],
    [1, 2],
    [1, 2.5],
    [True, False],
    (1, 2),
    [[1, 2], [3, 4]],
    [(1, 2), [3, 4]],
    ["a", b"b"],
    [1, 2**40],
    [1 + 2j, 3],
    np.float64(3),
    np.float32(3),
    np.int64(3),
    np.int8(3),
    np.bool_(True),
    np.float16(2),
    np.array([1, 2]),
    np.array([1.5]),
    np.array(["a", "bc"]),
    np.array([b"a"]),
    np.array("x"),
    np.array([True]),
    np.array(["a", b"b"], object),
    np.array([], np.int16),
    [np.float32(1), 2.0],
    [np.float64(1), 2.0],
    [np.int64(1), 2],
    [np.int64(1)],
    [True, 1],
    2**63,
    [np.float32(1), np.float64(2)],
    np.array([1], ml_dtypes.bfloat16),
    np.array([1], np.uint16),
    [1.0, np.float64(2)],
    np.zeros([0, 3]),
    np.array([1 + 2j], np.complex64),
    [np.array(1.5, np.float32), np.array(2.5, np.float32)],
    bytearray(b"xy"),
    [b"a", "b", ""],
    np.array(5),
    [[1.5], [2]],
]


@question
def inferred_types(tf):
    return {str(i): made(tf, v) for i, v in enumerate(VALUES)}


@question
def given_types(tf):
    return {
        "float from int": made(tf, 3, tf.float32),
        "half from float": made(tf, 1.1, tf.float16),
        "bfloat16 from float": made(tf, 1.1, tf.bfloat16),
        "int64": made(tf, [1, 2], tf.int64),
        "uint8": made(tf, 255, tf.uint8),
        "complex from float": made(tf, 1.5, tf.complex64),
        "complex from int": made(tf, 1, tf.complex128),
        "string": made(tf, ["a"], tf.string),
        "bool": made(tf, [True], tf.bool),
        "empty as float64": made(tf, [], tf.float64),
        "empty as string": made(tf, [], tf.string),
        "numpy to another type": made(tf, np.array([1.7, -2.7]), tf.int32),
        "numpy narrowed": made(tf, np.array([300]), tf.uint8),
        "numpy int to float": made(tf, np.array([1, 2]), tf.float32),
        "numpy scalar to int": made(tf, np.int64(3), tf.int32),
        "numpy float scalar to float": made(tf, np.float64(3), tf.float32),
        "numpy bool to int": made(tf, np.array([True]), tf.int32),
        "type by name": made(tf, 1, "float64"),
        "type of numpy": made(tf, 1, np.int64),
        "python type": made(tf, 1, float),
        "bool for int": made(tf, True, tf.int32),
        "bool for float": made(tf, [True, 2.5], tf.float32),
        "fraction": made(tf, Fraction(1, 2), tf.float32),
        "numpy text": made(tf, np.array(["1.5"]), tf.float32),
        "other byte order": made(tf, np.array([1, 2], ">i4"), tf.int32),
        "largest": made(tf, 2**63, tf.uint64),
        "reference type": made(tf, 1.0, tf.as_dtype("float32_ref")),
    }


@question
def shapes_of_constants(tf):
    return {
        "filled": made(tf, 7, shape=[2, 2]),
        "filled from a list of one": made(tf, [7], shape=[3]),
        "reshaped": made(tf, [1, 2, 3, 4], shape=[2, 2]),
        "scalar": made(tf, 7, shape=[]),
        "scalar from a list": made(tf, [7], shape=[]),
        "none for some": made(tf, [], shape=[2]),
        "a tensor shape": made(tf, 7, shape=tf.TensorShape([2])),
        "a tuple": made(tf, "a", shape=(1, 1)),
        "empty": made(tf, 7, tf.int32, shape=[0]),
        "empty from empty": made(tf, [], shape=[0, 3]),
        "last value repeats": made(tf, [1, 2], shape=[3]),
        "last value repeats in two dimensions": made(tf, [1.5, 2.5, 3.5], shape=[2, 3]),
        "numpy": made(tf, np.arange(4), shape=[2, 2]),
        "verified": made(tf, [1, 2], shape=[2], verify_shape=True),
        "too many": says(
            "Too many elements provided. Takes at most 2, but got 3",
            tf.constant,
            [1, 2, 3],
            shape=[2],
        ),
        "not verified": says(
            "Expected Tensor's shape: (3,), but got (2,).",
            tf.constant,
            [1, 2],
            shape=[3],
            verify_shape=True,
        ),
        "verified scalar": says(
            "Expected Tensor's shape: (3,), but got ().",
            tf.constant,
            1,
            shape=[3],
            verify_shape=True,
        ),
    }


@question
def no_constants(tf):
    c = tf.constant
    return {
        "nothing": says("None values not supported.", c, None),
        "nothing, typed": says("None values not supported.", c, None, tf.float32),
        "nothing inside": says("Failed to convert elements of", c, [1, None]),
        "nothing inside, typed": says(
            "Expected int32, but got None of type 'NoneType'.", c, [1, None], tf.int32
        ),
        "float for int": says("Expected int32, but got 1.5 of type 'float'.", c, 1.5, tf.int32),
        "float for int inside": says(
            "Expected int32, but got 2.5 of type 'float'.", c, [1, 2.5], tf.int32
        ),
        "text for float": says("Expected float32, but got", c, "a", tf.float32),
        "number for text": says("Expected string, but got 3 of type 'int'.", c, 3, tf.string),
        "int for bool": says("Expected bool, but got 1 of type 'int'.", c, 1, tf.bool),
        "complex for float": says(
            "Expected float32, but got (1+2j) of type 'complex'.", c, 1 + 2j, tf.float32
        ),
        "ragged": says("setting an array element with a sequence", c, [[1, 2], [3]]),
        "ragged, typed": says(
            "setting an array element with a sequence", c, [[1, 2], [3]], tf.int32
        ),
        "uneven depth": says("setting an array element with a sequence", c, [1, [2]]),
        "ragged text": says("", c, [["a"], ["b", "c"]]),
        "int and text": says("Failed to convert elements of", c, [1, "a"]),
        "text and int": says("Failed to convert elements of", c, ["a", 1]),
        "too large": says("Failed to convert elements of", c, 2**64),
        "an object": says("Failed to convert elements of", c, object()),
        "a dictionary": says("Failed to convert elements of", c, {"a": 1}),
        "a set": says("Failed to convert elements of", c, {1}),
        "a tensor": says("Expected any non-tensor type, but got a tensor instead", c, c(1)),
        "dates": says("to a TensorFlow DType", c, np.array(["2020-01-01"], "datetime64[D]")),
        "tensor's type": says(
            "Tensor conversion requested dtype float32 for Tensor with dtype int32",
            tf.convert_to_tensor,
            c(1),
            tf.float32,
        ),
        "numpy float to string": says(
            "Expected binary or unicode string, got 1.5", c, np.array([1.5]), tf.string
        ),
        "numpy text to float": says(
            "could not convert string to float", c, np.array(["a"]), tf.float32
        ),
    }


@question
def converting(tf):
    t = tf.constant(1.0)
    convert = tf.convert_to_tensor
    return {
        "a tensor": convert(t) is t,
        "a tensor of its type": convert(t, tf.float32) is t,
        "named": convert(3, name="three"),
        "preferred": convert(3, preferred_dtype=tf.float64),
        "preferred in vain": convert(3.5, preferred_dtype=tf.int32),
        "hint": convert(3, dtype_hint=tf.float32),
        "a shape": convert(tf.TensorShape([1, 2])),
        "a shape as int64": convert(tf.TensorShape([1, 2]), tf.int64),
        "a partly known shape": says(
            "Cannot convert a partially known TensorShape", convert, tf.TensorShape([None, 2])
        ),
        "a dimension": convert(tf.Dimension(3)),
        "an unknown dimension": says("unknown Dimension", convert, tf.Dimension(None)),
        "a numpy number": convert(np.float64(1)),
        "a list of tensors": convert([t, t]).op.type,
        "a mixed list": convert([t, 2.0]).op.type,
        "wrong type": says(
            "Tensor conversion requested dtype int32 for Tensor with dtype float32",
            convert,
            t,
            tf.int32,
        ),
    }


@question
def constants_that_differ(tf):
    c = tf.constant
    return {
        "too large for int32": class_of(c, 2**31, tf.int32),
        "too large for uint8": class_of(c, 256, tf.uint8),
        "negative for uint8": class_of(c, -1, tf.uint8),
        "too large inside": class_of(c, [1, 2**31], tf.int32),
        "lists of arrays": class_of(c, [np.array([1, 2]), np.array([3, 4])]),
        "a range": class_of(c, range(3)),
        "a shape": class_of(c, tf.TensorShape([3])),
        "a number for a shape": class_of(c, 7, shape=3),
        "other byte order": made(tf, np.array([1.5, 2], ">f8"))[3] == [1.5, 2.0],
        "numpy bool in a list": class_of(c, [np.bool_(True)], tf.bool),
        "negative size": class_of(c, 1, shape=[-2]),
        "unknown size": class_of(c, 1, shape=[None]),
        "unknown rank": class_of(c, 1, shape=tf.TensorShape(None)),
    }


def class_of(function, *args, **kwargs):
    """The class of what a call raises, or the tensor it made."""
    try:
        tensor = function(*args, **kwargs)
    except Exception as error:
        return type(error).__name__
    return f"{tensor.dtype.name} {tensor.shape}"


_WRAPS = "TensorFlow wraps the number around and says nothing"
_LISTS = "as eager TensorFlow: what numpy understands is a dense value"
DIFFERENCES = {
    ("constants_that_differ", "too large for int32"): ("'TypeError'", _WRAPS),
    ("constants_that_differ", "too large for uint8"): ("'TypeError'", _WRAPS),
    ("constants_that_differ", "negative for uint8"): ("'TypeError'", _WRAPS),
    ("constants_that_differ", "too large inside"): ("'TypeError'", _WRAPS),
    ("constants_that_differ", "lists of arrays"): ("'int32 (2, 2)'", _LISTS),
    ("constants_that_differ", "a range"): ("'int32 (3,)'", _LISTS),
    ("constants_that_differ", "a shape"): ("'int32 (1,)'", _LISTS),
    ("constants_that_differ", "a number for a shape"): ("'int32 (3,)'", _LISTS),
    ("constants_that_differ", "other byte order"): (
        "True",
        "TensorFlow keeps the bytes and reads them as another number",
    ),
    ("constants_that_differ", "numpy bool in a list"): ("'bool (1,)'", _LISTS),
}
