"""`tf.layers`: pooling; graphs, values and gradients as TensorFlow's, name by name."""

import numpy as np

from tests.conformance.registry import case

SHAPES = {"1d": [2, 7, 3], "2d": [2, 5, 6, 3], "3d": [2, 3, 4, 5, 2]}
EACH = [(kind, rank) for kind in ("max", "average") for rank in SHAPES]
OPS = ["MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D"]


def values(tf, shape):
    return tf.constant(np.cos(np.arange(np.prod(shape)) ** 1.5).reshape(shape), tf.float32)


def layer(tf, kind, rank, x, *args, **how):
    return getattr(tf.layers, f"{kind}_pooling{rank}")(x, *args, **how)


@case(*OPS, each=EACH)
def pooling_layers(tf, kind, rank):
    x = values(tf, SHAPES[rank])
    results = [layer(tf, kind, rank, x, 2, 2), layer(tf, kind, rank, x, 2, 1, "SAME", name="named")]
    results.append(layer(tf, kind, rank, x, 1, 2, name="named"))
    with tf.variable_scope("scope"):
        sizes = [2, 1, 2][: int(rank[0])]
        results.append(layer(tf, kind, rank, x, sizes, tuple(sizes), padding="same"))
    return [results, tf.gradients(results[0] ** 2, x)]


@case(
    "Transpose", *OPS, each=[(kind, rank) for kind in ("max", "average") for rank in ("1d", "3d")]
)
def pooling_layers_of_channels_first(tf, kind, rank):
    return layer(tf, kind, rank, values(tf, SHAPES[rank]), 2, 2, data_format="channels_first")


@case("MaxPool", "AvgPool", each=[(c, r) for c in ("MaxPooling", "AveragePooling") for r in SHAPES])
def pooling_layers_called_twice(tf, kind, rank):
    made = getattr(tf.layers, f"{kind}{rank.upper()}")(2, 2, "same")
    x = values(tf, SHAPES[rank])
    results = [made(x), made(x)]
    assert made.compute_output_shape(x.shape).as_list() == results[0].shape.as_list()
    assert made.compute_output_shape([None] * x.shape.ndims).as_list() == [None] * x.shape.ndims
    return results


WRONG = {
    "strides": (2, None),
    "size": (0, 1),
    "sizes": ([1, 2, 3, 4], 1),
    "words": ("two", 1),
    "padding": (2, 2, "full"),
    "format": (2, 2, "same", "NHWC"),
    "large": (9, 1),
}


@case("MaxPool", error="", each=WRONG)
def pooling_layers_that_are_wrong(tf, what):
    return tf.layers.max_pooling2d(values(tf, SHAPES["2d"]), *WRONG[what])


@case("MaxPool", error="expected ndim=4, found ndim=3")
def pooling_layers_of_another_rank(tf):
    return tf.layers.average_pooling2d(values(tf, SHAPES["1d"]), 2, 2)
