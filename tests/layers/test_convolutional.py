"""Layers of convolutions where no recording of TensorFlow shows them: channels first, mistakes."""

import inspect

import numpy as np
import pytest

import tinytf as tf

RNG = np.random.default_rng(0)

#: A layer of each kind, its input with the channels last, and the kernels it has.
KINDS = {
    "conv1d": ((2, 9, 3), {"kernel_size": 2, "strides": 2}),
    "conv2d": ((2, 5, 6, 3), {"kernel_size": (2, 3), "padding": "same"}),
    "conv3d": ((1, 3, 4, 5, 2), {"kernel_size": 2, "dilation_rate": (1, 2, 1)}),
    "conv2d_transpose": ((2, 3, 4, 3), {"kernel_size": 2, "strides": (2, 1)}),
    "conv3d_transpose": ((1, 2, 3, 2, 2), {"kernel_size": 2, "strides": 2, "padding": "same"}),
    "separable_conv1d": ((2, 7, 3), {"kernel_size": 3, "padding": "same", "dilation_rate": 2}),
    "separable_conv2d": ((2, 6, 6, 3), {"kernel_size": 3, "strides": 2, "depth_multiplier": 2}),
}
CLASSES = [
    tf.layers.Conv1D,
    tf.layers.Conv2D,
    tf.layers.Conv3D,
    tf.layers.Conv2DTranspose,
    tf.layers.Conv3DTranspose,
    tf.layers.SeparableConv1D,
    tf.layers.SeparableConv2D,
]


def values(*fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


@pytest.mark.parametrize("name", KINDS)
def test_channels_first_is_channels_last_turned(name):
    shape, how = KINDS[name]
    images = RNG.normal(size=shape).astype(np.float32)
    first = np.moveaxis(images, -1, 1)
    function = getattr(tf.layers, name)
    bias = tf.random_normal_initializer()
    how = {**how, "bias_initializer": bias, "activation": "tanh", "name": "one"}
    last = function(tf.constant(images), 4, **how)
    turned = function(tf.constant(first), 4, data_format="channels_first", reuse=True, **how)
    assert turned.shape.as_list() == [
        last.shape.as_list()[i] for i in (0, -1, *range(1, len(shape) - 1))
    ]
    ours, theirs = values(last, turned)
    np.testing.assert_allclose(np.moveaxis(ours, -1, 1), theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", CLASSES)
def test_the_shape_of_an_output_is_known_beforehand(kind):
    sizes = [None, *[8, 7, 9][: kind.rank], 3]
    for how in ({"strides": 2, "padding": "same"}, {"strides": 1}):
        layer = kind(5, 3, **how)
        expected = layer.compute_output_shape(sizes).as_list()
        assert layer(tf.placeholder(tf.float32, sizes)).shape.as_list() == expected


def test_functions_have_the_arguments_of_their_classes():
    names = list(inspect.signature(tf.layers.conv2d_transpose).parameters)
    assert names[:4] == ["inputs", "filters", "kernel_size", "strides"]
    assert names[-3:] == ["trainable", "name", "reuse"]
    assert "dilation_rate" not in names
    given = (tf.ones([1, 4, 4, 2]), 3, 2, (1, 1), "same", "channels_last", (2, 2))
    assert tf.layers.conv2d(*given).shape.as_list() == [1, 4, 4, 3]


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("conv2d", {"filters": 3}, r"conv2d\(\) missing a required argument: 'kernel_size'"),
        (
            "conv2d_transpose",
            {"filters": 3, "kernel_size": 2, "dilation_rate": 2},
            r"conv2d_transpose\(\) got an unexpected keyword argument 'dilation_rate'",
        ),
    ],
)
def test_arguments_that_a_function_does_not_have(name, arguments, words):
    with pytest.raises(TypeError, match=words):
        getattr(tf.layers, name)(tf.ones([1, 4, 4, 2]), **arguments)


def test_what_a_mistake_says():
    unknown = tf.placeholder(tf.float32, [None, 8, 8, None])
    with pytest.raises(ValueError, match=r"(?s)found to be `None` \(layer one\).*set_shape"):
        tf.layers.Conv2D(3, 2, name="one")(unknown)
    with pytest.raises(ValueError, match=r"channel dimension.*<unknown>"):
        tf.layers.conv2d(tf.placeholder(tf.float32), 3, 2)
    with pytest.raises(ValueError, match=r"found ndim=3.*tf\.expand_dims"):
        tf.layers.conv2d(tf.ones([5, 28, 28]), 3, 2)
    with pytest.raises(ValueError, match="Received: 'same '"):
        tf.layers.conv2d(tf.ones([1, 4, 4, 2]), 3, 2, padding="same ")
    with pytest.raises(ValueError, match=r'(?s)A window of 5 places.*padding="same"'):
        tf.layers.conv2d(tf.ones([1, 4, 4, 2]), 3, 5)
