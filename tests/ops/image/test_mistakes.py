"""What learners get wrong with images, and what they are told."""

import warnings

import numpy as np
import pytest

import tinytf as tf

WHOLE = np.zeros([4, 4, 3], np.uint8)


def large(how):
    """Floats up to 255, made of whole numbers."""
    if how == "cast":
        return tf.image.flip_left_right(tf.cast(WHOLE, tf.float32))
    return tf.image.resize_images(WHOLE, [2, 2])


@pytest.mark.parametrize(("how", "op"), [("cast", "Cast"), ("resize", "ResizeBilinear")])
def test_floats_up_to_255_are_told(how, op):
    with tf.Graph().as_default(), pytest.warns(UserWarning) as told:
        tf.image.convert_image_dtype(large(how), tf.uint8)
    (message,) = [str(warning.message) for warning in told]
    assert f"({op}), so that it goes up to 255" in message
    assert "tf.image.convert_image_dtype(image, tf.float32) instead" in message


@pytest.mark.parametrize(
    "image",
    [
        lambda: tf.image.convert_image_dtype(WHOLE, tf.float32),
        lambda: tf.cast(WHOLE, tf.float32) / 255.0,
        lambda: tf.placeholder(tf.float32, [4, 4, 3]),
        lambda: tf.image.resize_images(tf.ones([4, 4, 3]), [2, 2]),
    ],
)
def test_floats_up_to_1_are_quiet(image):
    with tf.Graph().as_default(), warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.image.convert_image_dtype(image(), tf.uint8)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: tf.image.flip_left_right(WHOLE[0]), r"tf.expand_dims\(image, -1\)"),
        (lambda: tf.image.resize_images(WHOLE, 28), r"of shape \(\)"),
        (lambda: tf.image.resize_images(WHOLE, [2.5, 2]), r"\[height, width\], whole numbers"),
        (lambda: tf.image.resize_images(WHOLE, [2, 2], "cubic"), "'bilinear', 'nearest'"),
        (
            lambda: tf.image.crop_to_bounding_box(WHOLE, 0, 1, 4, 4),
            "width is 4, the target's 4, from 1 on: the crop is larger than the image",
        ),
        (lambda: tf.image.ssim(WHOLE, WHOLE, 255), "smaller filter_size"),
        (lambda: tf.image.resize_images(tf.placeholder(tf.uint8), [2, 2]), "set_shape"),
    ],
)
def test_mistakes_say_what_to_do(build, words):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        build()
