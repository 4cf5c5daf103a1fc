"""Examples, raw bytes and tensors as messages, parsed."""

import gzip
import zlib
from typing import Any

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed
from tests.wire import example, sequence_example

# Examples -----------------------------------------------------------------------------------------

TWO = [
    example(i=[1, 2], f=[1.5], s=[b"x", b"y"], n=[-1, -(2**63), 2**63 - 1]),
    example(i=[3, 4], f=[2.5], s=[b"z"], n=[300]),
]
SPARSE = [example(ix=[3, 0], jx=[1, 1], v=[1.5, 2.5]), example(ix=[1], jx=[0], v=[9.5]), example()]


def text(tf: Any, value: Any, shape: Any = None) -> Any:
    """A placeholder of strings, and its feed."""
    return fed(tf, np.array(value, object), "string", shape)


@case("ParseExampleV2")
def examples(tf):
    return tf.parse_example(
        tf.constant(TWO),
        {
            "i": tf.FixedLenFeature([2], tf.int64),
            "f": tf.FixedLenFeature([], tf.float32),
            "s": tf.VarLenFeature(tf.string),
            "n": tf.VarLenFeature(tf.int64),
        },
    )


@case("ParseExampleV2", "Reshape")
def defaults_of_examples(tf):
    return tf.parse_example(
        tf.constant(TWO),
        {
            "none": tf.FixedLenFeature([2], tf.int64, [5, 6]),
            "word": tf.FixedLenFeature([], tf.string, "?"),
            "i": tf.FixedLenFeature([1, 2], tf.int64, [[0, 0]]),
            "zero": tf.VarLenFeature(tf.float32),
        },
        name="named",
        example_names=["A", "B"],
    )


@case("ParseExampleV2", each=["i", "s", "none"])
def padded_examples(tf, key):
    dtype = tf.string if key == "s" else tf.int64
    block = [2] if key == "i" else []
    padding = "pad" if key == "s" else 7
    return [
        tf.parse_example(
            tf.constant(TWO), {key: tf.FixedLenSequenceFeature(block, dtype, True, default)}
        )
        for default in (None, padding)
    ]


@case("ParseExampleV2", "SparseReorder", "ConcatV2")
def sparse_features(tf):
    x = tf.constant(SPARSE)
    return [
        tf.parse_example(x, {"o": tf.SparseFeature("ix", "v", tf.float32, 5)}),
        tf.parse_example(x, {"o": tf.SparseFeature(["ix", "jx"], "v", tf.float32, [5, 2])}),
        tf.parse_example(x, {"o": tf.SparseFeature("ix", "v", tf.float32, 5, already_sorted=True)}),
        tf.parse_single_example(
            x[0],
            {"o": tf.SparseFeature("ix", "v", tf.float32, 5), "v": tf.VarLenFeature(tf.float32)},
        ),
    ]


@case("ParseExampleV2")
def a_single_example(tf):
    return tf.parse_single_example(
        tf.constant(TWO[0]),
        {
            "i": tf.VarLenFeature(tf.int64),
            "f": tf.FixedLenFeature([], tf.float32),
            "s": tf.FixedLenSequenceFeature([], tf.string, True),
            "w": tf.FixedLenFeature([2], tf.float32, [1.0, 2.0]),
        },
    )


@case("ParseExampleV2", "Assert")
def a_single_example_of_unknown_shape(tf):
    x, feed = text(tf, TWO[1])
    return Program(tf.parse_single_example(x, {"i": tf.VarLenFeature(tf.int64)}, "one"), feed=feed)


@case("ParseExampleV2", each=[[], [b""], [example(i=[])], [example()]])
def empty_examples(tf, examples):
    x, feed = text(tf, examples, [None])
    features = {
        "i": tf.VarLenFeature(tf.int64),
        "d": tf.FixedLenFeature([2], tf.float32, [1.0, 2.0]),
        "q": tf.FixedLenSequenceFeature([3], tf.int64, True),
    }
    return Program(tf.parse_example(x, features), feed=feed)


@case("ParseExampleV2")
def odd_messages(tf):
    """Two features of one name, two messages joined, numbers one by one, unknown fields."""
    one, two = example(i=[1]), example(i=[2], f=[2.0])
    single_numbers = b"\x0a\x0d\x0a\x0b\x0a\x01i\x12\x06\x1a\x04\x08\x05\x08\x07"
    unknown = b"\x12\x03abc" + one + b"\x18\x07\x21" + b"8" * 8 + b"\x2d" + b"4" * 4
    x = tf.constant([one + two, single_numbers, unknown, two + one])
    return tf.parse_example(x, {"i": tf.VarLenFeature(tf.int64), "f": tf.VarLenFeature(tf.float32)})


FIXED, SEQUENCE = "FixedLenFeature", "FixedLenSequenceFeature"
WRONG = {
    "missing": (FIXED, "zz", [], "int64", "Feature: zz (data type: int64) is required but could"),
    "kind": (FIXED, "i", [2], "float32", "Data type: int64 but expected type: float"),
    "kind of text": (FIXED, "s", [2], "float32", "Data type: string but expected type: float"),
    "count": (FIXED, "s", [2], "string", "Number of bytes values != expected.  Values size: 1 but"),
    "stride": (SEQUENCE, "s", [2], "string", "is not a multiple of stride length. Saw 1 values"),
    "kind of sequence": (SEQUENCE, "i", [], "float32", "Data type: int64 but expected type: float"),
}


def wrong(tf: Any, name: str, parse: Any) -> Any:
    kind, key, shape, dtype, _ = WRONG[name]
    more = [True] if kind == SEQUENCE else []
    return parse({key: getattr(tf, kind)(shape, tf.as_dtype(dtype), *more)})


def _wrong_examples(name: str) -> None:
    @case("ParseExampleV2", error=WRONG[name][-1], each=[name.replace(" ", "_")])
    def wrong_examples(tf, _):
        x = tf.constant(TWO)
        return wrong(tf, name, lambda f: tf.parse_example(x, f, example_names=["A", "B"]))


for _name in WRONG:
    _wrong_examples(_name)


@case("ParseExampleV2", error="Name: B, Key: s, Index: 1.  Number of bytes values != expected.")
def the_name_of_a_wrong_example(tf):
    features = {"s": tf.FixedLenFeature([2], tf.string)}
    return tf.parse_example(tf.constant(TWO), features, example_names=["A", "B"])


@case("ParseExampleV2", error="Expected type: float, Actual type: int64")
def a_sparse_feature_of_another_kind(tf):
    return tf.parse_example(tf.constant(TWO), {"i": tf.VarLenFeature(tf.float32)})


@case(
    "ParseExampleV2",
    error="Could not parse example input, value: '",
    each=[b"garbage", TWO[0][:-3]],
)
def no_examples(tf, content):
    return tf.parse_example(tf.constant([TWO[0], content]), {"i": tf.VarLenFeature(tf.int64)})


@case("ParseExampleV2", error="Key: i.  Can't parse serialized Example.")
def a_single_example_of_wrong_length(tf):
    return tf.parse_single_example(TWO[0], {"i": tf.FixedLenFeature([3], tf.int64)})


@case("ParseExampleV2", error="Expected names have the same shape as serialized: name.shape=[1]")
def too_few_names(tf):
    return tf.parse_example(TWO, {"i": tf.VarLenFeature(tf.int64)}, example_names=["A"])


@case("ParseExampleV2", error="Shape must be at most rank 1 but is rank 2")
def a_matrix_of_examples(tf):
    return tf.parse_example([TWO], {"i": tf.VarLenFeature(tf.int64)})


@case("SparseReorder", error="Number of elements in indices (2) and values (1) do not match")
def unequal_lengths_of_a_sparse_feature(tf):
    x = tf.constant([example(ix=[1, 2], v=[9.5])])
    return tf.parse_example(x, {"o": tf.SparseFeature("ix", "v", tf.float32, 5)})


@case("SparseReorder")
def sparse_reorder(tf):
    x = tf.SparseTensor([[1, 1], [0, 2], [1, 0]], ["c", "a", "b"], [2, 3])
    shape, feed = fed(tf, [4, 5], "int64", [2])
    y = tf.SparseTensor([[3, 1], [0, 2]], [1.0, 2.0], shape)
    empty = tf.SparseTensor(np.zeros([0, 2], np.int64), tf.zeros([0]), [2, 3])
    return Program(
        [tf.sparse.reorder(x), tf.sparse_reorder(y, name="named"), tf.sparse.reorder(empty)],
        feed=feed,
    )


@case("SparseReorder")
def sparse_reorder_gradient(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    y = tf.sparse.reorder(tf.SparseTensor([[1, 1], [0, 2], [1, 0]], x, [2, 3]))
    return tf.gradients(y.values * [10.0, 20.0, 30.0], x)


# As older graphs have it: op types that nothing builds any more -----------------------------------


# Sequence examples --------------------------------------------------------------------------------

STEPS = [
    sequence_example({"n": [1]}, {"w": [[1.0, 2.0], [3.0, 4.0]], "t": [[b"a"], [], [b"b", b"c"]]}),
    sequence_example({"n": [2], "m": [b"q"]}, {"w": [[5.0, 6.0]], "t": []}),
]


def lists(tf: Any) -> Any:
    return {"w": tf.FixedLenSequenceFeature([2], tf.float32), "t": tf.VarLenFeature(tf.string)}


@case("ParseSequenceExampleV2")
def sequence_examples(tf):
    context = {
        "n": tf.FixedLenFeature([], tf.int64),
        "m": tf.VarLenFeature(tf.string),
        "d": tf.FixedLenFeature([2], tf.int64, [3, 4]),
    }
    return tf.io.parse_sequence_example(STEPS, context, lists(tf), ["A", "B"], name="named")


@case("ParseSequenceExampleV2")
def a_single_sequence_example(tf):
    context = {"n": tf.FixedLenFeature([], tf.int64), "m": tf.VarLenFeature(tf.string)}
    return tf.parse_single_sequence_example(STEPS[0], context, lists(tf))


@case("ParseSequenceExampleV2")
def missing_feature_lists(tf):
    features = {
        "q": tf.FixedLenSequenceFeature([2], tf.int64, True),
        "v": tf.VarLenFeature(tf.int64),
    }
    return tf.io.parse_sequence_example(STEPS, None, features)


@case("ParseSequenceExampleV2")
def no_sequence_examples(tf):
    x, feed = text(tf, [], [None])
    return Program(
        tf.io.parse_sequence_example(x, {"n": tf.VarLenFeature(tf.int64)}, lists(tf)), feed=feed
    )


WRONG_STEPS = {
    "missing": ("q", [2], "float32", "Feature list 'q' is required but could not be found."),
    "kind": ("w", [2], "int64", "Name: A, Feature list: w, Index: 0.  Data types don't match."),
    "count": ("w", [3], "float32", "Feature list 'w' has an unexpected number of values"),
}


def _wrong_steps(name: str) -> None:
    key, shape, dtype, message = WRONG_STEPS[name]

    @case("ParseSequenceExampleV2", error=message, each=[name])
    def wrong_steps(tf, _):
        features = {key: tf.FixedLenSequenceFeature(shape, tf.as_dtype(dtype))}
        return tf.io.parse_sequence_example(STEPS, None, features, ["A", "B"])


for _name in WRONG_STEPS:
    _wrong_steps(_name)


@case("ParseSequenceExampleV2", error="Name: A, Context feature: n.  Data types don't match.")
def a_context_of_another_kind(tf):
    return tf.io.parse_sequence_example(STEPS, {"n": tf.VarLenFeature(tf.string)}, None, ["A", "B"])


@case("ParseSequenceExampleV2", error="Inconsistent max number of elements for feature n")
def a_context_of_another_length(tf):
    return tf.io.parse_sequence_example(STEPS, {"n": tf.FixedLenFeature([2], tf.int64)})


@case("ParseSequenceExampleV2", error="Invalid protocol message input, example id: <unknown>")
def no_sequence_example(tf):
    return tf.io.parse_sequence_example([STEPS[0], b"garbage"], {"n": tf.VarLenFeature(tf.int64)})


# Raw bytes ----------------------------------------------------------------------------------------

NUMBERS = [
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "int64",
    "bool",
    "complex64",
    "complex128",
]


@case("DecodeRaw", each=NUMBERS)
def decode_raw(tf, dtype):
    content = bytes(range(1, 2 * tf.as_dtype(dtype).size + 1)) if dtype != "bool" else b"\x00\x01"
    x = tf.constant([content, content[::-1]])
    return [tf.decode_raw(x, dtype), tf.decode_raw(x[0], dtype, little_endian=False, name="named")]


@case("DecodeRaw")
def decode_raw_in_other_forms(tf):
    x, feed = text(tf, [b"ab", b"cd"])
    return Program(
        [
            tf.decode_raw(bytes=b"ab", out_type=tf.int16),
            tf.decode_raw(x, tf.int8),
            tf.decode_raw([b"", b""], tf.int16),
            tf.decode_raw([["ab"], ["cd"]], tf.uint8),
        ],
        feed=feed,
    )


@case("DecodeRaw", error="has length 3 that is not a multiple of 2, the size of int16")
def decode_raw_of_half_a_number(tf):
    return tf.decode_raw(b"abc", tf.int16)


@case("DecodeRaw", error="DecodeRaw requires input strings to all be the same size, but element 1")
def decode_raw_of_unequal_lengths(tf):
    return tf.decode_raw(["ab", "abcd"], tf.int16)


def padded(tf: Any, *args: Any, **kwargs: Any) -> Any:
    """TensorFlow's `decode_raw` of version 2 has fixed_length; here `tf.decode_raw` has."""
    function = tf.compat.v2.io.decode_raw if hasattr(tf.compat, "v2") else tf.decode_raw
    return function(*args, **kwargs)


@case("DecodePaddedRaw")
def decode_padded_raw(tf):
    x, feed = text(tf, [["a"], ["abcdef"]])
    length, more = fed(tf, 4, "int32", [])
    return Program(
        [
            padded(tf, ["a", "abc"], tf.uint8, fixed_length=4),
            padded(tf, ["a", "abc", "abcdef"], tf.int16, fixed_length=4, name="named"),
            padded(tf, ["a", "abc"], tf.int16, little_endian=False, fixed_length=4),
            padded(tf, x, tf.int16, fixed_length=length),
            padded(tf, "abc", tf.uint8, fixed_length=2),
        ],
        feed={**feed, **more},
    )


@case("DecodePaddedRaw", error="Dimension size must be evenly divisible by 2 but is 3")
def decode_padded_raw_of_an_odd_length(tf):
    return padded(tf, ["a"], tf.int16, fixed_length=3)


@case("DecodePaddedRaw", error="must be a multiple of the size of out_type (2)")
def decode_padded_raw_of_an_odd_fed_length(tf):
    x, feed = fed(tf, 3, "int32")
    return Program(padded(tf, ["a"], tf.int16, fixed_length=x), feed=feed)


@case("DecodePaddedRaw", error="fixed_length (0) must be greater than zero.")
def decode_padded_raw_of_nothing(tf):
    return padded(tf, ["a"], tf.int16, fixed_length=0)


@case("DecodeCompressed")
def decode_compressed(tf):
    hello = [zlib.compress(b"hello" * 3), zlib.compress(b"")]
    twice = gzip.compress(b"hello", mtime=0) * 2
    return [
        tf.io.decode_compressed(hello, "ZLIB"),
        tf.io.decode_compressed(twice, "GZIP"),
        tf.decode_compressed("abc"),
        tf.io.decode_compressed("", "ZLIB", name="named"),
    ]


@case(
    "DecodeCompressed",
    error="inflate() failed with error -3: incorrect header check",
    each=["ZLIB", "GZIP"],
)
def decode_compressed_of_something_else(tf, kind):
    return tf.io.decode_compressed("garbage", kind)


@case("DecodeCompressed", error="Only ZLIB, GZIP or NONE are supported compressions")
def decode_compressed_in_another_way(tf):
    return tf.io.decode_compressed("abc", "SNAPPY")


# Tensors as messages ------------------------------------------------------------------------------


@case(
    "SerializeTensor",
    "ParseTensor",
    each=[
        "float32",
        "float64",
        "int32",
        "int64",
        "uint8",
        "bool",
        "string",
        "complex64",
        "bfloat16",
        "float16",
    ],
)
def tensors_as_messages(tf, dtype):
    value = [[b"ab", b""]] if dtype == "string" else [[True, False]]
    x = tf.constant(value, dtype) if dtype in ("string", "bool") else tf.cast([[1.5, 2.0]], dtype)
    texts = [
        tf.io.serialize_tensor(x),
        tf.io.serialize_tensor(x[0, 0]),
        tf.io.serialize_tensor(x[:0], name="named"),
    ]
    return (
        texts + [tf.io.parse_tensor(t, dtype) for t in texts] + [tf.parse_tensor(texts[0], dtype)]
    )


@case("ParseTensor", error="Type mismatch between parsed tensor (float) and dtype (int32)")
def a_tensor_of_another_type(tf):
    return tf.io.parse_tensor(tf.io.serialize_tensor([1.0]), tf.int32)


@case("ParseTensor", error="Could not parse `serialized` as TensorProto, base64: Z2FyYmFnZQ==")
def a_message_that_is_no_tensor(tf):
    return tf.io.parse_tensor("garbage", tf.int32)


@case(
    "ParseTensor",
    error="Cannot parse tensor from proto",
    each=["0801120b1209088080808080808040", "0801120412020805220461626364"],
)
def tensors_that_announce_more_than_there_is(tf, message):
    return tf.io.parse_tensor(bytes.fromhex(message), tf.float32)


@case("ParseTensor", error="Expected `serialized` to be a scalar, got shape: [2]")
def two_tensors(tf):
    return tf.io.parse_tensor(["a", "b"], tf.int32)


@case("DecodeJSONExample", "ParseExampleV2")
def examples_in_json(tf):
    rows = [
        '{"features": {"feature": {"a": {"int64List": {"value": ["1", 2]}}}}}',
        '{"features": {"feature": {"s": {"bytes_list": {"value": ["YWI="]}}}}}',
        "{}",
    ]
    return tf.parse_example(
        tf.decode_json_example(rows),
        {"a": tf.VarLenFeature(tf.int64), "s": tf.VarLenFeature(tf.string)},
    )


@case("DecodeJSONExample", error="Error while parsing JSON", each=["", '{"x', '{"x": 1}', "[]"])
def no_examples_in_json(tf, row):
    return tf.decode_json_example([row])
