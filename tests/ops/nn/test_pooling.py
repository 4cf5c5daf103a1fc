"""Pooling where TensorFlow's CPU kernels stop: channels first, places outside the image."""

import numpy as np
import pytest

import tinytf as tf

VOLUMES = np.random.default_rng(0).normal(size=(2, 3, 4, 5, 2)).astype(np.float32)


@pytest.mark.parametrize("pool", [tf.nn.max_pool3d, tf.nn.avg_pool3d])
def test_channels_may_come_first_in_volumes(pool):
    x, turned = tf.constant(VOLUMES), tf.constant(np.moveaxis(VOLUMES, 4, 1))
    y = pool(x, 2, [1, 2, 1], "SAME")
    z = pool(turned, 2, [1, 2, 1], "SAME", data_format="NCDHW")
    gradients = tf.gradients(y * y, x) + tf.gradients(z * z, turned)
    with tf.Session() as sess:
        last, first, (dx, turned_dx) = sess.run([y, z, gradients])
    np.testing.assert_allclose(np.moveaxis(first, 1, 4), last)
    np.testing.assert_allclose(np.moveaxis(turned_dx, 1, 4), dx)


@pytest.mark.parametrize("place", [-1, 16])
def test_places_outside_the_image(place):
    attrs = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    inputs = [tf.ones([1, 4, 4, 1]), tf.ones([1, 2, 2, 1]), tf.fill([1, 2, 2, 1], np.int64(place))]
    graph = tf.get_default_graph()
    y = graph.create_op("MaxPoolGradWithArgmax", inputs, attrs=attrs).outputs[0]
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as raised:
        sess.run(y)
    assert "Invalid output gradient index: places are from" in str(raised.value)


@pytest.mark.parametrize("edges", [[0, 3, 3], [0, 5, 6], [-1, 2, 4]])
def test_windows_that_do_not_go_on(edges):
    sequence = tf.constant([0, 2, 4], tf.int64)
    inputs = [
        tf.constant([1, 4, 4, 1], tf.int64),
        tf.ones([1, 2, 2, 1]),
        tf.constant(edges, tf.int64),
    ]
    graph = tf.get_default_graph()
    y = graph.create_op("FractionalAvgPoolGrad", [*inputs, sequence]).outputs[0]
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError) as raised:
        sess.run(y)
    assert "row_pooling_sequence must" in str(raised.value)


def test_the_loss_of_saying_nothing():
    labels = tf.SparseTensor([[0, 0]], tf.constant([1]), [1, 1])  # the blank itself
    with tf.Session() as sess:
        assert sess.run(tf.nn.ctc_loss(labels, tf.zeros([3, 1, 2]), [3])) == pytest.approx(
            [3 * np.log(2)]
        )
