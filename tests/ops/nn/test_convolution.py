"""Convolution and pooling where TensorFlow's CPU kernels stop: channels first, dilation."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework import op_builder, registry

RNG = np.random.default_rng(0)
IMAGES = RNG.normal(size=(2, 5, 6, 4))
FILTER = RNG.normal(size=(3, 2, 4, 3))


def run(*fetches):
    with tf.Session() as session:
        return session.run(fetches)


def first(x):
    return np.moveaxis(x, 3, 1)


@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [1, 0], [0, 2], [0, 0]]])
@pytest.mark.parametrize("stride", [1, 2])
def test_channels_may_come_first(stride, padding):
    x, w = tf.constant(IMAGES), tf.constant(FILTER)
    turned = tf.constant(first(IMAGES))
    paddings = padding if isinstance(padding, str) else [padding[i] for i in (0, 3, 1, 2)]
    last = tf.nn.conv2d(x, w, stride, padding)
    y = tf.nn.conv2d(turned, w, stride, paddings, data_format="NCHW")
    gradients = [tf.gradients(last * last, [x, w]), tf.gradients(y * y, [turned, w])]
    ours, theirs, ((dx, dw), (turned_dx, turned_dw)) = run(last, y, gradients)
    np.testing.assert_allclose(first(ours), theirs)
    np.testing.assert_allclose(first(dx), turned_dx)
    np.testing.assert_allclose(dw, turned_dw)


@pytest.mark.parametrize("pool", [tf.nn.max_pool, tf.nn.avg_pool])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_channels_may_come_first_in_pooling(pool, padding):
    x, turned = tf.constant(IMAGES), tf.constant(first(IMAGES))
    last = pool(x, [3, 2], [2, 1], padding)
    y = pool(turned, [3, 2], [2, 1], padding, data_format="NCHW")
    gradients = tf.gradients(last * last, x) + tf.gradients(y * y, turned)
    ours, theirs, (dx, turned_dx) = run(last, y, gradients)
    np.testing.assert_allclose(first(ours), theirs)
    np.testing.assert_allclose(first(dx), turned_dx)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_a_dilated_filter_is_one_with_holes(padding):
    holes = np.zeros((5, 3, 4, 3))
    holes[::2, ::2] = FILTER
    x, w, wide = tf.constant(IMAGES), tf.constant(FILTER), tf.constant(holes)
    dilated = tf.nn.conv2d(x, w, 1, padding, dilations=2)
    plain = tf.nn.conv2d(x, wide, 1, padding)
    gradients = [tf.gradients(dilated * dilated, [x, w]), tf.gradients(plain * plain, [x, wide])]
    ours, theirs, ((dx, dw), (plain_dx, plain_dw)) = run(dilated, plain, gradients)
    np.testing.assert_allclose(ours, theirs)
    np.testing.assert_allclose(dx, plain_dx)
    np.testing.assert_allclose(dw, plain_dw[::2, ::2])


def test_groups_are_convolutions_side_by_side():
    halves = np.split(RNG.normal(size=(2, 2, 2, 6)), 2, axis=3)
    x = tf.constant(IMAGES)
    together = tf.nn.conv2d(x, tf.constant(np.concatenate(halves, 3)), 1, "VALID")
    apart = [
        tf.nn.conv2d(x[..., 2 * i : 2 * i + 2], tf.constant(half), 1, "VALID")
        for i, half in enumerate(halves)
    ]
    ours, theirs = run(together, tf.concat(apart, 3))
    np.testing.assert_allclose(ours, theirs)


def test_windows_that_do_not_fit():
    x = tf.placeholder(tf.float32)
    for build in (
        lambda: tf.nn.conv2d(x, tf.ones([4, 1, 4, 1]), 1, "VALID"),
        lambda: tf.nn.max_pool(x, [4, 1], 1, "VALID"),
    ):
        with (
            tf.Session() as session,
            pytest.raises(tf.errors.InvalidArgumentError, match="output size would be negative"),
        ):
            session.run(build(), {x: np.ones([1, 2, 3, 4])})


@pytest.mark.parametrize(
    ("kernel", "image", "largest", "grad", "message"),
    [
        ("MaxPoolGrad", [4, 4, 1], [1, 2, 2, 1], [1, 2, 2, 1], "tensor_in must be 4-dimensional"),
        ("MaxPoolGrad", [1, 4, 4, 1], [2, 2, 1], [1, 2, 2, 1], "tensor_out must be 4-dimensional"),
        *(
            (kernel, [1, 4, 4, 1], wrong, [1, 4, 4, 1], f"Expected orig_output shape to be {text}")
            for kernel in ("MaxPoolGrad", "MaxPoolGradGrad")
            for wrong, text in (
                ([1, 3, 2, 1], "[1,2,2,1], but got [1,3,2,1]"),
                ([1, 2, 2, 2], "[1,2,2,1], but got [1,2,2,2]"),
                ([2, 2, 2, 1], "[1,2,2,1], but got [2,2,2,1]"),
            )
        ),
        (
            "MaxPoolGrad",
            [1, 4, 4, 1],
            [1, 2, 2, 1],
            [1, 1, 2, 1],
            "Expected grad shape to be [1,2,2,1], but got [1,1,2,1]",
        ),
        (
            "MaxPoolGradGrad",
            [1, 4, 4, 1],
            [1, 2, 2, 1],
            [1, 3, 4, 1],
            "Expected grad shape to be [1,4,4,1], but got [1,3,4,1]",
        ),
    ],
)
def test_gradients_of_max_pooling_whose_shapes_do_not_fit(kernel, image, largest, grad, message):
    with tf.Graph().as_default():
        tensors = [tf.placeholder_with_default(tf.ones(s), None) for s in (image, largest, grad)]
        attrs = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
        result = op_builder.build(registry.op_defs.lookup(kernel), tensors, None, attrs).outputs[0]
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as raised:
            session.run(result)
        assert message in str(raised.value)


@pytest.mark.parametrize("padding", ["SAME", "VALID", [[0, 0], [1, 0], [0, 2], [0, 0]]])
@pytest.mark.parametrize("stride", [1, 2])
def test_channels_by_themselves_may_come_first(stride, padding):
    filter = RNG.normal(size=(3, 2, 4, 2))
    x, w, turned = tf.constant(IMAGES), tf.constant(filter), tf.constant(first(IMAGES))
    paddings = padding if isinstance(padding, str) else [padding[i] for i in (0, 3, 1, 2)]
    depthwise = tf.nn.depthwise_conv2d_native
    last = depthwise(x, w, [1, stride, stride, 1], padding)
    y = depthwise(turned, w, [1, 1, stride, stride], paddings, data_format="NCHW")
    gradients = [tf.gradients(last * last, [x, w]), tf.gradients(y * y, [turned, w])]
    ours, theirs, ((dx, dw), (turned_dx, turned_dw)) = run(last, y, gradients)
    np.testing.assert_allclose(first(ours), theirs)
    np.testing.assert_allclose(first(dx), turned_dx)
    np.testing.assert_allclose(dw, turned_dw)


def test_other_strides_for_rows_than_for_columns_and_dilation_of_channels_by_themselves():
    """A convolution whose filter has zeros for all channels but one says what it is."""
    filter = RNG.normal(size=(2, 2, 4, 2))
    full = np.zeros((2, 2, 4, 8))
    for channel in range(4):
        full[:, :, channel, 2 * channel : 2 * channel + 2] = filter[:, :, channel]
    x = tf.constant(IMAGES)
    for strides, dilations in (([1, 3, 2, 1], [1, 1, 1, 1]), ([1, 2, 1, 1], [1, 1, 3, 1])):
        how = {"padding": "SAME", "dilations": dilations}
        ours = tf.nn.depthwise_conv2d_native(x, tf.constant(filter), strides, **how)
        theirs = tf.nn.conv2d(x, tf.constant(full), strides, **how)
        gradients = [tf.gradients(y * y, x)[0] for y in (ours, theirs)]
        ours, theirs, gradients = run(ours, theirs, gradients)
        np.testing.assert_allclose(ours, theirs)
        np.testing.assert_allclose(*gradients)


def test_volumes_may_have_their_channels_first():
    volumes, filter = RNG.normal(size=(2, 3, 4, 5, 2)), RNG.normal(size=(2, 3, 2, 2, 3))
    x, w, turned = tf.constant(volumes), tf.constant(filter), np.moveaxis(volumes, 4, 1)
    turned = tf.constant(turned)
    last = tf.nn.conv3d(x, w, [1, 1, 2, 1, 1], "SAME", dilations=[1, 2, 1, 1, 1])
    y = tf.nn.conv3d(
        turned, w, [1, 1, 1, 2, 1], "SAME", data_format="NCDHW", dilations=[1, 1, 2, 1, 1]
    )
    gradients = [tf.gradients(last * last, [x, w]), tf.gradients(y * y, [turned, w])]
    ours, theirs, ((dx, dw), (turned_dx, turned_dw)) = run(last, y, gradients)
    np.testing.assert_allclose(np.moveaxis(ours, 4, 1), theirs)
    np.testing.assert_allclose(np.moveaxis(dx, 4, 1), turned_dx)
    np.testing.assert_allclose(dw, turned_dw)
