"""`tf.contrib.layers`: names, collections and values; TensorFlow 2.15 has lost them all.

What they compute is compared with `tf.layers`, which conformance cases compare with TensorFlow.
"""

import numpy as np
import pytest

import tinytf as tf

layers = tf.contrib.layers
framework = tf.contrib.framework
X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
IMAGES = np.linspace(-1, 1, 2 * 6 * 6 * 3, dtype=np.float32).reshape(2, 6, 6, 3)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def values(*fetches):
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        return sess.run(fetches)


def names(collection=tf.GraphKeys.MODEL_VARIABLES):
    return [one.op.name for one in tf.get_collection(collection)]


def fixed(shape, scale=1.0):
    return np.linspace(-scale, scale, np.prod(shape), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize(
    ("ours", "theirs", "inputs", "kernel"),
    [
        (
            lambda x, **how: layers.fully_connected(x, 5, **how),
            lambda x, **how: tf.layers.dense(x, 5, tf.nn.relu, **how),
            X,
            [4, 5],
        ),
        (
            lambda x, **how: layers.conv2d(x, 2, [3, 3], stride=2, **how),
            lambda x, **how: tf.layers.conv2d(x, 2, 3, 2, "same", activation=tf.nn.relu, **how),
            IMAGES,
            [3, 3, 3, 2],
        ),
        (
            lambda x, **how: layers.conv2d(x, 2, 3, rate=2, padding="VALID", **how),
            lambda x, **how: tf.layers.conv2d(
                x, 2, 3, dilation_rate=2, activation=tf.nn.relu, **how
            ),
            IMAGES,
            [3, 3, 3, 2],
        ),
        (
            lambda x, **how: layers.conv2d_transpose(x, 2, 3, stride=2, **how),
            lambda x, **how: tf.layers.conv2d_transpose(
                x, 2, 3, 2, "same", activation=tf.nn.relu, **how
            ),
            IMAGES,
            [3, 3, 2, 3],
        ),
    ],
    ids=["fully_connected", "conv2d", "atrous", "conv2d_transpose"],
)
def test_they_compute_what_tf_layers_does(ours, theirs, inputs, kernel):
    initial = tf.constant_initializer(fixed(kernel))
    got, want = values(
        ours(tf.constant(inputs), weights_initializer=initial, scope="ours"),
        theirs(tf.constant(inputs), kernel_initializer=initial),
    )
    np.testing.assert_array_equal(got, want)
    assert names() == ["ours/weights", "ours/biases"]


def test_a_separable_convolution_and_its_names():
    y = layers.separable_conv2d(tf.constant(IMAGES), 4, 3, depth_multiplier=2)
    assert y.shape.as_list() == [2, 6, 6, 4]
    assert {one.op.name: one.shape.as_list() for one in tf.model_variables()} == {
        "SeparableConv2d/depthwise_weights": [3, 3, 3, 2],
        "SeparableConv2d/pointwise_weights": [1, 1, 6, 4],
        "SeparableConv2d/biases": [4],
    }


def test_a_separable_convolution_without_its_second_step():
    """MobileNet's: the outputs of each channel, with a bias or a normaliser of their own."""
    initial = tf.constant_initializer(fixed([3, 3, 3, 2]))
    how = {"depth_multiplier": 2, "stride": 2, "weights_initializer": initial}
    y = layers.separable_conv2d(tf.constant(IMAGES), None, 3, scope="a", **how)
    layers.separable_conv2d(
        tf.constant(IMAGES), None, 3, scope="b", normalizer_fn=layers.batch_norm, **how
    )
    assert [one.op.name for one in tf.trainable_variables()] == [
        "a/depthwise_weights",
        "a/biases",
        "b/depthwise_weights",
        "b/BatchNorm/beta",
    ]
    assert [
        op.name
        for op in tf.get_default_graph().get_operations()
        if op.type.startswith("DepthwiseConv2d")
    ] == [
        "a/depthwise",
        "b/depthwise",
    ]
    kernel = tf.constant(fixed([3, 3, 3, 2]))
    want = tf.nn.relu(tf.nn.depthwise_conv2d(tf.constant(IMAGES), kernel, [1, 2, 2, 1], "SAME"))
    np.testing.assert_array_equal(*values(y, want))


def test_pooling_of_windows_and_its_names():
    x = tf.constant(IMAGES)
    largest, mean = layers.max_pool2d(x, 2), layers.avg_pool2d(x, [2, 2], padding="SAME")
    assert [largest.op.name, mean.op.name] == ["MaxPool2D/MaxPool", "AvgPool2D/AvgPool"]
    blocks = IMAGES.reshape(2, 3, 2, 3, 2, 3)
    got = values(largest, mean)
    np.testing.assert_allclose(got[0], blocks.max((2, 4)))
    np.testing.assert_allclose(got[1], blocks.mean((2, 4)), atol=1e-6)


def test_collections_of_variables_and_outputs():
    layers.fully_connected(
        tf.constant(X),
        5,
        variables_collections={"weights": ["all", "large"], "biases": ["all"]},
        outputs_collections="ends",
        scope="one",
    )
    assert names("all") == ["one/weights", "one/biases"]
    assert names("large") == ["one/weights"]
    assert names("ends") == ["one/Relu"]


def test_a_normaliser_takes_the_place_of_biases():
    y = layers.fully_connected(
        tf.constant(X),
        5,
        normalizer_fn=layers.batch_norm,
        normalizer_params={"scale": True, "is_training": True},
        scope="one",
    )
    assert names() == [
        "one/weights",
        "one/BatchNorm/gamma",
        "one/BatchNorm/beta",
        "one/BatchNorm/moving_mean",
        "one/BatchNorm/moving_variance",
    ]
    assert y.op.type == "Relu"
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 2


@pytest.mark.parametrize("inputs", [X, IMAGES], ids=["rows", "images"])
def test_batch_norm_and_its_moving_averages(inputs):
    y = layers.batch_norm(tf.constant(inputs), decay=0.5, updates_collections=None, scope="bn")
    axes = tuple(range(inputs.ndim - 1))
    mean, variance = inputs.mean(axes), inputs.var(axes)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        got = sess.run(y)
        moving = sess.run(
            [framework.get_unique_variable(f"bn/moving_{n}") for n in ("mean", "variance")]
        )
    np.testing.assert_allclose(got, (inputs - mean) / np.sqrt(variance + 0.001), atol=1e-5)
    count = inputs.size // inputs.shape[-1]
    np.testing.assert_allclose(moving[0], 0.5 * mean, atol=1e-6)
    # The fused operation keeps the variance of a sample.
    np.testing.assert_allclose(moving[1], 0.5 + 0.5 * variance * count / (count - 1), atol=1e-5)


def test_layer_and_instance_normalisation():
    x = tf.constant(IMAGES)
    got = values(
        layers.layer_norm(x), layers.instance_norm(x), layers.layer_norm(x, begin_norm_axis=3)
    )
    for found, axes, epsilon in zip(
        got, [(1, 2, 3), (1, 2), (3,)], [1e-12, 1e-6, 1e-12], strict=True
    ):
        mean, variance = IMAGES.mean(axes, keepdims=True), IMAGES.var(axes, keepdims=True)
        np.testing.assert_allclose(found, (IMAGES - mean) / np.sqrt(variance + epsilon), atol=1e-4)
    assert names()[:2] == ["LayerNorm/beta", "LayerNorm/gamma"]


def test_weights_of_the_same_layer_are_shared():
    x = tf.constant(X)
    one = layers.fully_connected(x, 5, scope="fc")
    again = layers.fully_connected(x, 5, scope="fc", reuse=True)
    assert len(names()) == 2
    np.testing.assert_array_equal(*values(one, again))
    with pytest.raises(ValueError, match="fc/weights already exists"):
        layers.fully_connected(x, 5, scope="fc")


def test_regularisers_become_losses():
    w = fixed([4, 5])
    layers.fully_connected(
        tf.constant(X),
        5,
        weights_initializer=tf.constant_initializer(w),
        weights_regularizer=layers.l1_l2_regularizer(0.5, 0.1),
    )
    [loss] = tf.losses.get_regularization_losses()
    [got] = values(loss)
    assert got == pytest.approx(0.5 * np.abs(w).sum() + 0.1 * (w**2).sum() / 2, rel=1e-5)


@pytest.mark.parametrize(
    ("scale", "words"), [(1, "cannot be an integer: 1. Write 1.0"), (-0.5, "less than 0")]
)
def test_a_scale_that_is_none(scale, words):
    with pytest.raises(ValueError, match=words):
        layers.l2_regularizer(scale)


def test_initial_weights_have_the_variance_that_was_asked_for():
    uniform = layers.xavier_initializer(seed=1)([200, 400])
    normal = layers.variance_scaling_initializer(seed=1)([3, 3, 20, 40])
    got = values(uniform, normal)
    assert np.abs(got[0]).max() <= np.sqrt(6 / 600)
    assert got[0].var() == pytest.approx(2 / 600, rel=0.05)
    assert got[1].var() == pytest.approx(2 / 180, rel=0.05)


def test_embeddings_one_hot_and_units():
    ids = tf.constant([[0, 2]])
    table = layers.embed_sequence(ids, 3, 2, initializer=tf.constant_initializer(fixed([3, 2])))
    got = values(table, layers.one_hot_encoding([1, 0], 2), layers.unit_norm([[3.0, 4.0]], 1))
    np.testing.assert_array_equal(got[0], fixed([3, 2])[[[0, 2]]])
    np.testing.assert_array_equal(got[1], [[0, 1], [1, 0]])
    np.testing.assert_allclose(got[2], [[0.6, 0.8]], rtol=1e-6)
    assert names() == ["EmbedSequence/embeddings"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: layers.fully_connected(X, "5"), "num_outputs type should be one of int"),
        (lambda: layers.conv2d(X, 5, 3), "Convolution expects input with rank 4, got 2"),
        (
            lambda: layers.conv2d(IMAGES, 5, 3, data_format="HWC"),
            "data_format has to be either NHWC or NCHW",
        ),
        (lambda: layers.embed_sequence([[1]]), "Must specify vocab size and embedding dimension"),
        (lambda: layers.layer_norm(X, begin_norm_axis=2), r"must be < rank\(inputs\) \(2\)"),
        (lambda: layers.unit_norm(X, 2), "dim must be between 0 and the inputs' rank, 2; got 2"),
        (
            lambda: layers.maxout(X, 3),
            r"number of features\(4\) is not a multiple of num_units\(3\)",
        ),
        (lambda: layers.batch_norm(X, batch_weights=[1.0]), "does not have batch_weights"),
    ],
)
def test_mistakes_say_what_to_do(call, words):
    with pytest.raises(ValueError, match=words):
        call()
