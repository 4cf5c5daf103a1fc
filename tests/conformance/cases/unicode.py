"""Strings as code points of Unicode, n-grams, bytes.

TensorFlow goes by way of ragged tensors where results of one length come out: those cases have
graph="any".
"""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed

MIXED = "aé€😀\u0300b".encode()
MALFORMED = [
    b"\xe2\x82",
    b"\xe2\x82a",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xff\xfe",
    b"\xf4\x90\x80\x80",
    b"\xf0\x80\x80\x80",
    b"\xe2\xe2\x82\xac",
    b"\x80\x80",
    b"a\xe9b",
    b"",
]
CONTROLS = b"a\x00\x07\n\x1f \x7f\xc2\x85b"


def one(tf, value):
    """A placeholder of a single string, and its feed."""
    return fed(tf, np.array(value, object), "string", [])


# Scripts ------------------------------------------------------------------------------------------


@case("UnicodeScript")
def scripts(tf):
    points = np.concatenate([np.arange(0x3100), np.arange(0x3100, 0x110000, 97)])
    x, feed = fed(tf, [[-1, 0x110000], [0x10FFFF, 0xD800]], "int32")
    return Program(
        [
            tf.strings.unicode_script(tf.constant(points, tf.int32)),
            tf.strings.unicode_script(x, name="named"),
            tf.strings.unicode_script([97]),
        ],
        feed=feed,
    )


# From one encoding to another ---------------------------------------------------------------------


@case(
    "UnicodeTranscode",
    each=[(o, e) for o in ("UTF-8", "UTF-16-BE", "UTF-32-BE") for e in ("replace", "ignore")],
)
def transcode(tf, output, errors):
    x = [MIXED, CONTROLS, *MALFORMED]
    function = tf.strings.unicode_transcode
    y, feed = fed(tf, np.array([["x"]], object), "string")
    return Program(
        [
            function(x, "UTF-8", output, errors),
            function(x, "utf8", output, errors, 63, name="n"),
            function(x, "UTF-8", output, errors, replacement_char=0x1F600),
            function(x, "UTF-8", output, errors, replace_control_characters=True),
            function(y, "UTF-8", output),
        ],
        feed=feed,
    )


ENCODED = {
    "latin1": b"a\xe9\x80\xff",
    "ISO-8859-1": b"\xe4",
    "ISO-8859-5": b"\xe4\xff",
    "ISO-8859-15": b"a\xa4",
    "US-ASCII": b"a\x80\xff",
    "windows-1252": b"a\x80\x81\x9f\xe9",
    "windows-1251": b"a\x98\x88\xff",
    "koi8-r": b"A\xff",
    "cp437": b"a\xa4",
    "macintosh": b"\xe4",
    "shift_jis": b"\x82\xa0",
    "EUC-JP": b"\xb0\xa1\xff",
    "Big5": b"a\xa4\xa1",
    "GBK": b"\xc4\xe3",
    "GB18030": b"\x81\x30\x81\x30",
    "EUC-KR": b"\xb0\xa1",
    "UTF-16-BE": b"\x00a\xd8\x3d\xde\x00",
    "UTF-16": b"\xfe\xff\x00a\x00",
    "UTF-16LE": b"a\x00\xe9\x00",
    "UTF-32": b"\x00\x00\x00a",
    "UTF-32-BE": b"\x00\x00\x00a\x00\x11\x00\x00",
    "UTF-32LE": b"a\x00\x00\x00",
}


@case("UnicodeTranscode", "UnicodeDecodeWithOffsets", each=list(ENCODED))
def other_encodings(tf, encoding):
    x = tf.constant(ENCODED[encoding])
    return [
        tf.strings.unicode_transcode([x], encoding, "UTF-8"),
        tf.strings.unicode_decode_with_offsets(x, encoding),
    ]


@case(
    "UnicodeTranscode",
    error="Could not create converter for input encoding: ",
    each=["nothing", "hex", "idna", "utf-8-sig", ""],
)
def unknown_encodings(tf, encoding):
    return tf.strings.unicode_transcode(["a"], encoding, "UTF-8")


@case("UnicodeTranscode", error="Invalid formatting on input string", each=[0, 1])
def strictly_malformed(tf, number):
    x = [b"a\xe9", b"a\x07"][number]
    function = tf.strings.unicode_transcode
    return function([x], "UTF-8", "UTF-8", errors="strict", replace_control_characters=True)


@case(
    "UnicodeTranscode", error="replacement_char out of unicode codepoint range", each=[-1, 0x110000]
)
def replaced_by_no_character(tf, number):
    return tf.strings.unicode_transcode(["a"], "UTF-8", "UTF-8", replacement_char=number)


@case("UnicodeTranscode", error='not in: "UTF-8", "UTF-16-BE", "UTF-32-BE"')
def into_another_encoding(tf):
    return tf.strings.unicode_transcode(["a"], "UTF-8", "UTF-7")


# Code points --------------------------------------------------------------------------------------


@case("UnicodeDecode", "UnicodeDecodeWithOffsets", each=["replace", "ignore"])
def decode(tf, errors):
    x, feed = one(tf, MIXED)
    y = tf.constant(b"".join(MALFORMED) + CONTROLS)
    decode, with_offsets = tf.strings.unicode_decode, tf.strings.unicode_decode_with_offsets
    return Program(
        [
            decode(x, "UTF-8"),
            decode(y, "UTF-8", errors),
            decode("", "UTF-8", name="named"),
            decode(y, "UTF-8", errors, 63, replace_control_characters=True),
            *with_offsets(x, "UTF-8"),
            *with_offsets(y, "UTF-8", errors),
            *with_offsets("", "UTF-8"),
            *with_offsets(y, "UTF-8", errors, 63, True, name="n"),
        ],
        feed=feed,
    )


@case("UnicodeDecode", error="Invalid formatting on input string")
def decode_strictly(tf):
    return tf.strings.unicode_decode(b"a\xe9b", "UTF-8", errors="strict")


@case(error="Rank of `input` must be statically known.")
def decode_unknown_shapes(tf):
    return tf.strings.unicode_decode(tf.placeholder(tf.string), "UTF-8")


@case("UnicodeDecode", "UnicodeDecodeWithOffsets")
def decode_nodes(tf):
    x, feed = fed(tf, np.array([b"ab", b"", b"\xff"], object), "string")
    texts = tf.constant([[b"a", "b€".encode()], [b"", b"\xff"]])
    encoding = tf.AttrValue(s=b"UTF-8")
    return Program(
        node(tf, "UnicodeDecode", [x], input_encoding=encoding)
        + node(tf, "UnicodeDecode", [texts], input_encoding=encoding)
        + node(tf, "UnicodeDecodeWithOffsets", [texts], input_encoding=encoding),
        feed=feed,
    )


POINTS = [97, 233, 0x20AC, 0x1F600, 0x10FFFD]
WRONG = [97, 0x110000, 0xD800, -1, 0xFFFE, 0xFDD0, 0x1FFFF]


@case("UnicodeEncode", each=["UTF-8", "UTF-16-BE", "UTF-32-BE"], graph="any")
def encode(tf, encoding):
    x, feed = fed(tf, [POINTS], "int32", [None, None])
    y, more = fed(tf, POINTS, "int32", [None])
    function = tf.strings.unicode_encode
    return Program(
        [
            function(POINTS, encoding),
            function(x, encoding),
            function(y, encoding, name="named"),
            function([POINTS, POINTS], encoding),
            function([[POINTS], [POINTS]], encoding),
            function(WRONG, encoding),
            function(WRONG, encoding, replacement_char=63),
            function(WRONG, encoding, errors="ignore"),
            function(tf.zeros([0], tf.int32), encoding),
            function(tf.zeros([2, 0], tf.int32), encoding),
            function(tf.zeros([0, 2], tf.int32), encoding),
        ],
        feed={**feed, **more},
    )


@case(
    "UnicodeEncode",
    error="Code point is out of range for Unicode, or a noncharacter.",
    each=WRONG[1:],
    graph="any",
)
def encode_strictly(tf, number):
    return tf.strings.unicode_encode([97, number], "UTF-8", errors="strict")


@case(error="input_tensor's rank must be at least 1.")
def encode_a_number(tf):
    return tf.strings.unicode_encode(97, "UTF-8")


@case(error="Rank of input_tensor must be statically known.")
def encode_unknown_shapes(tf):
    return tf.strings.unicode_encode(tf.placeholder(tf.int32), "UTF-8")


@case("UnicodeEncode", error="", each=[(0, 1), (1, 2), (0, 3), (0, 2, 1, 2)])
def encode_with_wrong_ends(tf, *ends):
    splits = tf.constant(ends, tf.int64)
    encoding = tf.AttrValue(s=b"UTF-8")
    points = tf.constant([65, 66])
    return node(tf, "UnicodeEncode", [points, splits], output_encoding=encoding)[0]


@case("UnicodeDecode", "UnicodeEncode", graph="any")
def characters(tf):
    x, feed = one(tf, MIXED)
    split, with_offsets = tf.strings.unicode_split, tf.strings.unicode_split_with_offsets
    return Program(
        [
            split(x, "UTF-8"),
            split(b"a\xe9b", "UTF-8", "ignore", name="named"),
            split(b"a\xe9b", "UTF-8", replacement_char=63),
            *with_offsets(x, "UTF-8"),
            *with_offsets(b"\x00a\xd8\x3d\xde\x00", "UTF-16-BE"),
        ],
        feed=feed,
    )


# N-grams, bytes -----------------------------------------------------------------------------------

WORDS = [["a", "b", "c"], ["d", "", "f"]]


@case("StringNGrams", each=[1, 2, 3, 4, (1, 2), (2, 5), [3, 1]], graph="any")
def ngrams(tf, *widths):
    width = widths[0] if len(widths) == 1 else widths
    x, feed = fed(tf, np.array(WORDS, object), "string", [None, None])
    function = tf.strings.ngrams
    return Program(
        [
            function(WORDS, width),
            function(WORDS[0], width, separator="-", name="named"),
            function(x, width),
            function([WORDS], width, pad_values="x"),
            function(WORDS, width, pad_values=("<", ">"), padding_width=1),
            function(WORDS, width, preserve_short_sequences=True),
            function(tf.zeros([2, 0], tf.string), width),
        ],
        feed=feed,
    )


def list_of(tf, *numbers):
    return tf.AttrValue(list=tf.AttrValue.ListValue(i=numbers))


def ngrams_node(tf, words, splits, preserve=True):
    return node(
        tf,
        "StringNGrams",
        [tf.constant(words), tf.constant(splits, tf.int64)],
        separator=tf.AttrValue(s=b" "),
        ngram_widths=list_of(tf, 1, 3),
        left_pad=tf.AttrValue(s=b"<"),
        right_pad=tf.AttrValue(s=b">"),
        pad_width=tf.AttrValue(i=1),
        preserve_short_sequences=tf.AttrValue(b=preserve),
    )


@case("StringNGrams")
def ngrams_of_rows(tf):
    return ngrams_node(tf, ["a", "b", "c"], [0, 2, 2, 3]) + ngrams_node(tf, ["a"], [0, 1], False)


@case("StringNGrams", error="First split value must be 0, got 1")
def ngrams_from_the_second(tf):
    return ngrams_node(tf, ["a", "b"], [1, 2])


@case("StringNGrams", error="Invalid split value 3, must be in [0, 2]")
def ngrams_beyond_the_end(tf):
    return ngrams_node(tf, ["a", "b"], [0, 3])


@case("StringNGrams", error="Last split value must be data size. Expected 2, got 1")
def ngrams_short_of_the_end(tf):
    return ngrams_node(tf, ["a", "b"], [0, 1])


@case(error="Data must have rank>0")
def ngrams_of_a_scalar(tf):
    return tf.strings.ngrams("a", 1)


@case(error="Rank of data must be known.")
def ngrams_of_unknown_shapes(tf):
    return tf.strings.ngrams(tf.placeholder(tf.string), 1)


@case(error="All ngram_widths must be greater than 0. Got ", each=[0, -1])
def ngrams_of_nothing(tf, width):
    return tf.strings.ngrams(["a"], width)


@case(error="pad_values must be provided if padding_width is set.")
def ngrams_padded_with_nothing(tf):
    return tf.strings.ngrams(["a"], 1, padding_width=2)


@case(error="padding_width must be greater than 0.")
def ngrams_not_padded(tf):
    return tf.strings.ngrams(["a"], 1, pad_values="x", padding_width=0)


@case(error="pad_values must be a string, tuple of strings, or None.", each=[1])
def ngrams_padded_with_numbers(tf, value):
    return tf.strings.ngrams(["a"], 1, pad_values=value)


@case("StringSplit", graph="any")
def bytes_of_a_string(tf):
    x, feed = one(tf, MIXED)
    return Program([tf.strings.bytes_split(x), tf.strings.bytes_split("abc")], feed=feed)
