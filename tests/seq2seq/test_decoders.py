"""Decoders and helpers, against networks and numpy: TensorFlow 2.15 has no contrib."""

import numpy as np
import pytest

import tinytf as tf

seq2seq, cells = tf.contrib.seq2seq, tf.nn.rnn_cell
X = np.sin(np.arange(24, dtype=np.float32)).reshape(2, 4, 3)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        yield


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


@pytest.mark.parametrize("impute", [True, False])
@pytest.mark.parametrize("time_major", [True, False])
def test_training_is_a_dynamic_network(impute, time_major):
    """The variables are the same, but for the scope's name; so are the gradients."""
    cell = cells.LSTMCell(5)
    lengths = tf.placeholder(tf.int32, [None])
    x = tf.placeholder(tf.float32, [None, None, 3])
    expected = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
    given = tf.transpose(x, [1, 0, 2]) if time_major else x
    helper = seq2seq.TrainingHelper(given, lengths, time_major)
    decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    outputs, state, ends = seq2seq.dynamic_decode(decoder, time_major, impute)
    found = outputs.rnn_output
    if time_major:
        found = tf.transpose(found, [1, 0, 2])
    if not impute:
        found *= tf.sequence_mask(lengths, dtype=tf.float32)[:, :, None]
    gradients = [tf.gradients(y, tf.trainable_variables()) for y in (found, expected[0])]
    results = run(
        [found, state, expected, ends, gradients, outputs.sample_id], {x: X, lengths: [3, 4]}
    )
    np.testing.assert_allclose(results[0], results[2][0], rtol=1e-6)
    if impute:
        np.testing.assert_allclose(results[1], results[2][1], rtol=1e-6)
        ids = results[5].T if time_major else results[5]
        np.testing.assert_array_equal(ids[1], results[2][0][1].argmax(-1))
    assert results[3].tolist() == [3, 4]
    for one, other in zip(*results[4], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


class Shift(cells.RNNCell):
    """Puts its input out, moved by one place: the most likely id is the one after the last."""

    state_size, output_size = 1, 5

    def call(self, inputs, state):
        return tf.manip.roll(inputs, 1, 1), state + 1


def test_greedy_decoding_ends_at_the_token():
    helper = seq2seq.GreedyEmbeddingHelper(tf.eye(5), [0, 2, 3], end_token=4)
    decoder = seq2seq.BasicDecoder(Shift(), helper, tf.zeros([3, 1]))
    outputs, state, lengths = run(seq2seq.dynamic_decode(decoder, impute_finished=True))
    assert outputs.sample_id.tolist() == [[1, 2, 3, 4], [3, 4, 0, 0], [4, 0, 0, 0]]
    assert lengths.tolist() == [4, 2, 1]
    assert state.ravel().tolist() == [4, 2, 1]


@pytest.mark.parametrize("most", [0, 3])
def test_decoding_ends_after_so_many_steps(most):
    helper = seq2seq.GreedyEmbeddingHelper(lambda ids: tf.one_hot(ids, 5), [0], end_token=9)
    decoder = seq2seq.BasicDecoder(Shift(), helper, tf.zeros([1, 1]))
    outputs, _, lengths = run(seq2seq.dynamic_decode(decoder, maximum_iterations=most))
    assert outputs.sample_id.tolist() == [[1, 2, 3][:most]]
    assert lengths.tolist() == [most]


def test_an_output_layer():
    layer = tf.layers.Dense(5, kernel_initializer=lambda shape, **_: 2 * tf.eye(5))
    helper = seq2seq.GreedyEmbeddingHelper(tf.eye(5), [0], end_token=4)
    decoder = seq2seq.BasicDecoder(Shift(), helper, tf.zeros([1, 1]), layer)
    outputs, _, _ = seq2seq.dynamic_decode(decoder)
    assert outputs.rnn_output.shape.as_list() == [1, None, 5]
    assert run(outputs.rnn_output).max() == 2
    assert [v.name for v in tf.trainable_variables()] == [
        "decoder/dense/kernel:0",
        "decoder/dense/bias:0",
    ]


@pytest.mark.parametrize("temperature", [None, 1e-3])
def test_ids_are_drawn(temperature):
    helper = seq2seq.SampleEmbeddingHelper(tf.eye(5), [0] * 200, 4, temperature, seed=1)
    decoder = seq2seq.BasicDecoder(Shift(), helper, tf.zeros([200, 1]))
    outputs, _, _ = seq2seq.dynamic_decode(decoder, maximum_iterations=1)
    ids = run(outputs.sample_id)
    assert set(ids.ravel().tolist()) == ({1} if temperature else {0, 1, 2, 3, 4})


@pytest.mark.parametrize("doubles", [True, False])
def test_inputs_made_of_outputs(doubles):
    helper = seq2seq.InferenceHelper(
        lambda outputs: outputs,
        [5],
        tf.float32,
        tf.ones([2, 5]),
        lambda x: tf.reduce_max(x, 1) >= 4,
        (lambda x: 2 * x) if doubles else None,
    )
    decoder = seq2seq.BasicDecoder(Shift(), helper, tf.zeros([2, 1]))
    outputs, _, lengths = run(seq2seq.dynamic_decode(decoder, maximum_iterations=6))
    assert lengths.tolist() == ([3, 3] if doubles else [6, 6])
    assert outputs.sample_id.shape == (2, lengths[0], 5)


def test_a_helper_of_three_functions():
    helper = seq2seq.CustomHelper(
        lambda: (tf.constant([False, False]), tf.eye(5)[:2]),
        lambda time, outputs, state: tf.argmax(outputs, 1, output_type=tf.int32),
        lambda time, outputs, state, sample_ids: (sample_ids >= 3, outputs, state),
    )
    with pytest.raises(ValueError, match="batch_size accessed before initialize was called"):
        _ = helper.batch_size
    decoder = seq2seq.BasicDecoder(Shift(), helper, tf.zeros([2, 1]))
    outputs, _, lengths = run(seq2seq.dynamic_decode(decoder, impute_finished=True))
    assert outputs.sample_id.tolist() == [[1, 2, 3], [2, 3, 0]]
    assert lengths.tolist() == [3, 2]


LOGITS = np.cos(np.arange(24, dtype=np.float32)).reshape(2, 3, 4)
TARGETS, WEIGHTS = np.array([[0, 1, 2], [3, 0, 1]]), np.array([[1, 1, 0.5], [1, 0, 0]], np.float32)


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ((True, True), lambda x: x.sum() / WEIGHTS.sum()),
        ((True, False), lambda x: x.sum(1) / WEIGHTS.sum(1)),
        ((False, True), lambda x: x.sum(0) / np.array([2, 1, 0.5])),
        ((False, False), lambda x: x),
        ((False, False, True, True), lambda x: x.sum() / 4),
        ((False, False, True, False), lambda x: x.sum(1) / [3, 1]),
        ((False, False, False, True), lambda x: x.sum(0) / [2, 1, 1]),
        ((False, True, True, False), lambda x: x.sum(0) / np.array([2, 1, 0.5])),
    ],
)
def test_losses_of_sequences(how, expected):
    loss = seq2seq.sequence_loss(LOGITS, TARGETS, WEIGHTS, *how)
    logs = LOGITS - np.log(np.exp(LOGITS).sum(-1, keepdims=True))
    each = -np.take_along_axis(logs, TARGETS[:, :, None], 2)[:, :, 0] * WEIGHTS
    np.testing.assert_allclose(run(loss), expected(each), rtol=1e-5)


@pytest.mark.parametrize(
    ("shapes", "how", "message"),
    [
        (([2, 3], [2, 3], [2, 3]), {}, "Logits must be a "),
        (([2, 3, 4], [2], [2, 3]), {}, "Targets must be a "),
        (([2, 3, 4], [2, 3], [2]), {}, "Weights must be a "),
        (([2, 3, 4], [2, 3], [2, 3]), {"sum_over_batch": True}, "average_across_batch and sum"),
    ],
)
def test_what_has_no_loss(shapes, how, message):
    with pytest.raises(ValueError, match=message):
        seq2seq.sequence_loss(*map(tf.ones, shapes), **how)


def test_mistakes():
    with pytest.raises(ValueError, match="Expected sequence_length to be a vector"):
        seq2seq.TrainingHelper(tf.ones([2, 3, 4]), 3)
    with pytest.raises(ValueError, match="start_tokens must be a vector"):
        seq2seq.GreedyEmbeddingHelper(tf.eye(3), 1, 2)
    with pytest.raises(ValueError, match="end_token must be a scalar"):
        seq2seq.GreedyEmbeddingHelper(tf.eye(3), [1], [2])
    with pytest.raises(TypeError, match="Expected decoder to be type Decoder"):
        seq2seq.dynamic_decode(3)
