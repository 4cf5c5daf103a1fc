"""tf.image: resizing, flips, crops and borders; colours and boxes have files of their own."""

import numpy as np

from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, numbers, varied

WHOLE = ["uint8", "int8", "uint16", "int16", "int32", "int64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
METHODS = ["bilinear", "nearest_neighbor", "bicubic", "area"]
OPS = ["ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea"]
#: (height, width) of an image and of the result: larger, smaller, one pixel, the same height
SIZES = [((5, 7), (8, 3)), ((1, 4), (3, 9)), ((9, 6), (4, 2)), ((3, 3), (1, 1)), ((4, 3), (4, 11))]


def pictures(tf, *shape, dtype="float32"):
    """Images of numbers that a pixel can have: up to 100, or up to 1 for floats."""
    values = np.abs(varied(*shape))
    return tf.constant(values if dtype in FLOATS else values * 100, dtype)


# Resizing -----------------------------------------------------------------------------------------


@case(*OPS, each=[(m, *s) for m in METHODS for s in SIZES])
def resized(tf, method, given, wanted):
    function, image = getattr(tf.image, f"resize_{method}"), pictures(tf, 2, *given, 3)
    results = [function(image, wanted), function(image, wanted, align_corners=True, name="named")]
    if method != "area":
        results.append(function(image, wanted, half_pixel_centers=True))
    return results


@case(*OPS, each=[(m, d) for m in METHODS for d in WHOLE + FLOATS])
def resized_types(tf, method, dtype):
    return getattr(tf.image, f"resize_{method}")(pictures(tf, 1, 3, 2, 2, dtype=dtype), [5, 3])


@case(*OPS, each=[0, 1, 2, 3, "bilinear", "nearest", "bicubic", "area"])
def resize_images(tf, method):
    one, batch = pictures(tf, 4, 6, 3, dtype="uint8"), pictures(tf, 2, 4, 6, 1)
    return [
        tf.image.resize_images(one, [2, 3], method),
        tf.image.resize_images(batch, tf.constant([8, 6]), method=method, align_corners=True),
        tf.image.resize(one, (4, 9), method, name="named"),
        tf.image.resize_images(batch, [4, 6], method),  # has the size
    ]


@case("Round", each=[(10, 10), (2, 30), (4, 6)])
def resize_without_distortion(tf, height, width):
    x, feed = fed(tf, np.ones([2, 4, 6, 1]), shape=[None, None, None, 1])
    size, more = fed(tf, [height, width], "int32", [2])
    one = pictures(tf, 4, 6, 3)
    results = [
        tf.image.resize_images(one, [height, width], preserve_aspect_ratio=True),
        tf.image.resize_images(x, size, preserve_aspect_ratio=True, name="named"),
        tf.image.resize_images(one, size),
    ]
    return Program(results, feed={**feed, **more})


@case(
    "ResizeBilinearGrad",
    "ResizeNearestNeighborGrad",
    "ResizeBicubicGrad",
    each=[(m, *s, c) for m in METHODS[:3] for s in SIZES for c in ("", "align", "half")],
)
def gradients_of_resizing(tf, method, given, wanted, corners):
    image = pictures(tf, 2, *given, 2)
    attrs = {"align_corners": corners == "align", "half_pixel_centers": corners == "half"}
    y = getattr(tf.image, f"resize_{method}")(image, wanted, **attrs)
    return tf.gradients(y * numbers(tf, 2, *wanted, 2), image)


@case(
    "ResizeBilinearGrad",
    "ResizeNearestNeighborGrad",
    each=[(m, d) for m in METHODS[:2] for d in FLOATS],
    rtol=2e-2,  # TensorFlow sums 16-bit numbers as such
)
def gradient_types_of_resizing(tf, method, dtype):
    image = pictures(tf, 1, 3, 2, 2, dtype=dtype)
    y = getattr(tf.image, f"resize_{method}")(image, [4, 5])
    return tf.gradients(y, image, tf.constant(np.abs(varied(1, 4, 5, 2)), y.dtype))


@case("ResizeBicubicGrad", each=["float32", "float64"])
def gradient_types_of_bicubic(tf, dtype):
    image = pictures(tf, 1, 3, 2, 2, dtype=dtype)
    y = tf.image.resize_bicubic(image, [4, 5])
    return tf.gradients(y, image, tf.constant(np.abs(varied(1, 4, 5, 2)), y.dtype))


@case("ResizeNearestNeighborGrad", each=["uint8", "int8", "int32"])
def gradient_nodes_of_whole_numbers(tf, dtype):
    grads = [pictures(tf, 1, 4, 5, 2, dtype=dtype), [2, 3]]
    return node(
        tf, "ResizeNearestNeighborGrad", [grads[0], tf.constant(grads[1])], T=tf.as_dtype(dtype)
    )


@case("ResizeNearestNeighborGrad")
def gradient_of_unknown_size(tf):
    x, feed = fed(tf, np.ones([1, 2, 3, 1]), shape=[None, None, None, 1])
    return Program(tf.gradients(tf.image.resize_nearest_neighbor(x, [4, 4]), x), feed=feed)


@case("ResizeArea", error="")
def gradient_of_area(tf):
    x = pictures(tf, 1, 2, 2, 1)
    return tf.gradients(tf.image.resize_area(x, [4, 4]), x)


@case("ResizeBilinear", error="'images' must have either 3 or 4 dimensions.", each=[2, 5])
def resize_of_another_rank(tf, rank):
    return tf.image.resize_images(tf.ones([2] * rank), [4, 4])


@case("ResizeBilinear", error="'images' contains no shape.")
def resize_of_no_shape(tf):
    return tf.image.resize_images(tf.placeholder(tf.float32), [4, 4])


@case("ResizeBilinear", error="'size' must be a 1-D", each=["4, 4", [4], [4, 4, 3], 0.5, [1.5, 2]])
def resize_to_no_size(tf, size):
    return tf.image.resize_images(tf.ones([2, 2, 1]), size)


@case("ResizeBilinear", error="Resize method is not implemented: ", each=["lanczos3", 4])
def resize_by_no_method(tf, method):
    return tf.image.resize_images(tf.ones([2, 2, 1]), [4, 4], method)


@case("ResizeBilinear", error="Shape must be rank 4 but is rank 3", each=METHODS)
def nodes_of_another_rank(tf, method):
    return getattr(tf.image, f"resize_{method}")(tf.ones([2, 2, 1]), [4, 4])


@case("ResizeBilinear", error="Dimension must be 2 but is 3")
def nodes_of_three_sizes(tf):
    return tf.image.resize_bilinear(tf.ones([1, 2, 2, 1]), [4, 4, 1])


WRONG = {
    "input must be 4-dimensional[2,2,1]": ([2, 2, 1], [4, 4], {}),
    "image must have at least one channel": ([1, 2, 2, 0], [4, 4], {}),
    "input image must be of non-zero size": ([1, 0, 2, 1], [4, 4], {}),
    "shape_t must be 1-dimensional[1,2]": ([1, 2, 2, 1], [[4, 4]], {}),
    "shape_t must have two elements[3]": ([1, 2, 2, 1], [4, 4, 4], {}),
    "output dimensions must be positive": ([1, 2, 2, 1], [4, 0], {}),
    "align_corners must be False": (
        [1, 2, 2, 1],
        [4, 4],
        {"align_corners": True, "half_pixel_centers": True},
    ),
}


def _wrong(message):
    @case("ResizeBilinear", error=message, each=[message])
    def wrong_in_the_run(tf, message):
        shape, wanted, attrs = WRONG[message]
        x, size = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
        feed = {x: np.ones(shape), size: wanted}
        return Program(tf.image.resize_bilinear(x, size, **attrs), feed=feed)


for _message in WRONG:
    _wrong(_message)


# Flips and turns ----------------------------------------------------------------------------------

FLIPS = ["flip_left_right", "flip_up_down", "transpose_image", "transpose", "rot90"]


@case("ReverseV2", "Transpose", graph="types", each=FLIPS)  # rot90's branches have other names
def flips(tf, name):
    function = getattr(tf.image, name)
    one, several = pictures(tf, 2, 3, 3), pictures(tf, 2, 2, 3, 1, dtype="uint8")
    known, feed = fed(tf, np.ones([2, 3, 1]), shape=[None, 3, 1])
    return Program([function(one), function(several), function(known)], feed=feed)


@case("ReverseV2", "Transpose", each=FLIPS[:4])
def flips_node_by_node(tf, name):
    return [getattr(tf.image, name)(pictures(tf, *shape)) for shape in ((2, 3, 3), (2, 2, 3, 1))]


# TensorFlow's optimiser runs the transposition of the branch that is not taken.
@case(
    "ReverseV2",
    "Transpose",
    graph="types",
    travels=False,
    each=[(f, r) for f in FLIPS for r in (3, 4)],
)
def flips_of_unknown_rank(tf, name, rank):
    x, feed = fed(tf, varied(*[2, 2, 3, 1][4 - rank :]))
    return Program(getattr(tf.image, name)(x), feed=feed)


@case("ReverseV2", graph="types", each=[-1, 0, 1, 2, 3, 6])
def turned(tf, k):
    times, feed = fed(tf, k, "int32", [])
    image, several = pictures(tf, 2, 3, 1), pictures(tf, 2, 2, 3, 1)
    results = [tf.image.rot90(image, k), tf.image.rot90(several, times, name="named")]
    return Program(results, feed=feed)


@case("ReverseV2", error="'image' (shape (2, 2)) must be at least three-dimensional", each=FLIPS)
def flips_of_a_matrix(tf, name):
    return getattr(tf.image, name)(tf.ones([2, 2]))


@case("ReverseV2", error=") must have either 3 or 4 dimensions.", each=FLIPS[2:])
def flips_of_five_dimensions(tf, name):
    return getattr(tf.image, name)(tf.ones([2] * 5))


@case("ReverseV2", error="inner 3 dims of 'image.shape' must be > 0")
def flip_of_no_pixels(tf):
    return tf.image.flip_left_right(tf.ones([2, 0, 1]))


@case("ReverseV2", error="must be > 0")
def flip_of_no_pixels_in_the_run(tf):
    x, feed = fed(tf, np.ones([2, 0, 1]), shape=[None, None, 1])
    return Program(tf.image.flip_left_right(x), feed=feed)


RANDOM = ["random_flip_left_right", "random_flip_up_down"]


@case(
    "RandomUniform", graph="types", each=[(f, r, s) for f in RANDOM for r in (3, 4) for s in (1, 7)]
)
def random_flips(tf, name, rank, seed):
    tf.set_random_seed(3)
    image = pictures(tf, *[6, 2, 3, 2][4 - rank :])
    return Program(getattr(tf.image, name)(image, seed), runs=6)


@case("RandomUniform", graph="types", each=[3, 4])
def random_flip_of_unknown_rank(tf, rank):
    x, feed = fed(tf, varied(*[6, 2, 3, 2][4 - rank :]))
    return Program(tf.image.random_flip_left_right(x, seed=2), feed=[feed] * 4)


# Crops and borders --------------------------------------------------------------------------------


@case("Slice", each=[(0, 0, 2, 3), (1, 2, 3, 4), (3, 0, 1, 1)])
def crop(tf, *box):
    one, several = pictures(tf, 4, 6, 3), pictures(tf, 2, 4, 6, 1, dtype="uint8")
    return [tf.image.crop_to_bounding_box(image, *box) for image in (one, several)]


@case("Pad", each=[(0, 0, 4, 6), (1, 2, 5, 9), (3, 0, 8, 6)])
def pad(tf, *box):
    one, several = pictures(tf, 4, 6, 3), pictures(tf, 2, 4, 6, 1, dtype="uint8")
    return [tf.image.pad_to_bounding_box(image, *box) for image in (one, several)]


@case("Slice", "Pad", "Assert", graph="types")
def crop_and_pad_of_unknown_sizes(tf):
    x, feed = fed(tf, np.ones([4, 6, 1]), shape=[None, None, 1])
    y, more = fed(tf, np.ones([4, 6, 1]))
    number, another = fed(tf, 2, "int32", [])
    crop, pad = tf.image.crop_to_bounding_box, tf.image.pad_to_bounding_box
    results = [crop(x, 1, number, 2, 3), pad(x, number, 1, 8, 9), crop(y, 0, 0, 2, 2)]
    results.append(pad(pictures(tf, 2, 3, 3, 1), 1, number, 8, number + 8))
    return Program(results, feed={**feed, **more, **another})


@case("Slice", "Pad", "Assert")
def crop_and_pad_node_by_node(tf):
    x, feed = fed(tf, np.ones([2, 4, 6, 1]), "int32", shape=[2, 4, None, 1])
    crop, pad = tf.image.crop_to_bounding_box, tf.image.pad_to_bounding_box
    return Program([crop(x, 1, 2, 2, 3), pad(x, 2, 1, 8, 9)], feed=feed)


CROPS = {
    "offset_width must be >= 0": (0, -1, 1, 1),
    "offset_height must be >= 0": (-1, 0, 1, 1),
    "target_width must be > 0": (0, 0, 1, 0),
    "target_height must be > 0": (0, 0, 0, 1),
    "width must be >= target + offset": (0, 1, 2, 3),
    "height must be >= target + offset": (1, 0, 2, 3),
}
PADS = {
    "offset_width must be >= 0": (0, -1, 4, 4),
    "offset_height must be >= 0": (-1, 0, 4, 4),
    "width must be <= target - offset": (0, 2, 4, 4),
    "height must be <= target - offset": (3, 0, 4, 4),
}


def _refused(name, boxes):
    for message, box in boxes.items():

        @case("Slice", error=message, each=[(name, box)])
        def refused(tf, name, box):
            return getattr(tf.image, name)(tf.ones([2, 3, 1]), *box)

        @case("Slice", error=message, each=[(name, box)])
        def refused_in_the_run(tf, name, box):
            x, feed = fed(tf, np.ones([2, 3, 1]), shape=[None, None, 1])
            box = [tf.placeholder_with_default(number, []) for number in box]
            return Program(getattr(tf.image, name)(x, *box), feed=feed)


_refused("crop_to_bounding_box", CROPS)
_refused("pad_to_bounding_box", PADS)


@case("Slice", "Pad", each=[(4, 6), (2, 3), (9, 8), (2, 9), (7, 1)])
def crop_or_pad(tf, height, width):
    one, several = pictures(tf, 4, 6, 3), pictures(tf, 2, 5, 5, 1, dtype="uint8")
    function = tf.image.resize_image_with_crop_or_pad
    return [function(one, height, width), function(several, height, width)]


@case("Slice", "Pad", graph="types", each=[(4, 6), (2, 9)])
def crop_or_pad_of_unknown_sizes(tf, height, width):
    x, feed = fed(tf, varied(5, 5, 1), shape=[None, None, 1])
    tall, more = fed(tf, height, "int32", [])
    results = [tf.image.resize_image_with_crop_or_pad(x, tall, width)]
    results.append(tf.image.resize_with_crop_or_pad(x, height, width))
    return Program(results, feed={**feed, **more})


@case("Slice", error="target_width must be > 0", each=["resize_image_with_crop_or_pad"])
def crop_or_pad_to_nothing(tf, name):
    return getattr(tf.image, name)(tf.ones([2, 3, 1]), 2, 0)


@case("Slice", error="must have either 3 or 4 dimensions.", each=["crop_to_bounding_box"])
def crop_of_a_matrix(tf, name):
    return getattr(tf.image, name)(tf.ones([2, 3]), 0, 0, 1, 1)


@case("ResizeBilinear", "Pad", graph="types", each=[(4, 6), (8, 3), (2, 9), (12, 12)])
def resize_with_pad(tf, height, width):
    one, several = pictures(tf, 4, 6, 3), pictures(tf, 2, 5, 5, 1, dtype="uint8")
    function = tf.image.resize_image_with_pad
    return [
        function(one, height, width),
        function(several, height, width, 1, align_corners=True),
    ]


# TensorFlow's optimiser divides by multiplying, and gets 11.99 for 12.
@case("ResizeBilinear", "Pad", graph="types", travels=False, each=[(2, 9), (12, 12)])
def resize_with_pad_of_unknown_sizes(tf, height, width):
    x, feed = fed(tf, varied(3, 5, 1), shape=[None, None, 1])
    return Program(tf.image.resize_image_with_pad(x, height, width), feed=feed)


@case("ResizeBilinear", "Pad")
def resize_with_pad_node_by_node(tf):
    return tf.image.resize_image_with_pad(pictures(tf, 4, 6, 3), 3, 9)


@case("Slice", each=[0.1, 0.5, 0.66, 0.875, 1.0])
def central_crop(tf, fraction):
    one, several = pictures(tf, 8, 10, 3), pictures(tf, 2, 5, 7, 1, dtype="uint8")
    x, feed = fed(tf, varied(7, 9, 1), shape=[None, 9, 1])
    results = [tf.image.central_crop(image, fraction) for image in (one, several, x)]
    return Program(results, feed=feed)


@case("Slice", graph="types")
def central_crop_of_a_fed_fraction(tf):
    fraction, feed = fed(tf, 0.5, shape=[])
    return Program(tf.image.central_crop(pictures(tf, 8, 10, 3), fraction), feed=feed)


@case("Slice", error="central_fraction must be within (0, 1]", each=[0.0, -0.5, 1.5])
def central_crop_of_more_or_nothing(tf, fraction):
    return tf.image.central_crop(pictures(tf, 8, 10, 3), fraction)


@case("Slice", error="`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = 5")
def central_crop_of_another_rank(tf):
    return tf.image.central_crop(tf.ones([2] * 5), 0.5)


@case("RandomUniformInt", graph="types", each=[(2, 2, 3), (4, 5, 1)])
def random_crops(tf, *size):
    tf.set_random_seed(5)
    return Program(tf.image.random_crop(pictures(tf, 4, 6, 3), size, seed=2), runs=5)
