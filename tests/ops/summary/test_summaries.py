"""Summaries: what the conformance cases leave out. Files inside are read by other programs."""

import io
import sys
import wave

import numpy as np
import pytest

import tinytf as tf
from tinytf.ops.summary.media import encode_png
from tinytf.ops.summary.summaries import bucket_limits, histogram_of


def summary_of(tensor):
    with tf.Session(graph=tensor.graph) as session:
        return tf.Summary.FromString(session.run(tensor))


def built(op_type, *inputs, **attrs):
    tensors = [tf.convert_to_tensor(value) for value in inputs]
    return tf.get_default_graph().create_op(op_type, tensors, attrs=attrs).outputs[0]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize("depth", [1, 3, 4])
def test_another_program_reads_our_png_files(depth):
    reader = pytest.importorskip("PIL.Image")
    pixels = np.random.RandomState(depth).randint(0, 256, (5, 7, depth)).astype(np.uint8)
    picture = reader.open(io.BytesIO(encode_png(pixels)))
    assert picture.mode == {1: "L", 3: "RGB", 4: "RGBA"}[depth]
    assert np.array_equal(np.asarray(picture).reshape(pixels.shape), pixels)


def test_another_program_reads_our_wav_files():
    sounds = np.array([[[0.0, 0.5], [-1.0, 2.0], [0.25, -0.25]]], np.float32)
    value = summary_of(tf.summary.audio("s", sounds, 8000.0)).value[0]
    with wave.open(io.BytesIO(value.audio.encoded_audio_string)) as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, 8000, 2)
        samples = np.frombuffer(file.readframes(3), "<i2").reshape(3, 2)
    assert samples.tolist() == [[0, 16384], [-32768, 32767], [8192, -8192]]


def test_buckets_grow_by_a_tenth_and_are_the_same_on_both_sides():
    limits = bucket_limits()
    assert np.array_equal(limits, -limits[::-1])
    positive = limits[limits > 0]
    assert positive[0] == 1e-12
    assert np.allclose(positive[1:-1] / positive[:-2], 1.1)
    assert positive[-1] == sys.float_info.max


def test_the_largest_number_is_counted():
    largest = sys.float_info.max  # TensorFlow 2.15.1 writes beyond its buckets here
    with np.errstate(over="ignore"):  # their squares; in a step that is off
        histogram = histogram_of(np.array([largest, -largest, 0.0]))
    assert sum(histogram.bucket) == 3
    assert (histogram.min, histogram.max) == (-largest, largest)


def test_every_value_is_in_the_bucket_below_its_limit():
    values = np.random.RandomState(0).standard_cauchy(1000)
    histogram = histogram_of(values)
    below = 0.0
    for limit, count in zip(histogram.bucket_limit, histogram.bucket, strict=True):
        below += count
        assert (values < limit).sum() == below


@pytest.mark.parametrize(
    ("inputs", "attrs", "words"),
    [
        (
            ("a", np.zeros([1, 1, 1, 3], np.float32)),
            {"bad_color": np.zeros(1, np.uint8)},
            "expected depth <= bad_color.size, got depth = 3, bad_color.size = 1",
        ),
        (
            ("a", np.zeros([1, 1, 1, 1], np.float32)),
            {"bad_color": np.zeros(4, np.float32)},
            "bad_color must be uint8, got float",
        ),
        ((["a"], np.zeros([1, 1, 1, 1], np.float32)), {}, "Tags must be a scalar"),
    ],
)
def test_images_that_cannot_be(inputs, attrs, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        summary_of(built("ImageSummary", *inputs, **attrs))


@pytest.mark.parametrize(
    ("op_type", "inputs", "words"),
    [
        ("HistogramSummary", (["a"], 1.0), "tags must be scalar"),
        ("TensorSummaryV2", (["a"], 1, ""), "tag must be scalar"),
        ("TensorSummaryV2", ("a", 1, [""]), "serialized_summary_metadata must be scalar"),
        ("TensorSummaryV2", ("a", 1, "zzz"), "is not a serialised SummaryMetadata"),
        ("AudioSummaryV2", (["a"], [[1.0]], 2.0), "Tag must be a scalar"),
        ("AudioSummaryV2", ("a", [[1.0]], [1.0, 2.0]), "sample_rate must be a scalar"),
        ("ScalarSummary", (["a"], 1.0), "tags and values are not the same shape"),
    ],
)
def test_inputs_of_the_wrong_shape(op_type, inputs, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        summary_of(built(op_type, *inputs))


def test_pixels_that_are_not_finite_have_the_colour_that_was_asked_for():
    pixels = np.array([[[[np.nan], [1.0]]]], np.float32)
    image = built("ImageSummary", "a", pixels, bad_color=np.array([7, 0, 0, 0], np.uint8))
    file = summary_of(image).value[0].image.encoded_image_string
    assert file == encode_png(np.array([[[7], [255]]], np.uint8))


def test_strange_names_are_cleaned_with_a_note(caplog):
    caplog.set_level("INFO", logger="tinytf")
    assert tf.summary.scalar("/a b:0", 1.0).op.name == "a_b_0"
    assert "Summary name /a b:0 is illegal; using a_b_0 instead." in caplog.text


def test_a_description_does_not_change_the_callers_metadata():
    metadata = tf.SummaryMetadata(display_name="mine")
    summary = tf.summary.tensor_summary("t", 1, summary_metadata=metadata, display_name="other")
    assert metadata.display_name == "mine"
    assert summary_of(summary).value[0].metadata.display_name == "other"
