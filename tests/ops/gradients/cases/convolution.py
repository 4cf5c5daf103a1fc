"""Convolutions and pooling."""

import numpy as np

import tinytf as tf
from tests.ops.gradients.cases import Case, ints, numbers, op, program, signed

IMAGES = numbers(1, 4, 4, 2)
FILTER = signed(2, 2, 2, 3)
SMALL = numbers(1, 2, 2, 3, seed=4)
VOLUMES, DEEP = numbers(1, 3, 2, 3, 2), signed(2, 1, 2, 2, 2)
ONES, TWOS = [1, 1, 1, 1], [1, 2, 2, 1]
WINDOW = {"ksize": TWOS, "strides": TWOS, "padding": "SAME"}
TURNED = np.moveaxis(numbers(1, 3, 3, 2), 3, 1)
FIRST = {"ksize": [1, 1, 2, 2], "strides": ONES, "padding": "VALID", "data_format": "NCHW"}


def largest(build):
    """With the output that goes with the input: another would name no place of it."""
    return program(lambda x, dy: build(x, tf.nn.max_pool(x, 2, 2, "SAME"), dy), IMAGES, SMALL_DY)


SMALL_DY = numbers(1, 2, 2, 2, seed=5)


def node(op_type: str):
    def build(x, y, dy):
        inputs = [x, tf.stop_gradient(y), dy]
        return tf.get_default_graph().create_op(op_type, inputs, attrs=WINDOW).outputs

    return build


CASES: dict[str, list[Case]] = {
    "Conv2D": [
        op("Conv2D", IMAGES, FILTER, strides=TWOS, padding="SAME"),
        op("Conv2D", IMAGES, FILTER, strides=ONES, padding="VALID", dilations=TWOS),
        op("Conv2D", numbers(1, 3, 3, 4), signed(2, 2, 2, 4), strides=ONES, padding="VALID"),
        op("Conv2D", TURNED, FILTER, strides=ONES, padding="VALID", data_format="NCHW"),
        op(
            "Conv2D",
            IMAGES,
            FILTER,
            strides=ONES,
            padding="EXPLICIT",
            explicit_paddings=[0, 0, 1, 0, 0, 2, 0, 0],
        ),
    ],
    "Conv2DBackpropInput": [
        op("Conv2DBackpropInput", ints(1, 4, 4, 2), FILTER, SMALL, strides=TWOS, padding="SAME")
    ],
    "Conv2DBackpropFilter": [
        op("Conv2DBackpropFilter", IMAGES, ints(2, 2, 2, 3), SMALL, strides=TWOS, padding="SAME")
    ],
    "Conv3D": [
        op("Conv3D", VOLUMES, DEEP, strides=[1, 1, 2, 1, 1], padding="SAME"),
        op("Conv3D", VOLUMES, DEEP, strides=[1] * 5, padding="VALID", dilations=[1, 2, 1, 2, 1]),
        op(
            "Conv3D",
            np.moveaxis(VOLUMES, 4, 1),
            DEEP,
            strides=[1] * 5,
            padding="SAME",
            data_format="NCDHW",
        ),
    ],
    "DepthwiseConv2dNative": [
        op("DepthwiseConv2dNative", IMAGES, FILTER, strides=TWOS, padding="SAME"),
        op("DepthwiseConv2dNative", IMAGES, FILTER, strides=ONES, padding="VALID", dilations=TWOS),
        op("DepthwiseConv2dNative", IMAGES, FILTER, strides=[1, 3, 1, 1], padding="SAME"),
        op(
            "DepthwiseConv2dNative",
            TURNED,
            FILTER,
            strides=ONES,
            padding="EXPLICIT",
            explicit_paddings=[0, 0, 0, 0, 1, 0, 0, 2],
            data_format="NCHW",
        ),
    ],
    "Dilation2D": [
        op("Dilation2D", IMAGES, FILTER[..., 0], strides=TWOS, rates=ONES, padding="SAME")
    ],
    "MaxPool": [op("MaxPool", IMAGES, **WINDOW), op("MaxPool", TURNED, **FIRST)],
    "MaxPoolGrad": [largest(node("MaxPoolGrad"))],
    "MaxPoolGradGrad": [
        program(
            lambda x, dy: node("MaxPoolGradGrad")(x, tf.nn.max_pool(x, 2, 2, "SAME"), dy),
            IMAGES,
            numbers(1, 4, 4, 2, seed=6),
        )
    ],
    "AvgPool": [op("AvgPool", IMAGES, **WINDOW), op("AvgPool", TURNED, **FIRST)],
    "AvgPoolGrad": [op("AvgPoolGrad", ints(1, 4, 4, 2), SMALL_DY, **WINDOW)],
}
NO_SECOND_ORDER = {"Dilation2D": "Dilation2DBackprop"}
