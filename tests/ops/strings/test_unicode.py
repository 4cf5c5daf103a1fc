"""Code points: what would be ragged is refused, with words; encodings come from no one's code."""

import numpy as np
import pytest

import tinytf as tf

SEVERAL = ["ab", "c"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("unicode_decode", ["UTF-8"]),
        ("unicode_decode_with_offsets", ["UTF-8"]),
        ("unicode_split", ["UTF-8"]),
        ("unicode_split_with_offsets", ["UTF-8"]),
        ("bytes_split", []),
    ],
)
def test_what_would_be_ragged_is_refused(name, arguments):
    with pytest.raises(ValueError, match="ragged tensor for them, and tinytf has none"):
        getattr(tf.strings, name)(SEVERAL, *arguments)


def test_every_code_point_survives():
    points = [p for p in range(0x110000) if not 0xD800 <= p <= 0xDFFF and p & 0xFFFE != 0xFFFE]
    points = np.array([p for p in points if not 0xFDD0 <= p <= 0xFDEF], np.int32)
    with tf.Session() as session:
        for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE"):
            text = session.run(tf.strings.unicode_encode(points, encoding))
            back, starts = tf.strings.unicode_decode_with_offsets(text, encoding)
            found, at = session.run([back, starts])
            np.testing.assert_array_equal(found, points)
            sizes = np.diff(np.append(at, len(text)))
            assert sizes.min() > 0
            assert sizes[-1] == 4


@pytest.mark.parametrize("name", ["zlib", "rot13", "undefined", "unicode_escape", "../x", "a.b"])
def test_python_s_other_codecs_are_no_encodings(name):
    changed = tf.strings.unicode_transcode(["a"], name, "UTF-8")
    words = "Could not create converter for input encoding"
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=words):
        session.run(changed)


def test_a_text_of_nothing_but_malformed_bytes_takes_no_longer_than_another():
    """The time is linear: each byte is looked at once."""
    changed = tf.strings.unicode_transcode([b"\xff" * 200_000], "UTF-8", "UTF-8", "ignore")
    with tf.Session() as session:
        assert session.run(changed).tolist() == [b""]
