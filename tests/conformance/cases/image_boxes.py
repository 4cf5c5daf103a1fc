"""tf.image: crop_and_resize, boxes that are drawn, sampled and suppressed, glimpses."""

import numpy as np

from tests.conformance.cases.image import WHOLE, pictures
from tests.conformance.nodes import node
from tests.conformance.registry import Program, case
from tests.conformance.values import fed, varied

#: Inside, around all, outside in part, mirrored, a point, outside.
BOXES = [
    [0.1, 0.2, 0.7, 0.9],
    [0.0, 0.0, 1.0, 1.0],
    [-0.5, 0.3, 0.6, 1.4],
    [0.9, 0.8, 0.2, 0.1],
    [0.5, 0.5, 0.5, 0.5],
    [2.0, 2.0, 3.0, 3.0],
]
IMAGES = [0, 1, 1, 0, 1, 0]


# Crop and resize ----------------------------------------------------------------------------------


@case(
    "CropAndResize",
    each=[(m, *s) for m in ("bilinear", "nearest") for s in ((3, 4), (1, 5), (7, 1))],
)
def crop_and_resize(tf, method, *size):
    image = pictures(tf, 2, 5, 6, 2)
    return [
        tf.image.crop_and_resize(image, BOXES, IMAGES, size, method),
        tf.image.crop_and_resize(
            image, BOXES, box_indices=IMAGES, crop_size=size, method=method, extrapolation_value=7
        ),
        tf.image.crop_and_resize(image, np.zeros([0, 4]), np.zeros([0], np.int32), size, name="no"),
    ]


@case("CropAndResize", each=[*WHOLE, "float16", "float64"])
def crop_and_resize_types(tf, dtype):
    return tf.image.crop_and_resize(pictures(tf, 2, 3, 4, 1, dtype=dtype), BOXES, IMAGES, [2, 3])


@case(
    "CropAndResizeGradImage",
    "CropAndResizeGradBoxes",
    each=[(*s, d) for s in ((3, 4), (1, 5), (7, 1)) for d in ("float32", "float64", "float16")],
    rtol=1e-2,  # TensorFlow adds in other types and orders
    atol=1e-4,
)
def gradients_of_crops(tf, height, width, dtype):
    image, boxes = pictures(tf, 2, 5, 6, 2, dtype=dtype), tf.constant(BOXES[:3] + BOXES[4:])
    crops = tf.image.crop_and_resize(image, boxes, [0, 1, 1, 1, 0], [height, width])
    return tf.gradients(crops, [image, boxes], tf.constant(varied(5, height, width, 2), tf.float32))


@case("CropAndResizeGradImage", "CropAndResizeGradBoxes")
def gradients_of_nearest_crops(tf):
    x, feed = fed(tf, np.abs(varied(2, 5, 6, 2)))
    crops = tf.image.crop_and_resize(x, BOXES, IMAGES, [3, 3], "nearest")
    return Program(tf.gradients(crops, x), feed=feed)


@case("CropAndResizeGradBoxes")
def gradient_of_crops_of_whole_numbers(tf):
    boxes = tf.constant(BOXES)
    image = pictures(tf, 2, 5, 6, 2, dtype="uint8")
    return tf.gradients(tf.image.crop_and_resize(image, boxes, IMAGES, [3, 3]), boxes)


CROPS = {
    "input image must be 4-D": ([3, 3, 1], [1, 4], [0], [2, 2]),
    "image dimensions must be positive": ([1, 0, 3, 1], [1, 4], [0], [2, 2]),
    "crop_size must be 1-D": ([1, 3, 3, 1], [1, 4], [0], [[2, 2]]),
    "crop_size must have two elements": ([1, 3, 3, 1], [1, 4], [0], [2]),
    "crop dimensions must be positive": ([1, 3, 3, 1], [1, 4], [0], [2, 0]),
    "boxes must be 2-D": ([1, 3, 3, 1], [4], [0], [2, 2]),
    "boxes must have 4 columns": ([1, 3, 3, 1], [1, 3], [0], [2, 2]),
    "box_index has incompatible shape": ([1, 3, 3, 1], [1, 4], [0, 0], [2, 2]),
    "box_index has values outside [0, batch_size)": ([1, 3, 3, 1], [1, 4], [1], [2, 2]),
}


def _no_crop(message):
    @case("CropAndResize", error=message, each=[message])
    def no_crop(tf, message):
        image, boxes, numbers, size = CROPS[message]
        x, feed = fed(tf, np.ones(image))
        y, more = fed(tf, np.ones(boxes))
        z, others = fed(tf, numbers, "int32")
        w, last = fed(tf, size, "int32")
        crops = tf.image.crop_and_resize(x, y, z, w)
        return Program(crops, feed={**feed, **more, **others, **last})


for _message in CROPS:
    _no_crop(_message)


@case(
    "CropAndResize",
    error="",
    each=[((3, 3, 1), (1, 4)), ((1, 3, 3, 1), (4,)), ((1, 3, 3, 1), (1, 3))],
)
def no_crop_of_static_shapes(tf, image, boxes):
    return tf.image.crop_and_resize(tf.ones(image), tf.ones(boxes), [0], [2, 2])


# Drawn --------------------------------------------------------------------------------------------

DRAWN = np.float32([[*BOXES, [0, 0, 1, 0.25], [0.3, -1, 0.6, 2], [0.1, 0.1, 0.2, 0.2]] * 2])
COLOURS = np.float32([[0.1, 0.2, 0.3, 0.4], [0.9, 0.8, 0.7, 0.6]])


@case("DrawBoundingBoxes", "DrawBoundingBoxesV2", each=[1, 3, 4])
def drawn(tf, depth):
    image = pictures(tf, 1, 12, 9, depth)
    return [
        tf.image.draw_bounding_boxes(image, DRAWN),
        tf.image.draw_bounding_boxes(image, DRAWN, colors=COLOURS, name="named"),
        tf.image.draw_bounding_boxes(image, DRAWN, colors=np.zeros([0, 4], np.float32)),
    ]


@case("DrawBoundingBoxes", graph="types")
def drawn_half(tf):
    image = tf.stack([pictures(tf, 5, 5, 3, dtype="float16")] * 2)
    return tf.image.draw_bounding_boxes(image, np.stack([DRAWN[0], DRAWN[0][::-1]]))


# Images of another rank, or more boxes than images, crash TensorFlow.
DRAWINGS = {
    "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)": (
        [1, 5, 5, 2],
        [1, 1, 4],
        [1, 4],
    ),
    "colors must have equal or more channels than the image": ([1, 5, 5, 3], [1, 1, 4], [0, 2]),
}


def _not_drawn(message):
    @case("DrawBoundingBoxesV2", error=message, each=[message])
    def not_drawn(tf, message):
        (x, feed), (y, more), (z, last) = (fed(tf, np.ones(s)) for s in DRAWINGS[message])
        result = tf.image.draw_bounding_boxes(x, y, colors=z)
        return Program(result, feed={**feed, **more, **last})


for _message in DRAWINGS:
    _not_drawn(_message)


# Sampled ------------------------------------------------------------------------------------------

OBJECTS = np.float32([[[0.1, 0.2, 0.6, 0.5], [0.3, 0.3, 0.9, 0.95]]])
SAMPLES = [
    ((60, 80, 3), {}),
    ((60, 80, 3), {"min_object_covered": 0.9, "max_attempts": 20}),
    ((300, 20, 1), {"aspect_ratio_range": (0.2, 5.0), "area_range": (0.3, 0.8)}),
    ((7, 9, 3), {"aspect_ratio_range": (1.0, 1.0), "area_range": (0.9, 1.0)}),
    ((224, 224, 3), {"area_range": (0.001, 0.01), "max_attempts": 3}),
]


@case("SampleDistortedBoundingBoxV2", each=range(len(SAMPLES)))
def sampled(tf, number):
    tf.set_random_seed(9)  # does not matter
    size, options = SAMPLES[number]
    boxes = tf.image.sample_distorted_bounding_box(size, OBJECTS, seed=4, seed2=number, **options)
    more = tf.image.sample_distorted_bounding_box(size, OBJECTS, 5, name="named", **options)
    return Program([list(boxes), list(more)], runs=4)


@case("SampleDistortedBoundingBoxV2", each=["uint8", "int64"])
def sampled_without_objects(tf, dtype):
    size, covered = tf.constant([60, 80, 3], dtype), tf.constant(0.3)
    found = tf.image.sample_distorted_bounding_box(
        size,
        tf.zeros([1, 0, 4]),
        seed=2,
        min_object_covered=covered,
        use_image_if_no_bounding_boxes=True,
    )
    return Program(list(found), runs=3)


@case("SampleDistortedBoundingBox")
def sampled_of_older_graphs(tf):
    inputs = [tf.constant([60, 80, 3]), tf.constant(OBJECTS)]
    found = node(tf, "SampleDistortedBoundingBox", inputs, T=tf.int32, seed=3, seed2=4)
    return Program(found, runs=3)


@case("SampleDistortedBoundingBoxV2", random=True)
def sampled_without_seeds(tf):
    return list(tf.image.sample_distorted_bounding_box([60, 80, 3], OBJECTS))


NO_SAMPLES = {
    "No bounding boxes provided as input.": ([6, 8, 3], np.zeros([1, 0, 4]), {}),
    "All bounding box coordinates must be in [0.0, 1.0]": ([6, 8, 3], OBJECTS * 2, {}),
    "Area range must be less then or equal to 1.0": ([6, 8, 3], OBJECTS, {"area_range": (0.5, 2)}),
    "Area range must be non-negative": ([6, 8, 3], OBJECTS, {"area_range": (0.0, 1)}),
    "Aspect ratio range field must specify 2 dimensions": (
        [6, 8, 3],
        OBJECTS,
        {"aspect_ratio_range": (0.5,)},
    ),
    "Max attempts must be non-negative": ([6, 8, 3], OBJECTS, {"max_attempts": 0}),
}


def _no_sample(message):
    @case("SampleDistortedBoundingBoxV2", error=message, each=[message])
    def no_sample(tf, message):
        size, boxes, options = NO_SAMPLES[message]
        boxes = tf.constant(boxes, tf.float32)
        return list(tf.image.sample_distorted_bounding_box(size, boxes, seed=1, **options))


for _message in NO_SAMPLES:
    _no_sample(_message)


@case("SampleDistortedBoundingBoxV2", error="Dimension must be 3 but is 2")
def sampled_of_two_sizes(tf):
    return list(tf.image.sample_distorted_bounding_box([6, 8], OBJECTS))


# Suppressed ---------------------------------------------------------------------------------------

#: Two heaps of boxes, one of them given by other corners, equal scores, an empty box.
HEAPS = np.float32(
    [
        [0, 0, 1, 1],
        [0, 0.1, 1, 1.1],
        [1.0, 0.9, 0, -0.1],
        [0, 10, 1, 11],
        [0, 10.1, 1, 11.1],
        [0, 100, 1, 101],
        [5, 5, 5, 6],
        [0, 10.6, 1, 11.6],
    ]
)
SCORES = np.float32([0.9, 0.75, 0.6, 0.95, 0.5, 0.3, 0.2, 0.5])
LIMITS = [
    (3, 0.5, -np.inf),
    (9, 0.5, 0.25),
    (9, 0.0, 0.0),
    (9, 1.0, 0.3),
    (0, 0.5, 0.0),
    (9, 0.9, 0.99),
]


@case("NonMaxSuppressionV3", each=LIMITS)
def suppressed(tf, most, threshold, least):
    args = HEAPS, SCORES, most, threshold, least
    return [tf.image.non_max_suppression(*args), tf.image.non_max_suppression(*args, name="named")]


@case("NonMaxSuppressionV3", each=["float16", "float32"])
def suppressed_types(tf, dtype):
    boxes, scores = tf.constant(HEAPS, dtype), tf.constant(SCORES, dtype)
    most, feed = fed(tf, 5, "int32", [])
    return Program(tf.image.non_max_suppression(boxes, scores, most), feed=feed)


@case("NonMaxSuppressionV5", each=[(*limits, s) for limits in LIMITS[:3] for s in (0.0, 0.5, 0.1)])
def suppressed_softly(tf, most, threshold, least, sigma):
    args = HEAPS, SCORES, most, threshold, least, sigma
    return tf.image.non_max_suppression_with_scores(*args)


# TensorFlow 2 computes this one with loops; the operation of TensorFlow 1 is below.
@case("TopKV2", graph="any", each=[4, 8])
def suppressed_and_padded(tf, most):
    some = [0, 1, 3, 4, 5]  # TensorFlow 2 takes all corners for those of the first box
    args = HEAPS[some], SCORES[some], most, 0.5, 0.1, True
    return list(tf.image.non_max_suppression_padded(*args))


@case("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV4", "NonMaxSuppressionV5")
def suppressions_of_older_graphs(tf):
    boxes = [tf.constant(HEAPS), tf.constant(SCORES), tf.constant(8)]
    limits = [tf.constant(0.5), tf.constant(0.25)]
    padded = {"pad_to_max_output_size": True}
    return [
        node(tf, "NonMaxSuppression", boxes),
        node(tf, "NonMaxSuppressionV2", [*boxes, limits[0]]),
        node(tf, "NonMaxSuppressionV4", [*boxes, *limits], **padded),
        node(tf, "NonMaxSuppressionV4", [*boxes, *limits]),
        node(tf, "NonMaxSuppressionV5", [*boxes, *limits, tf.constant(0.3)], **padded),
    ]


@case("NonMaxSuppressionWithOverlaps", each=[(3, 0.5, -np.inf), (9, 0.2, 0.3)])
def suppressed_by_overlaps(tf, most, threshold, least):
    overlaps = np.abs(varied(8, 8)).astype(np.float32)
    args = overlaps, SCORES, most, threshold, least
    return [
        tf.image.non_max_suppression_overlaps(*args),
        tf.image.non_max_suppression_overlaps(overlaps, SCORES, most, name="named"),
    ]


NOTHING = {
    "iou_threshold must be in [0, 1]": ([1, 4], [1], 1, 1.5),
    "boxes must be 2-D": ([4], [1], 1, 0.5),
    "boxes must have 4 columns": ([1, 3], [1], 1, 0.5),
    "scores has incompatible shape": ([1, 4], [2], 1, 0.5),
    "output size must be non-negative": ([1, 4], [1], -1, 0.5),
}


def _nothing(message):
    @case("NonMaxSuppressionV3", error=message, each=[message])
    def nothing_suppressed(tf, message):
        boxes, scores, most, threshold = NOTHING[message]
        x, feed = fed(tf, np.ones(boxes))
        y, more = fed(tf, np.ones(scores))
        indices = tf.image.non_max_suppression(x, y, most, threshold)
        return Program(indices, feed={**feed, **more})


for _message in NOTHING:
    _nothing(_message)


@case("NonMaxSuppressionV3", error="", each=[((1, 3), (1,)), ((4,), (1,)), ((2, 4), (1,))])
def nothing_suppressed_of_static_shapes(tf, boxes, scores):
    return tf.image.non_max_suppression(tf.ones(boxes), tf.ones(scores), 1)


# Glimpses -----------------------------------------------------------------------------------------

OFFSETS = [[0.0, 0.0], [0.3, -0.2], [-0.1, 0.25]]


@case("ExtractGlimpse", each=[(c, n) for c in (True, False) for n in (True, False)])
def glimpses(tf, centered, normalized):
    image = pictures(tf, 3, 9, 12, 2)
    offsets = np.abs(OFFSETS) + 0.4 if not centered else np.array(OFFSETS)
    offsets = (offsets if normalized else offsets * 5).astype(np.float32)
    return [
        tf.image.extract_glimpse(image, [3, 4], offsets, centered, normalized),
        tf.image.extract_glimpse(
            image, tf.constant([2, 2]), offsets, centered, normalized, name="a"
        ),
    ]


def partly_noise(values):
    for glimpse in values[0]:
        assert np.all((glimpse >= 0) & (glimpse <= 1))
        np.testing.assert_array_equal(glimpse[0, 1:, 1:], values[0][0][0, 1:, 1:])


@case("ExtractGlimpse", random=True, check=partly_noise, each=[True, False])
def glimpses_over_the_edge(tf, uniform):
    image = pictures(tf, 2, 4, 5, 1)
    offsets = [[-1.0, -0.8], [2.0, 3.0]]
    return [tf.image.extract_glimpse(image, [3, 3], offsets, uniform_noise=uniform)]


@case("ExtractGlimpse", error="", each=[((4, 5, 1), (1, 2)), ((1, 4, 5, 1), (1, 3))])
def no_glimpse(tf, image, offsets):
    return tf.image.extract_glimpse(tf.ones(image), [2, 2], tf.ones(offsets))
