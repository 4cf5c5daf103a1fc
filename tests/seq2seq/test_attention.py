"""Attention, against numpy."""

import numpy as np
import pytest

import tinytf as tf

seq2seq, cells = tf.contrib.seq2seq, tf.nn.rnn_cell
MEMORY = np.sin(np.arange(24, dtype=np.float32)).reshape(2, 4, 3)
QUERY = np.cos(np.arange(10, dtype=np.float32)).reshape(2, 5)
LENGTHS = [4, 2]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        yield


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run([fetches, {v.op.name: v for v in tf.global_variables()}])


def softmax(scores):
    scores = np.where(np.arange(4) < np.array(LENGTHS)[:, None], scores, -np.inf)
    weights = np.exp(scores)
    return weights / weights.sum(1, keepdims=True)


@pytest.mark.parametrize("scale", [True, False])
def test_luong(scale):
    mechanism = seq2seq.LuongAttention(5, MEMORY, LENGTHS, scale)
    with tf.variable_scope("", initializer=tf.constant_initializer(0.5)):
        weights, _ = mechanism(tf.constant(QUERY), None)
    weights, values = run(weights)
    scores = np.einsum("btk,bk->bt", MEMORY @ values["memory_layer/kernel"], QUERY)
    np.testing.assert_allclose(weights, softmax(scores), rtol=1e-4)
    assert ("luong_attention/attention_g" in values) == scale


@pytest.mark.parametrize("normalize", [True, False])
def test_bahdanau(normalize):
    mechanism = seq2seq.BahdanauAttention(6, MEMORY, LENGTHS, normalize)
    weights, values = run(mechanism(tf.constant(QUERY), None)[0])
    keys = MEMORY @ values["memory_layer/kernel"]
    total = keys + (QUERY @ values["bahdanau_attention/query_layer/kernel"])[:, None]
    v = values["bahdanau_attention/attention_v"]
    if normalize:
        v = v / np.sqrt((v * v).sum()) * np.sqrt(1 / 6)
        assert values["bahdanau_attention/attention_b"].shape == (6,)
    np.testing.assert_allclose(weights, softmax((v * np.tanh(total)).sum(2)), rtol=1e-4)


@pytest.mark.parametrize("size", [None, 7])
def test_a_cell_that_pays_attention(size):
    mechanism = seq2seq.LuongAttention(5, MEMORY, LENGTHS)
    cell = seq2seq.AttentionWrapper(cells.GRUCell(5), mechanism, size, alignment_history=True)
    x = tf.constant(QUERY[:, :2])
    output, state = cell(x, cell.zero_state(2, tf.float32))
    output, state = cell(x, state)
    history = state.alignment_history.stack()
    (output, alignments, h, history, time), values = run(
        [output, state.alignments, state.cell_state, history, state.time]
    )
    scores = np.einsum("btk,bk->bt", MEMORY @ values["memory_layer/kernel"], h)
    np.testing.assert_allclose(alignments, softmax(scores), rtol=1e-4)
    expected = np.einsum("bt,btk->bk", alignments, MEMORY)
    if size:
        kernel = values["attention_wrapper/attention_layer/kernel"]
        expected = np.hstack([h, expected]) @ kernel
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-6)
    assert history.shape == (2, 2, 4)
    np.testing.assert_array_equal(history[1], alignments)
    assert time == 2
    assert cell.output_size == (size or 3)


def test_two_mechanisms_and_a_state_of_an_encoder():
    mechanisms = [seq2seq.LuongAttention(5, MEMORY), seq2seq.BahdanauAttention(6, MEMORY[:, :3])]
    cell = seq2seq.AttentionWrapper(
        cells.LSTMCell(5), mechanisms, [3, 2], output_attention=False, name="two"
    )
    encoder = cells.LSTMStateTuple(tf.constant(QUERY), tf.constant(QUERY))
    start = cell.zero_state(2, tf.float32).clone(cell_state=encoder)
    helper = seq2seq.TrainingHelper(tf.constant(MEMORY), LENGTHS)
    outputs, state, _ = seq2seq.dynamic_decode(seq2seq.BasicDecoder(cell, helper, start))
    (output, state), values = run([outputs.rnn_output, state])
    assert output.shape == (2, 4, 5)
    assert state.attention.shape == (2, 5)
    assert [a.shape for a in state.alignments] == [(2, 4), (2, 3)]
    assert {
        "decoder/two/lstm_cell/kernel",
        "decoder/two/bahdanau_attention/attention_v",
        "decoder/two/attention_layer_1/kernel",
    } <= set(values)


def test_mistakes():
    mechanism = seq2seq.LuongAttention(4, MEMORY)
    with pytest.raises(ValueError, match="Set num_units to the size of the query"):
        mechanism(tf.constant(QUERY), None)
    cell = seq2seq.AttentionWrapper(cells.GRUCell(4), mechanism)
    with pytest.raises(TypeError, match=r"clone\(cell_state=encoder_state\)"):
        cell(tf.constant(QUERY), tf.zeros([2, 4]))
    with pytest.raises(ValueError, match="exactly one element per attention_mechanism"):
        seq2seq.AttentionWrapper(cells.GRUCell(4), mechanism, [2, 3])
    with pytest.raises(ValueError, match="are incompatible"):
        cell.zero_state(2, tf.float32).clone(cell_state=tf.zeros([3, 9]))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        batch = tf.placeholder_with_default(3, [])
        with pytest.raises(tf.errors.InvalidArgumentError, match="Non-matching batch sizes"):
            session.run(cell.zero_state(batch, tf.float32).cell_state)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Non-matching batch sizes"):
        cell.zero_state(3, tf.float32)


def test_one_for_the_largest():
    assert run(seq2seq.hardmax([[1.0, 3.0], [2.0, 0.0]]))[0].tolist() == [[0, 1], [1, 0]]
