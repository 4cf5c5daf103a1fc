"""Activations, softmax and cross-entropies: gradients, and numbers that must not overflow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tinytf.testing.evaluator import evaluate
from tinytf.testing.gradient_checker import check_gradients


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


FUNCTIONS = {
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "sigmoid": tf.sigmoid,
    "tanh": tf.tanh,
    "softplus": tf.nn.softplus,
    "softmax": tf.nn.softmax,
    "softmax along the first axis": lambda x: tf.nn.softmax(x, axis=0),
    "log_softmax": tf.nn.log_softmax,
    "l2_loss": tf.nn.l2_loss,
    "bias_add to": lambda x: tf.nn.bias_add(x, tf.constant([1.0, 2.0, 3.0], tf.float64)),
    "bias_add of": lambda x: tf.nn.bias_add(tf.ones([4, 3], tf.float64), x[0]),
    "cross_entropy of logits": lambda x: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=tf.constant([[0.2, 0.3, 0.5], [1, 0, 0]], tf.float64), logits=x
    ),
    "cross_entropy of labels": lambda x: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=x, logits=tf.constant([[0.2, 0.3, 0.5], [1, 0, 0]], tf.float64)
    ),
    "sparse cross_entropy": lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=[2, 0], logits=x
    ),
    "sigmoid cross_entropy of logits": lambda x: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=tf.constant([[0.2, 0.3, 0.5], [1, 0, 0]], tf.float64), logits=x
    ),
    "xw_plus_b": lambda x: tf.nn.xw_plus_b(x, tf.ones([3, 2], tf.float64), x[0, :2]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_are_right(name):
    x = tf.placeholder(tf.float64, [2, 3])
    value = np.array([[-2.0, 0.4, 1.5], [0.7, 7.0, -0.3]])
    check_gradients(FUNCTIONS[name](x), [x], [value])


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "bias" not in name])
def test_second_gradients_are_right(name):
    x = tf.placeholder(tf.float64, [2, 3])
    (first,) = tf.gradients(FUNCTIONS[name](x) * 2, x)
    value = np.array([[-2.0, 0.4, 1.5], [0.7, 7.0, -0.3]])
    check_gradients(first * x, [x], [value])


def test_the_second_gradient_of_bias_add_spreads_the_bias():
    x, b = tf.placeholder(tf.float64, [2, 3, 2]), tf.placeholder(tf.float64, [2])
    y = tf.nn.bias_add(x, b)
    (first,) = tf.gradients(y * y * y, b)
    check_gradients(first, [x, b], [np.linspace(0, 1, 12).reshape(2, 3, 2), np.array([0.5, 2])])


def test_labels_of_version_1_have_no_gradient():
    x, y = tf.constant([[1.0, 2.0]]), tf.constant([[0.5, 0.5]])
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)
    assert tf.gradients(loss, [y]) == [None]
    both = tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x)
    assert tf.gradients(both, [y])[0] is not None


numbers = st.floats(-(2.0**100), 2.0**100, width=32)


@given(st.lists(numbers, min_size=1, max_size=5))
def test_softmax_of_any_numbers_are_probabilities(logits):
    with tf.Graph().as_default():
        x = tf.constant([logits])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0], logits=x)
        values = evaluate([tf.nn.softmax(x), tf.nn.log_softmax(x), losses])
    probabilities, logarithms, losses = values
    assert (probabilities >= 0).all()
    np.testing.assert_allclose(probabilities.sum(), 1, rtol=1e-5)
    assert (logarithms <= 0).all()
    assert np.isfinite(losses).all()
    np.testing.assert_allclose(losses[0], -logarithms[0, 0], rtol=1e-5, atol=1e-6)


@given(numbers, st.floats(0, 1, width=32))
def test_no_activation_overflows(x, label):
    with tf.Graph().as_default():
        t = tf.constant([x], tf.float32)
        loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=[label], logits=t)
        values = evaluate([tf.sigmoid(t), tf.tanh(t), tf.nn.softplus(t), tf.nn.relu6(t), loss])
    assert all(np.isfinite(value).all() for value in values)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sums_of_small_types_do_not_lose_what_is_small(dtype):
    x = tf.constant(np.full([3000, 2], 0.01), dtype)
    bias = tf.get_default_graph().create_op("BiasAddGrad", [x]).outputs[0]
    (value,) = evaluate([bias])
    np.testing.assert_allclose(value.astype(float), 30, rtol=0.01)


def test_a_label_out_of_range_names_the_line_that_built_the_loss():
    labels = tf.placeholder(tf.int32, [1])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=[[1.0, 2.0]])
    message = r"Received a label value of 2 which is outside the valid range of \[0, 2\)"
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(loss, {labels: [2]})


def test_dropout_scales_what_it_keeps():
    x = tf.ones([100, 100])
    for dropped in (tf.nn.dropout(x, rate=0.25), tf.nn.dropout(x, keep_prob=0.75)):
        (value,) = evaluate([dropped])
        assert set(np.unique(value)) == {np.float32(0), np.float32(1 / 0.75)}
        assert abs((value == 0).mean() - 0.25) < 0.05


def test_dropout_of_whole_rows():
    (value,) = evaluate([tf.nn.dropout(tf.ones([200, 3]), 0.5, noise_shape=[None, 1])])
    assert all(len(set(row)) == 1 for row in value.tolist())
    assert len(np.unique(value)) == 2
