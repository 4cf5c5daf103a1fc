"""Strings: joining, measuring, cutting, splitting, numbers, hashes, base64."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed

LETTERS = [["a", "b"], ["c", "d"]]
UTF8 = ["hé€o".encode(), b"", b"abc"]


def text(tf, value):
    """A placeholder of strings of unknown shape, and its feed."""
    return fed(tf, np.array(value, object), "string")


# Joining ------------------------------------------------------------------------------------------


@case("StringJoin")
def join(tf):
    x, feed = text(tf, ["u", "v"])
    return Program(
        [
            tf.strings.join(["a", ["b", "c"], "d"], separator="-"),
            tf.string_join([x, "z"]),
            tf.strings.join(["a", "b"], name="named"),
            tf.string_join([LETTERS]),
            tf.string_join([]),
        ],
        feed=feed,
    )


@case("StringJoin", error="Dimension 0 in both shapes must be equal, but are 2 and 3")
def join_wrong_shapes(tf):
    return tf.strings.join([["a", "b"], ["c", "d", "e"], "f"])


@case("StringJoin", error="Input shapes do not match: [2] vs. [3]")
def join_wrong_fed_shapes(tf):
    x, feed = text(tf, ["u", "v"])
    return Program(tf.strings.join([x, ["c", "d", "e"]]), feed=feed)


@case("ReduceJoin")
def reduce_join(tf):
    axes = (0, 1, -1, [0, 1], [1, 0], [], [-2])
    return [tf.reduce_join(LETTERS, axis) for axis in axes] + [
        tf.reduce_join(LETTERS, [0, 1], keep_dims=True, separator="+"),
        tf.strings.reduce_join(LETTERS, 0, keepdims=True, name="named"),
        tf.reduce_join(LETTERS),
        tf.reduce_join("a"),
        tf.reduce_join(LETTERS, reduction_indices=0),
    ]


@case("ReduceJoin", "Range")
def reduce_join_unknown_shapes(tf):
    x, feed = text(tf, LETTERS)
    axis, more = fed(tf, 1, "int32")
    return Program(
        [tf.reduce_join(x), tf.reduce_join(x, axis), tf.reduce_join(x, axis, keep_dims=True)],
        feed={**feed, **more},
    )


@case("ReduceJoin")
def reduce_join_of_nothing(tf):
    x = tf.zeros([0, 2], tf.string)
    return [tf.reduce_join(x, 0), tf.reduce_join(x, 1), tf.reduce_join(x, [0, 1])]


@case("ReduceJoin", error="Invalid reduction dimension 2 for input with 2 dimensions.")
def reduce_join_no_such_axis(tf):
    return tf.reduce_join(LETTERS, 2)


@case("ReduceJoin", error="Invalid reduction dimension 2 for input with 2 dimension(s)")
def reduce_join_no_such_axis_in_a_run(tf):
    x, feed = text(tf, LETTERS)
    return Program(tf.reduce_join(x, 2), feed=feed)


@case("ReduceJoin", error="Duplicate reduction dimension -2")
def reduce_join_twice(tf):
    return tf.reduce_join(LETTERS, [0, -2])


@case(error="Cannot specify both 'keep_dims' and 'keepdims'.")
def reduce_join_both_names(tf):
    return tf.reduce_join(LETTERS, 0, keep_dims=True, keepdims=True)


@case("UnsortedSegmentJoin")
def unsorted_segment_join(tf):
    x, feed = text(tf, ["a", "b", "c"])
    function = tf.strings.unsorted_segment_join
    return Program(
        [
            function(x, [1, 0, 1], 3),
            function(LETTERS, [1, 1], 2, separator=":"),
            function(LETTERS, [[1, 1], [0, 1]], 2, name="named"),
            function(["a"], [0], np.int64(1)),
        ],
        feed=feed,
    )


@case(
    "UnsortedSegmentJoin",
    each=[5, -1],
    error="segment_ids are not allowed to exceed num_segments or to have negative values.",
)
def unsorted_segment_join_no_such_segment(tf, number):
    return tf.strings.unsorted_segment_join(["a", "b"], [0, number], 3)


@case("UnsortedSegmentJoin", error="Dimensions must be equal, but are 3 and 2")
def unsorted_segment_join_wrong_shapes(tf):
    return tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0], 3)


@case("UnsortedSegmentJoin", error="Segment dimension is 2 while input dimension is 1 in rank 0")
def unsorted_segment_join_wrong_fed_shapes(tf):
    x, feed = text(tf, ["a", "b", "c"])
    return Program(tf.strings.unsorted_segment_join(x, [1, 0], 3), feed=feed)


@case("UnsortedSegmentJoin", error="must be non-negative but is -1")
def unsorted_segment_join_into_less_than_nothing(tf):
    return tf.strings.unsorted_segment_join(["a", "b"], [1, 0], -1)


# Measuring and changing ---------------------------------------------------------------------------


@case("StringStrip", "StringLength", "StringLower", "StringUpper")
def one_by_one(tf):
    x = ["  a b \t\n\v\f\r", "", "  ", "\u00a0Ab".encode(), b"\x00a\x00"]
    return [
        tf.strings.strip(x),
        tf.string_strip("a "),
        tf.strings.length(UTF8),
        tf.strings.lower(x),
        tf.strings.length([*UTF8, b"\xff\x80"], unit="UTF8_CHAR", name="named"),
        tf.strings.upper(x),
        tf.strings.lower(["HÉLLO".encode(), "aB"]),
        tf.strings.upper("héß".encode()),
        tf.strings.lower(["HÉLLO\u0130".encode()], encoding="utf-8"),
        tf.strings.upper(["héß".encode(), b"a\xff"], "utf-8", name="upper"),
    ]


@case("StringLower", error="only utf-8 or '' (no encoding) is supported, received latin1")
def lower_of_another_encoding(tf):
    return tf.strings.lower("A", encoding="latin1")


@case("Substr")
def substr(tf):
    words = ["hello", "world"]
    return [
        tf.substr(words, 1, 3),
        tf.strings.substr(words, [-3, 4], [2, 3], name="named"),
        tf.substr(words, 5, 3),
        tf.substr("hello", [0, 1], [1, 9]),
        tf.substr("hello", 1, -1),
        tf.substr(words, [[0], [1]], [[1], [2]]),
        tf.substr(words, np.int64(1), np.int64(2)),
    ]


@case("Substr")
def substr_of_characters(tf):
    x = tf.constant(["héll€o".encode()])
    places = ((1, 1), (-2, 2), (4, 9), (6, 1), (0, 6))
    return [tf.substr(x, p, n, unit="UTF8_CHAR") for p, n in places]


@case("Substr")
def substr_unknown_shapes(tf):
    x, feed = text(tf, ["abc", "def"])
    start, more = fed(tf, 1, "int32")
    return Program([tf.substr(x, start, 1), tf.substr(x, 0, 2)], feed={**feed, **more})


@case(
    "Substr",
    error="out of range for string",
    each=[(6, "BYTE"), (-6, "BYTE"), (6, "UTF8_CHAR"), (-6, "UTF8_CHAR")],
)
def substr_outside(tf, start, unit):
    return tf.substr(["hello"], start, 3, unit=unit)


@case("Substr", error="pos 5 out of range for string b'a' at index 1")
def substr_outside_of_one(tf):
    return tf.substr(["hello", "a"], [1, 5], [1, 1])


@case("Substr", error="Shape must be rank 1 but is rank 0")
def substr_wrong_ranks(tf):
    return tf.substr("hello", 1, [1])


@case("Substr", error="pos and len should have the same shape, got: [1] vs. []")
def substr_wrong_fed_ranks(tf):
    x, feed = fed(tf, [1], "int32")
    return Program(tf.substr("hello", x, 1), feed=feed)


@case("Substr", error="Dimensions must be equal, but are 2 and 3")
def substr_wrong_shapes(tf):
    return tf.substr(["a", "b"], [0, 0, 0], [1, 1, 1])


@case("Substr", error="Incompatible shapes: [2] vs. [3]")
def substr_wrong_fed_shapes(tf):
    x, feed = text(tf, ["a", "b"])
    return Program(tf.substr(x, [0, 0, 0], [1, 1, 1]), feed=feed)


@case("Substr", error='passed string \'X\' not in: "BYTE", "UTF8_CHAR"')
def substr_of_another_unit(tf):
    return tf.substr(["a"], 0, 1, unit="X")


# Splitting ----------------------------------------------------------------------------------------


@case("StringSplit", each=[" ", "", "ab", " b"])
def string_split(tf, delimiter):
    x = ["a  b b", "c", ""]
    return [tf.string_split(x, delimiter), tf.string_split(x, delimiter, skip_empty=False)]


@case("StringSplit")
def string_split_in_other_forms(tf):
    x, feed = text(tf, ["a b", "c"])
    return Program(
        [
            tf.string_split(["a b"]),
            tf.string_split(x, delimiter=tf.constant(" "), name="named"),
            tf.sparse_tensor_to_dense(tf.string_split(x), "-"),
            tf.string_split(x[:0]),
        ],
        feed=feed,
    )


@case("StringSplit", error="Shape must be rank 1 but is rank 0")
def string_split_of_one(tf):
    return tf.string_split("a b")


@case("StringSplit", error="input must be a vector, got shape: [1,1]")
def string_split_of_a_matrix_in_a_run(tf):
    x, feed = text(tf, [["a b"]])
    return Program(tf.string_split(x), feed=feed)


@case("StringSplit", error="delimiter must be a scalar, got shape: [2]")
def string_split_two_delimiters(tf):
    x, feed = text(tf, [" ", "b"])
    return Program(tf.string_split(["a b"], x), feed=feed)


@case(error="Cannot specify both 'delimiter' and 'sep'.")
def string_split_both_names(tf):
    return tf.string_split(["a b"], " ", delimiter=" ")


@case(error="result_type must be 'RaggedTensor' or 'SparseTensor'.")
def string_split_into_what(tf):
    return tf.string_split(["a b"], result_type="x")


@case("StringSplitV2", each=[(s, n) for s in (None, " ", ",", "ab") for n in (-1, 0, 1, 2)])
def split(tf, separator, most):
    x = ["  a  b b ", "c", "", "x,,y, abz\tq\n", "a b"]
    return tf.strings.split(x, separator, maxsplit=most)


@case("StringSplitV2", "ExpandDims")
def split_in_other_forms(tf):
    x, feed = fed(tf, np.array(["a b", "c"], object), "string", [None])
    return Program(
        [tf.strings.split("a b c"), tf.strings.split(source=x, sep=tf.constant("b"), name="named")],
        feed=feed,
    )


@case("StringSplitV2", error="sep must be a scalar, got shape: [2]")
def split_two_separators(tf):
    x, feed = text(tf, [" ", "b"])
    return Program(tf.strings.split(["a b"], x), feed=feed)


@case(error="Cannot specify both 'source' and 'input'.")
def split_both_names(tf):
    return tf.strings.split(["a"], source=["a"])


# Hashes -------------------------------------------------------------------------------------------

HASHED = [
    "",
    "hello world",
    b"\xff\x00\x80",
    *("xyzabcd"[n % 7] * n for n in range(1, 70)),
    *("q" * n + "r" for n in (99, 126, 127, 128, 129, 191, 192, 500)),
]


@case(
    "StringToHashBucket",
    "StringToHashBucketFast",
    "StringToHashBucketStrong",
    each=[1, 10, 2**40, 2**63 - 1],
)
def hash_buckets(tf, count):
    return [
        tf.string_to_hash_bucket(HASHED, count),
        tf.string_to_hash_bucket_fast(HASHED, count),
        tf.string_to_hash_bucket_strong(HASHED, count, [1, 2]),
        tf.strings.to_hash_bucket_strong(["a"], count, key=[-1, 2**63 - 1], name="named"),
        tf.strings.to_hash_bucket_fast([["a"]], count),
        tf.strings.to_hash_bucket(input="a", num_buckets=count),
    ]


@case("StringToHashBucketStrong", error="Key must have 2 elements")
def hash_with_half_a_key(tf):
    return tf.string_to_hash_bucket_strong(["a"], 3, [1])


@case("StringToHashBucketFast", error="passed 0 less than minimum 1")
def hash_into_no_bucket(tf):
    return tf.string_to_hash_bucket_fast(["a"], 0)


@case("StringToHashBucket", error="Expected int for argument 'num_buckets' not None.")
def hash_into_unknown_buckets(tf):
    return tf.string_to_hash_bucket(["a"])


# Base64 -------------------------------------------------------------------------------------------


@case("EncodeBase64", "DecodeBase64")
def base64(tf):
    x = ["", "a", "ab", "abc", b"\xff\xfe\xfd"]
    return [
        tf.encode_base64(x),
        tf.encode_base64(x, pad=True, name="named"),
        tf.encode_base64("ab"),
        tf.decode_base64(["", "YQ", "YWI", "YWJj", "__79", "YQ==", "YWI=", "YR"]),
    ]


@case(
    "DecodeBase64",
    error="Invalid character found in base64.",
    each=["+/79", "YQ=", "Y Q", "YW=I", "YQ===", "é"],
)
def no_base64(tf, word):
    return tf.decode_base64([word])


@case("DecodeBase64", error="Base64 string length cannot be 1 modulo 4.", each=["Y", "=", "YWJjZ"])
def base64_cut_short(tf, word):
    return tf.decode_base64([word])
