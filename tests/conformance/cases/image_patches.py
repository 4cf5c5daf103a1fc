"""Patches of images, and their gradients."""

import numpy as np

from tests.conformance.cases.convolution import image, varied
from tests.conformance.registry import Program, case
from tests.conformance.values import fed

WAYS = [
    ([1, 2, 3, 1], [1, 1, 2, 1], [1, 1, 1, 1], "VALID"),
    ([1, 3, 3, 1], [1, 2, 3, 1], [1, 1, 1, 1], "SAME"),
    ([1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 3, 1], "SAME"),
    ([1, 2, 2, 1], [1, 5, 5, 1], [1, 2, 1, 1], "VALID"),
]


@case("ExtractImagePatches", "UnsortedSegmentSum", each=WAYS)
def patches(tf, ksizes, strides, rates, padding):
    x = image(tf, 2, 5, 6, 2)
    y = tf.extract_image_patches(x, ksizes, strides, rates, padding)
    named = tf.image.extract_image_patches(x, None, strides, rates, padding, "named", sizes=ksizes)
    other = tf.image.extract_patches(x, ksizes, strides, rates, padding)
    return [y, named, other, tf.gradients(y * y, x)]


DTYPES = "bfloat16 float16 float64 int8 int16 int32 int64 uint8 uint16 complex64".split()


@case("ExtractImagePatches", each=DTYPES)
def patches_of_other_types(tf, dtype):
    x = tf.cast(tf.constant(np.arange(18).reshape(1, 3, 3, 2) % 7), dtype)
    return tf.extract_image_patches(x, *WAYS[2])


@case(
    "ExtractImagePatches", each=[None, [None, None, 6, 2], [None, 5, None, None], [2, 5, 6, None]]
)
def static_shapes_of_patches(tf, shape):
    x, feed = fed(tf, varied(2, 5, 6, 2), shape=shape)
    y = tf.extract_image_patches(x, *WAYS[0])
    return Program([y, [] if shape is None else tf.gradients(y * y, x)], feed=feed)


ONES = [1, 1, 1, 1]
WRONG = {
    "across channels": ([1, 1, 1, 2], ONES, ONES, "Only support ksizes across space"),
    "across images": (ONES, [2, 1, 1, 1], ONES, "Only support strides across space"),
    "rates": (ONES, ONES, [1, 1, 1, 2], "Only support rates across space"),
    "too few": ([2, 2], ONES, ONES, ""),
    "too many": (ONES, [1] * 5, ONES, ""),
    "too large": ([1, 3, 9, 1], ONES, ONES, "Negative dimension size"),
    "no window": ([1, 0, 1, 1], ONES, ONES, ""),
    "no stride": (ONES, [1, 0, 1, 1], ONES, ""),
    "no rate": (ONES, ONES, [1, 1, 0, 1], ""),
}


@case("ExtractImagePatches", error="", each=WRONG)
def patches_that_are_wrong(tf, what):
    return tf.extract_image_patches(image(tf, 1, 5, 6, 2), *WRONG[what][:3], "VALID")


@case("ExtractImagePatches", error="input must be 4-dimensional")
def patches_of_a_matrix_in_the_run(tf):
    x, feed = fed(tf, varied(5, 6))
    return Program(tf.extract_image_patches(x, *WAYS[0]), feed=feed)
