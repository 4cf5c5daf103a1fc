"""tf.image: types, colours, contrast and the like, for certain and by chance."""

import numpy as np

from tests.conformance.cases.image import FLOATS, pictures
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, varied

#: Pixels of all six orders of the channels, grey ones, black, white, and equal channels.
PIXELS = [
    [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.2, 0.3, 0.1], [0.9, 0.0, 0.5], [0.25, 0.5, 0.125]],
    [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [0.5, 0.5, 0.5], [0.5, 0.5, 0.2], [0.2, 0.7, 0.7]],
    [[0.7, 0.2, 0.7], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.4, 0.1, 0.4]],
]


def colours(tf, dtype="float32"):
    values = np.array(PIXELS)
    return tf.constant(values if dtype in FLOATS else values * 100, dtype)


# Types --------------------------------------------------------------------------------------------

#: Up, down and across; 16 bits, 32 and 64.
TYPES = """
    uint8:float32 uint16:float16 int32:float64 float32:uint8 float64:int32 float16:uint8
    float32:int64 float32:float64 uint8:uint16 uint16:uint8 int8:uint8 uint8:int8 int64:int16
    int16:int16
"""


@case(
    "Cast",
    "Mul",
    each=[(*pair.split(":"), saturate) for pair in TYPES.split() for saturate in (False, True)],
)
def image_types(tf, source, wanted, saturate):
    if source in FLOATS:  # what is out of bounds is undefined without `saturate`
        x = tf.constant([0.0, 0.25, 0.5, 0.999] + [-1.0, 2.0] * saturate, source)
    else:
        x = tf.constant([0, 1, 100, np.iinfo(source).max], source)
    return [
        tf.image.convert_image_dtype(x, wanted, saturate),
        tf.image.convert_image_dtype(x, wanted, saturate=saturate, name="named"),
    ]


@case("Cast", error="dtype must be either floating point or integer", each=["bool", "complex64"])
def image_types_of_another_kind(tf, wanted):
    return tf.image.convert_image_dtype(tf.ones([2]), wanted)


@case("Cast", error="image dtype must be either floating point or integer")
def image_types_of_bool(tf):
    return tf.image.convert_image_dtype([True], tf.float32)


# float64 goes through float32
@case("MatMul", each=["uint8", "uint16", "float16", "float32", "float64"], rtol=2e-3)
def grey_from_colours(tf, dtype):
    x = colours(tf, dtype)
    return [tf.image.rgb_to_grayscale(x), tf.image.rgb_to_grayscale(x[0], name="named")]


@case("MatMul", graph="types")
def gradient_of_grey(tf):
    x = colours(tf)
    y = tf.image.rgb_to_grayscale(x)
    return tf.gradients(y * y, x)


@case("MatMul", error="")
def grey_from_two_channels(tf):
    return tf.image.rgb_to_grayscale(tf.ones([2, 2, 2]))


@case("Tile", graph="types", each=["uint8", "float32"])
def colours_from_grey(tf, dtype):
    x, feed = fed(tf, np.ones([2, 3, 1]), dtype, shape=[None, None, 1])
    y, more = fed(tf, np.ones([2, 3, 1]), dtype)
    results = [tf.image.grayscale_to_rgb(pictures(tf, 2, 3, 1, dtype=dtype), name="named")]
    results += [tf.image.grayscale_to_rgb(z) for z in (pictures(tf, 2, 1, dtype=dtype), x, y)]
    return Program(results, feed={**feed, **more})


@case("Tile")
def colours_from_grey_node_by_node(tf):
    return tf.image.grayscale_to_rgb(pictures(tf, 2, 2, 3, 1))


@case("Tile", error="Last dimension of a grayscale image should be size 1")
def colours_from_colours(tf):
    return tf.image.grayscale_to_rgb(tf.ones([2, 2, 3]))


@case("Tile", error="must be at least two-dimensional")
def colours_from_a_vector(tf):
    return tf.image.grayscale_to_rgb(tf.ones([1]))


SPACES = ["rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb"]


@case("MatMul", each=[(s, d) for s in SPACES for d in ("float32", "float64")])
def spaces(tf, name, dtype):
    function = getattr(tf.image, name)
    return [function(colours(tf, dtype)), function(colours(tf, dtype)[0])]


@case("MatMul", error="", each=SPACES)
def spaces_of_two_channels(tf, name):
    return getattr(tf.image, name)(tf.ones([2, 2, 2]))


# Hue, saturation, value ---------------------------------------------------------------------------


@case("RGBToHSV", "HSVToRGB", each=FLOATS)
def hsv(tf, dtype):
    x = colours(tf, dtype)
    there = tf.image.rgb_to_hsv(x)
    return [there, tf.image.hsv_to_rgb(x, name="named"), tf.image.hsv_to_rgb(x[0, 0])]


@case("RGBToHSV", graph="any", rtol=1e-4)  # the same derivatives, put together otherwise
def gradient_of_hsv(tf):
    x = tf.constant(PIXELS[0] + [[0.8, 0.1, 0.3], [0.3, 0.9, 0.6], [0.2, 0.5, 0.9]])
    y = tf.image.rgb_to_hsv(x)
    return [tf.gradients(y[:, channel], x) for channel in range(3)]


@case("HSVToRGB", error="")
def gradient_of_rgb(tf):
    x = colours(tf)
    return [tf.image.hsv_to_rgb(x) + tf.gradients(tf.image.hsv_to_rgb(x), x)[0]]


@case("RGBToHSV", error="Dimension must be 3 but is 2", each=["rgb_to_hsv", "hsv_to_rgb"])
def hsv_of_two_channels(tf, name):
    return getattr(tf.image, name)(tf.ones([2, 2]))


@case("RGBToHSV", error="Shape must be at least rank 1 but is rank 0")
def hsv_of_a_number(tf):
    return tf.image.rgb_to_hsv(1.0)


@case("RGBToHSV", error="input must have 3 channels but input only has 2 channels.")
def hsv_of_two_channels_in_the_run(tf):
    x, feed = fed(tf, np.ones([2, 2]))
    return Program(tf.image.rgb_to_hsv(x), feed=feed)


# Adjusted -----------------------------------------------------------------------------------------

ADJUST = {
    "adjust_brightness": [0.25, -0.5, 0],
    "adjust_contrast": [2.0, 0.5, 0],
    "adjust_hue": [0.25, -0.4, 1.0, 0.0],
    "adjust_saturation": [2.0, 0.5, 0.0],
    "adjust_gamma": [2.0, 0.5, 1],
}
ADJUSTED = [(name, by) for name, values in ADJUST.items() for by in values]
TYPES_ADJUSTED = ["uint8", "int16", "float32", "float64"]


@case(
    "AdjustContrastv2",
    "AdjustHue",
    "AdjustSaturation",
    "Pow",
    each=[(*pair, dtype) for pair in ADJUSTED for dtype in TYPES_ADJUSTED],
    rtol=2e-5,
)
def adjusted(tf, name, by, dtype):
    x = colours(tf, dtype)
    return [getattr(tf.image, name)(x, by), getattr(tf.image, name)(tf.stack([x, x]), by)]


@case("AddV2", "Pow", each=["adjust_brightness", "adjust_gamma"])
def adjusted_half(tf, name):
    return getattr(tf.image, name)(colours(tf, "float16"), 0.5)


@case("Pow", graph="types", each=["float32", "uint8"])
def adjusted_by_tensors(tf, dtype):
    by, feed = fed(tf, 0.5, shape=[])
    x = colours(tf, dtype)
    results = [getattr(tf.image, name)(x, by) for name in ADJUST]
    return Program([*results, tf.image.adjust_gamma(x, 2, gain=0.5)], feed=feed)


@case("Pow", error="Gamma should be a non-negative real number")
def negative_gamma(tf):
    return tf.image.adjust_gamma(colours(tf), -1.0)


@case("Pow", error="Gamma should be a non-negative real number", graph="types")
def negative_gamma_in_the_run(tf):
    by, feed = fed(tf, -0.5, shape=[])
    return Program(tf.image.adjust_gamma(colours(tf), by), feed=feed)


@case("AdjustSaturation")
def saturation_of_no_numbers(tf):
    return tf.image.adjust_saturation([[[np.nan, 0.1, 0.2], [0.5, 0.1, 0.2]]], 0.5)


@case(
    "AdjustHue",
    error="Shape must be at least rank 3 but is rank 2",
    each=["adjust_hue", "adjust_saturation", "adjust_contrast"],
)
def adjusted_matrices(tf, name):
    return getattr(tf.image, name)(tf.ones([2, 3]), 0.5)


@case(
    "AdjustHue",
    error="input must have 3 channels but instead has 2 channels",
    each=["adjust_hue", "adjust_saturation"],
)
def adjusted_channels(tf, name):
    return getattr(tf.image, name)(tf.ones([2, 2, 2]), 0.5)


@case("AdjustContrastv2", error="Shape must be rank 0 but is rank 1")
def contrast_of_vectors(tf):
    return tf.image.adjust_contrast(tf.ones([2, 2, 3]), [0.5])


@case(
    "AdjustHue",
    error="must be scalar: [1]",
    each=["adjust_hue", "adjust_saturation"],
)
def adjusted_by_vectors(tf, name):
    return getattr(tf.image, name)(tf.ones([2, 2, 3]), [0.5])


@case(
    "AdjustHue",
    error="No gradient defined for operation",
    each=["adjust_hue", "adjust_saturation", "adjust_contrast"],
)
def gradients_of_adjusted(tf, name):
    x = colours(tf)
    return tf.gradients(getattr(tf.image, name)(x, 0.5), x)


@case("Rsqrt", graph="types", each=["float32", "uint8", "float64"])
def standardized(tf, dtype):
    x, feed = fed(tf, varied(2, 3, 1), shape=[None, None, 1])
    images = [colours(tf, dtype), pictures(tf, 2, 3, 4, 1, dtype=dtype), tf.ones([2, 2, 1]), x]
    return Program([tf.image.per_image_standardization(image) for image in images], feed=feed)


@case("Rsqrt")
def standardized_node_by_node(tf):
    return tf.image.per_image_standardization(colours(tf, "uint8"))


@case("Rsqrt", graph="types")
def gradient_of_standardized(tf):
    x = colours(tf)
    return tf.gradients(tf.image.per_image_standardization(x) * x, x)


@case("Rsqrt", error="'image' (shape (2, 3)) must be at least three-dimensional")
def standardized_matrix(tf):
    return tf.image.per_image_standardization(tf.ones([2, 3]))


# By chance ----------------------------------------------------------------------------------------

RANDOM = {
    "random_brightness": (0.3,),
    "random_contrast": (0.5, 1.5),
    "random_hue": (0.4,),
    "random_saturation": (0.5, 1.5),
}


@case("RandomUniform", each=[(n, d) for n in RANDOM for d in ("float32", "uint8")], rtol=2e-5)
def random_colours(tf, name, dtype):
    tf.set_random_seed(7)
    function, limits = getattr(tf.image, name), RANDOM[name]
    x = colours(tf, dtype)
    return Program([function(x, *limits, seed=3), function(x, *limits)], runs=3)


RANGES = {
    "upper must be > lower.": ("random_contrast", 1.0, 0.5),
    "lower must be non-negative.": ("random_saturation", -0.5, 0.5),
    "max_delta must be <= 0.5.": ("random_hue", 0.6),
    "max_delta must be non-negative.": ("random_brightness", -0.1),
    "jpeg encoding range must be between 0 and 100.": ("random_jpeg_quality", 50, 101),
    "`min_jpeg_quality` must be less than `max_jpeg_quality`.": ("random_jpeg_quality", 50, 50),
}


def _no_range(message):
    @case("RandomUniform", error=message, each=[RANGES[message]])
    def no_range(tf, name, *limits):
        return getattr(tf.image, name)(colours(tf), *limits)


for _message in RANGES:
    _no_range(_message)


# Encoders differ: a few values from pixel to pixel, and files byte by byte.


def close_pixels(values):
    for fetches in values:
        assert all(np.isfinite(np.asarray(value, float)).all() for value in fetches)


@case("EncodeJpegVariableQuality", "DecodeJpeg", random=True, check=close_pixels)
def jpeg_quality(tf):
    tf.set_random_seed(2)
    whole, floats = pictures(tf, 8, 6, 3, dtype="uint8"), pictures(tf, 8, 6, 1)
    results = [tf.image.adjust_jpeg_quality(x, 50) for x in (whole, floats)]
    return [*results, tf.image.random_jpeg_quality(whole, 40, 60, seed=1)]


@case("EncodeJpegVariableQuality", error="quality must be in [0,100], got 101")
def jpeg_of_too_much_quality(tf):
    return tf.image.adjust_jpeg_quality(pictures(tf, 8, 6, 3, dtype="uint8"), 101)


@case("DecodeAndCropJpeg", random=True, each=[0, 1, 3])
def part_of_a_file(tf, channels):
    file = tf.image.encode_jpeg(pictures(tf, 16, 12, 3, dtype="uint8"))
    y, feed = fed(tf, [1, 2, 5, 4], "int32", [4])
    decoded = [tf.image.decode_and_crop_jpeg(file, [2, 1, 5, 4], channels, name="named")]
    return Program([*decoded, tf.io.decode_and_crop_jpeg(file, y)], feed=feed)


@case("DecodeAndCropJpeg", error="Invalid JPEG data or crop window", each=[(9, 0), (0, 8), (-1, 0)])
def part_outside_of_a_file(tf, top, left):
    file = tf.image.encode_jpeg(pictures(tf, 12, 12, 3, dtype="uint8"))
    return tf.image.decode_and_crop_jpeg(file, [top, left, 5, 5])
