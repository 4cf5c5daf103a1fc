"""Summaries: serialised messages, byte for byte, but for the compression inside PNG files."""

import struct
import zlib

import numpy as np

from tests.conformance.registry import Program, case

FLOATS = ["float16", "float32", "float64"]
NUMBERS = [*FLOATS, "int32", "uint8", "int64", "bfloat16"]

# Numbers, names and tags --------------------------------------------------------------------------


@case("ScalarSummary", each=NUMBERS)
def scalar(tf, dtype):
    return tf.summary.scalar("loss", tf.cast(3, dtype))


@case("ScalarSummary")
def scalar_of_a_python_number(tf):
    return tf.summary.scalar("loss", 0.5)


@case("ScalarSummary", each=[1e300, float("nan"), float("-inf"), 1e-60])
def scalar_beyond_float32(tf, value):
    return tf.summary.scalar("loss", tf.constant(value, tf.float64))


@case("ScalarSummary")
def tags_come_from_scopes_and_families(tf):
    made = []
    with tf.name_scope("train"):
        made += [tf.summary.scalar("loss", 1.0), tf.summary.scalar("loss", 2.0)]
        made += [tf.summary.scalar("loss", 3.0, family="losses")]
        with tf.name_scope("inner"):
            made += [tf.summary.scalar("a/b", 4.0, family="f/g")]
    made += [tf.summary.scalar("/strange name: 50%", 5.0), tf.summary.scalar("loss", 6.0)]
    return made


@case("ScalarSummary")
def scalar_of_several_tags(tf):
    tags, values = tf.constant([["a", "b"]]), tf.constant([[1.0, 2.0]])
    return tf.get_default_graph().create_op("ScalarSummary", [tags, values], [tf.string]).outputs


@case("ScalarSummary", error="tags and values are not the same shape: [] != [2] (tag 'x')")
def scalar_of_a_vector(tf):
    return tf.summary.scalar("x", [1.0, 2.0])


@case("ScalarSummary", error="Value passed to parameter 'values' has DataType string not in list")
def scalar_of_text(tf):
    return tf.summary.scalar("x", "text")


@case("ScalarSummary", error="Value passed to parameter 'values' has DataType bool not in list")
def scalar_of_a_truth_value(tf):
    return tf.summary.scalar("x", tf.constant(True))


@case("ScalarSummary", error="At least one of name (None) and default_name (None)")
def scalar_without_a_name(tf):
    return tf.summary.scalar(None, 1.0)


# Distributions ------------------------------------------------------------------------------------

DISTRIBUTIONS = {
    "none": np.zeros([0], np.float32),
    "zeros": np.zeros([2, 2], np.float32),
    "normal": np.random.RandomState(1).normal(size=[50, 3]).astype(np.float32),
    "wide": np.array([-1e30, -1e-20, 1e-13, 1e-12, 1.1e-12, 1.0, 1e19, 1e21, 1e38], np.float32),
    "doubles": np.array([1e300, -1e300, 5e-324, 0.1, 0.2, 0.3]),
    "halves": np.linspace(-4, 4, 17).astype(np.float16),
    "integers": np.array([-5, 0, 0, 7, 1 << 40]),
    "bytes": np.arange(256).astype(np.uint8),
}


@case("HistogramSummary", each=DISTRIBUTIONS)
def histogram(tf, kind):
    return tf.summary.histogram("weights", tf.constant(DISTRIBUTIONS[kind]))


@case("HistogramSummary")
def histogram_of_a_scalar_without_a_name(tf):
    return [tf.summary.histogram(None, 3.0), tf.summary.histogram("h", 3, family="f")]


@case("HistogramSummary", error="Nan in summary histogram for: h")
def histogram_with_nan(tf):
    return tf.summary.histogram("h", [1.0, float("nan"), float("inf")])


@case("HistogramSummary", error="Infinity in Histogram for: h")
def histogram_with_infinity(tf):
    return tf.summary.histogram("h", [1.0, float("-inf"), float("nan")])


@case("HistogramSummary", error="Value passed to parameter 'values' has DataType bool not in list")
def histogram_of_truth_values(tf):
    return tf.summary.histogram("h", tf.constant([True]))


# Any tensor ---------------------------------------------------------------------------------------

TENSORS = {
    "floats": np.array([[1.5, 2.0]], np.float32),
    "scalar": np.array(3),
    "bools": np.array([True, False]),
    "texts": np.array([["a", ""], ["b", "é"]], object),
    "empty": np.zeros([0, 3]),
}


@case("TensorSummaryV2", each=TENSORS)
def tensor_summary(tf, kind):
    return tf.summary.tensor_summary("t", tf.constant(TENSORS[kind]))


@case("TensorSummaryV2")
def tensor_summary_with_words(tf):
    return [
        tf.summary.tensor_summary(
            "t", [1, 2], summary_description="about *it*", display_name="T", family="f"
        ),
        tf.summary.tensor_summary(
            "t", [1], summary_metadata=tf.SummaryMetadata(display_name="D"), collections=["mine"]
        ),
        tf.constant(len(tf.get_collection("mine")) + 10 * len(tf.get_collection("summaries"))),
    ]


@case("TensorSummaryV2")
def text(tf):
    return [
        tf.summary.text("note", tf.constant("Some *text*.")),
        tf.summary.text("table", tf.constant([["a", "b"], ["c", "d"]])),
    ]


@case("TensorSummaryV2", error="to have dtype string, got <dtype: 'int32'>")
def text_of_a_number(tf):
    return tf.summary.text("note", tf.constant(1))


# Merging ------------------------------------------------------------------------------------------


@case("MergeSummary", "ScalarSummary", "HistogramSummary")
def merge_all(tf):
    with tf.name_scope("a"):
        tf.summary.scalar("x", 1.0)
    with tf.name_scope("b"):
        tf.summary.scalar("y", 2.0)
        tf.summary.histogram("z", [1.0, 2.0])
    tf.summary.scalar("elsewhere", 3.0, collections=["mine"])
    return [
        tf.summary.merge_all(),
        tf.summary.merge_all(scope="b/"),
        tf.summary.merge_all("mine", name="of mine"),
        tf.constant(tf.summary.merge_all("nothing") is None),
    ]


@case("MergeSummary")
def merge_of_vectors(tf):
    x, y = tf.summary.scalar("x", 1.0), tf.summary.scalar("y", 2.0)
    merged = tf.summary.merge([tf.stack([x, y]), tf.constant([], tf.string)], collections=["m"])
    return [merged, tf.constant(len(tf.get_collection("m")))]


@case("MergeSummary", error="Duplicate tag x found in summary inputs")
def merge_with_the_same_tag_twice(tf):
    x = tf.summary.scalar("x", 1.0)
    return tf.summary.merge([x, tf.identity(x)])


@case("MergeSummary", error="Could not parse one of the summary inputs")
def merge_of_garbage(tf):
    return tf.summary.merge([tf.constant("garbage")])


@case("MergeSummary", error="List argument 'inputs' to 'MergeSummary' Op with length 0 shorter")
def merge_of_nothing(tf):
    return tf.summary.merge([])


@case("MergeSummary", error="Expected list for 'inputs' argument to 'merge_summary' Op")
def merge_of_no_list(tf):
    return tf.summary.merge("x")


@case(
    "MergeSummary",
    error="Tensors in list passed to 'inputs' of 'MergeSummary' Op have types [int32]",
)
def merge_of_numbers(tf):
    return tf.summary.merge([tf.constant(1)])


# Images -------------------------------------------------------------------------------------------


def pixels_of(file):
    """The pixels of a PNG file with 8 bits a channel; written from its specification."""
    assert file[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(file):
        size, kind = struct.unpack_from(">I4s", file, place)
        content = file[place + 8 : place + 8 + size]
        assert zlib.crc32(kind + content) == struct.unpack_from(">I", file, place + 8 + size)[0]
        chunks[kind] = chunks.get(kind, b"") + content
        place += 12 + size
    width, height, bits, color = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert bits == 8
    depth = {0: 1, 2: 3, 6: 4}[color]
    raw, length = zlib.decompress(chunks[b"IDAT"]), 1 + width * depth
    image = np.zeros([height, width, depth], np.int64)
    for row in range(height):
        line = raw[row * length : (row + 1) * length]
        for index, value in enumerate(line[1:]):
            x, channel = divmod(index, depth)
            left = image[row, x - 1, channel] if x else 0
            up = image[row - 1, x, channel] if row else 0
            corner = image[row - 1, x - 1, channel] if x and row else 0
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda near: abs(guess - near))
            predicted = (0, left, up, (left + up) // 2, nearest)[line[0]]
            image[row, x, channel] = (value + predicted) % 256
    return image


def same_images(values):
    """What an image summary of this file's `pictures` has to hold."""
    from tinytf.protos.summary_pb2 import Summary

    for run in values:
        for content in run:
            for value in Summary.FromString(content.item()).value:
                image, kind = value.image, value.tag.partition("/")[0]
                wanted = EXPECTED[kind][0 if value.tag.endswith("image") else int(value.tag[-1])]
                pixels = pixels_of(image.encoded_image_string)
                assert (image.height, image.width, image.colorspace) == pixels.shape
                assert pixels.tolist() == np.reshape(wanted, pixels.shape).tolist(), value.tag


#: What TensorFlow 2.15.1 makes of the pictures below.
EXPECTED = {
    "positive": [[0, 63, 127, 255], [0, 255, 127, 63]],
    "negative": [[1, 64, 128, 255], [128, 128, 128, 1]],
    "tiny": [[0, 0, 0, 0]],
    "colours": [[[0, 25, 255], [102, 128, 153]]],
    "bad": [[[255, 0, 0], [255, 0, 0], [0, 127, 255], [255, 255, 255]]],
    "bytes": [[[1, 2, 3, 4], [250, 251, 252, 253]]],
}
PICTURES = {
    "positive": np.array([[0, 1, 2, 4], [0, 8, 4, 2]]).reshape(2, 2, 2, 1),
    "negative": np.array([[-2, -1, 0, 2], [0, 0, 0, -1]]).reshape(2, 2, 2, 1),
    "tiny": np.array([0, 1e-7, 1e-8, 0]).reshape(1, 2, 2, 1),
    "colours": np.array([[0, 1, 10], [4, 5.02, 6]]).reshape(1, 1, 2, 3),
    "bad": np.array([[np.nan, 0, 0], [0, np.inf, 9], [0, 1, 2], [2, 2, 2]]).reshape(1, 2, 2, 3),
}


@case("ImageSummary", each=PICTURES, random=True, check=same_images)
def image(tf, kind):
    return tf.summary.image(kind, tf.constant(PICTURES[kind], tf.float32))


@case("ImageSummary", each=FLOATS, random=True, check=same_images)
def image_of_type(tf, dtype):
    return tf.summary.image("positive", tf.constant(PICTURES["positive"], dtype))


@case("ImageSummary", random=True, check=same_images)
def image_of_bytes(tf):
    bytes_ = tf.constant([1, 2, 3, 4, 250, 251, 252, 253], tf.uint8)
    return tf.summary.image("bytes", tf.reshape(bytes_, [1, 1, 2, 4]))


@case("ImageSummary", random=True, check=same_images)
def only_one_image(tf):
    return [
        tf.summary.image("positive", tf.constant(PICTURES["positive"], tf.float32), 1),
        tf.summary.image("positive/more", tf.constant(PICTURES["positive"], tf.float32), 2),
    ]


@case("ImageSummary")
def no_images(tf):
    return tf.summary.image("none", tf.zeros([0, 2, 2, 1]), family="f")


@case("ImageSummary", error="Tensor must be 4-D with last dim 1, 3, or 4, not [2,2,3,2]")
def image_of_two_channels(tf):
    return tf.summary.image("x", tf.zeros([2, 2, 3, 2]))


@case("ImageSummary", error="Tensor must be 4-D with last dim 1, 3, or 4, not [2,3]")
def image_of_a_matrix(tf):
    return tf.summary.image("x", tf.zeros([2, 3]))


@case("ImageSummary", error="input tensor must have non-zero dims. Found: [2, 0, 3, 3].")
def image_without_rows(tf):
    return tf.summary.image("x", tf.zeros([2, 0, 3, 3]))


@case("ImageSummary", error="'max_images' of 'ImageSummary' Op passed 0 less than minimum 1")
def image_of_at_most_none(tf):
    return tf.summary.image("x", tf.zeros([2, 2, 3, 3]), max_outputs=0)


@case("ImageSummary", error="Value passed to parameter 'tensor' has DataType int32 not in list")
def image_of_integers(tf):
    return tf.summary.image("x", tf.zeros([2, 2, 3, 3], tf.int32))


# Sounds -------------------------------------------------------------------------------------------

WAVE = np.array([0, 1, -1, 0.5 / 32768, 1.5 / 32768, -0.5 / 32768, 2, -3], np.float32)


@case("AudioSummaryV2", each=[44100, 8000.5, 0.25])
def audio(tf, rate):
    return tf.summary.audio("tone", WAVE.reshape(2, 4), rate)


@case("AudioSummaryV2")
def audio_of_channels(tf):
    rate = tf.placeholder(tf.float32, name="rate")
    sounds = WAVE.reshape(2, 2, 2)
    made = [
        tf.summary.audio("one", sounds, rate, max_outputs=1),
        tf.summary.audio("both", sounds, rate, family="f"),
        tf.summary.audio("empty", np.zeros([1, 0], np.float32), rate),
        tf.summary.audio("none", np.zeros([0, 2], np.float32), rate),
    ]
    return Program(made, feed={rate: 16000.0})


@case("AudioSummaryV2", error="Tensor must be 3-D or 2-D, got: [8]")
def audio_of_a_vector(tf):
    return tf.summary.audio("x", WAVE, 100.0)


@case("AudioSummaryV2", error="audio is null")
def audio_without_channels(tf):
    return tf.summary.audio("x", np.zeros([1, 2, 0], np.float32), 100.0)


@case("AudioSummaryV2", each=[0.0, -1.0], error="sample_rate must be > 0")
def audio_without_a_rate(tf, rate):
    return tf.summary.audio("x", WAVE.reshape(1, 8), rate)


@case("AudioSummaryV2", error="sample_rate must be in (0, 2^32), got: 10000000000")
def audio_that_is_too_fast(tf):
    return tf.summary.audio("x", WAVE.reshape(1, 8), 1e10)
