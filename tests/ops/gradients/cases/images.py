"""Images: resizing, crops, colours."""

from functools import partial

import numpy as np

import tinytf as tf
from tests.ops.gradients.cases import Case, in_float32, numbers, signed

IMAGE = signed(1, 3, 4, 2)
BOXES = np.array([[0.11, 0.23, 0.72, 0.91], [0.83, 0.07, 0.16, 0.64]])
#: Every order of the channels, far enough from where the order changes.
COLOURS = numbers(3)[[[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]]


def resized(method: str) -> list[Case]:
    function = getattr(tf.image, f"resize_{method}")
    return [
        in_float32(partial(function, size=[5, 3], align_corners=True), IMAGE),
        in_float32(partial(function, size=[2, 7], half_pixel_centers=True), IMAGE),
    ]


def crops(image, boxes):
    return tf.image.crop_and_resize(image, boxes, [0, 0], [2, 3])


CASES: dict[str, list[Case]] = {
    "ResizeBilinear": resized("bilinear"),
    "ResizeBicubic": resized("bicubic"),
    "ResizeNearestNeighbor": resized("nearest_neighbor"),
    "CropAndResize": [in_float32(crops, IMAGE, BOXES)],
    "RGBToHSV": [in_float32(tf.image.rgb_to_hsv, COLOURS)],
}

#: TensorFlow's own gradients of these have no gradient.
NO_SECOND_ORDER = {
    "ResizeBilinear": "ResizeBilinearGrad",
    "ResizeBicubic": "ResizeBicubicGrad",
    "ResizeNearestNeighbor": "ResizeNearestNeighborGrad",
    "CropAndResize": "CropAndResizeGradImage",
}
