"""Cells and wrappers of tf.contrib.rnn, which TensorFlow 2.15 has lost: against numpy."""

import numpy as np
import pytest

import tinytf as tf

BATCH, DEPTH, UNITS = 2, 3, 4
X = np.sin(np.arange(BATCH * DEPTH, dtype=np.float32)).reshape(BATCH, DEPTH)
H = np.cos(np.arange(BATCH * UNITS, dtype=np.float32)).reshape(BATCH, UNITS)
C = H[::-1] / 2


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default(), tf.variable_scope("", initializer=tf.random_normal_initializer()):
        tf.set_random_seed(1)
        yield


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run([fetches, {v.op.name: v for v in tf.global_variables()}])


def logistic(x):
    return 1 / (1 + np.exp(-x))


def normalized(x, gamma, beta):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True)) * gamma + beta


def test_layer_normalisation():
    cell = tf.contrib.rnn.LayerNormBasicLSTMCell(UNITS, norm_gain=0.5, norm_shift=0.1)
    state = tf.nn.rnn_cell.LSTMStateTuple(tf.constant(C), tf.constant(H))
    (output, new), values = run(cell(tf.constant(X), state))
    gates = np.split(np.hstack([X, H]) @ values["layer_norm_basic_lstm_cell/kernel"], 4, axis=1)
    i, j, f, o = (normalized(gate, 0.5, 0.1) for gate in gates)
    c = normalized(C * logistic(f + 1) + logistic(i) * np.tanh(j), 0.5, 0.1)
    np.testing.assert_allclose(new.c, c, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(output, np.tanh(c) * logistic(o), rtol=1e-4, atol=1e-5)
    assert [name.split("/", 1)[1] for name in values] == ["kernel"] + [
        f"{gate}/{name}"
        for gate in ("input", "transform", "forget", "output", "state")
        for name in ("gamma", "beta")
    ]
    assert len(cell.variables) == 11


def test_recurrent_dropout_without_normalisation():
    cell = tf.contrib.rnn.LayerNormBasicLSTMCell(100, layer_norm=False, dropout_keep_prob=0.5)
    zeros = tf.zeros([1, 100])
    (_, new), values = run(cell(tf.ones([1, DEPTH]), (zeros, zeros)))
    assert "layer_norm_basic_lstm_cell/bias" in values
    assert 20 < np.count_nonzero(new.c == 0) < 80


BLOCKS = {
    "lstm": [
        lambda c: c.LSTMBlockCell(UNITS, 0.5, 0.3, use_peephole=True),
        lambda c: c.LSTMCell(UNITS, use_peepholes=True, cell_clip=0.3, forget_bias=0.5),
    ],
    "gru": [lambda c: c.GRUBlockCell(UNITS), lambda c: c.GRUCell(UNITS)],
    "gru_v2": [lambda c: c.GRUBlockCellV2(cell_size=UNITS), lambda c: c.GRUCell(UNITS)],
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_block_cells_are_the_plain_ones(kind):
    outputs = []
    for make in BLOCKS[kind]:
        with tf.variable_scope(f"scope_{len(outputs)}", initializer=tf.ones_initializer()):
            cell = make(tf.contrib.rnn)
            outputs.append(cell(tf.constant(X), cell.zero_state(BATCH, tf.float32)))
    (first, second), values = run(outputs)
    for a, b in zip(tf.nest.flatten(first), tf.nest.flatten(second), strict=True):
        np.testing.assert_array_equal(a, b)
    names = [[name[8:] for name in values if name.startswith(f"scope_{n}")] for n in range(2)]
    assert (names[0] == names[1]) == (kind != "gru")


def test_projections():
    cell = tf.contrib.rnn.InputProjectionWrapper(tf.nn.rnn_cell.BasicRNNCell(UNITS), 5, tf.nn.relu)
    cell = tf.contrib.rnn.OutputProjectionWrapper(cell, 1)
    (output, state), values = run(cell(tf.constant(X), tf.constant(H)))
    outer, inner = "output_projection_wrapper", "output_projection_wrapper/input_projection_wrapper"
    x = np.maximum(X @ values[f"{inner}/kernel"] + values[f"{inner}/bias"], 0)
    kernel = values[f"{inner}/basic_rnn_cell/kernel"]
    expected = np.tanh(np.hstack([x, H]) @ kernel)
    np.testing.assert_allclose(state, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(output, expected @ values[f"{outer}/kernel"], rtol=1e-4, atol=1e-5)


def test_projections_share_their_variables_between_steps():
    cell = tf.contrib.rnn.OutputProjectionWrapper(tf.nn.rnn_cell.GRUCell(UNITS), 1)
    outputs, _ = tf.nn.static_rnn(cell, [tf.constant(X)] * 3, dtype=tf.float32)
    values = run(outputs)[1]
    assert len(values) == 6
    assert "rnn/output_projection_wrapper/gru_cell/gates/kernel" in values


def test_embeddings():
    cell = tf.contrib.rnn.EmbeddingWrapper(tf.nn.rnn_cell.BasicRNNCell(UNITS), 7, 2)
    outputs, _ = tf.nn.static_rnn(cell, [tf.constant([1, 6])], dtype=tf.float32)
    (output,), values = run(outputs)
    table = values["rnn/embedding_wrapper/embedding"]
    kernel = values["rnn/embedding_wrapper/basic_rnn_cell/kernel"]
    np.testing.assert_allclose(output, np.tanh(table[[1, 6]] @ kernel[:2]), rtol=1e-5)


@pytest.mark.parametrize("is_tuple", [True, False])
def test_attention(is_tuple):
    """The state in one tensor computes the same as the tuple of its parts."""
    inner = tf.nn.rnn_cell.GRUCell(UNITS)
    cell = tf.contrib.rnn.AttentionCellWrapper(inner, 3, 2, state_is_tuple=is_tuple)
    past = np.arange(12, dtype=np.float32).reshape(BATCH, 6) / 10
    state = (H, H[:, :2], past) if is_tuple else np.hstack([H, H[:, :2], past])
    with tf.variable_scope("", initializer=tf.ones_initializer()):
        output, new = cell(tf.constant(X), tf.nest.map_structure(tf.constant, state))
    (output, new), values = run([output, new])
    new_past = new[2] if is_tuple else new[:, -6:]
    np.testing.assert_array_equal(new_past, np.hstack([past[:, 2:], output]))
    seen = new[1] if is_tuple else new[:, UNITS : UNITS + 2]
    query = (new[0] if is_tuple else new[:, :UNITS]).sum(1)
    scores = 2 * np.tanh(past.reshape(BATCH, 3, 2).sum(2) + query[:, None])
    weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    np.testing.assert_allclose(
        seen, (weights[:, :, None] * past.reshape(BATCH, 3, 2)).sum(1), rtol=1e-4
    )
    names = [name.removeprefix("attention_cell_wrapper/") for name in values]
    assert [name for name in names if "gru" not in name] == [
        "kernel",
        "bias",
        "attention/attn_w",
        "attention/attn_v",
        "attention/kernel",
        "attention/bias",
        "attn_output_projection/kernel",
        "attn_output_projection/bias",
    ]


@pytest.mark.parametrize("dynamic", [True, False])
def test_layers_that_read_both_ways(dynamic):
    cells = [[tf.nn.rnn_cell.GRUCell(UNITS) for _ in range(2)] for _ in range(2)]
    x = tf.constant(np.stack([X, X / 2, -X], axis=1))
    if dynamic:
        stack = tf.contrib.rnn.stack_bidirectional_dynamic_rnn
        outputs, *_ = stack(*cells, x, dtype=tf.float32, sequence_length=[3, 2])
    else:
        stack, x = tf.contrib.rnn.stack_bidirectional_rnn, tf.unstack(x, axis=1)
        outputs, *_ = stack(*cells, x, dtype=tf.float32, sequence_length=[3, 2])
        outputs = tf.stack(outputs, axis=1)
    output, values = run(outputs)
    assert output.shape == (BATCH, 3, 2 * UNITS)
    assert np.all(output[1, 2] == 0)
    middle = "/bidirectional_rnn" if dynamic else ""
    assert f"stack_bidirectional_rnn/cell_1{middle}/bw/gru_cell/gates/kernel" in values


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda c, gru: c.OutputProjectionWrapper(gru, 0), "output_size must be > 0"),
        (lambda c, gru: c.AttentionCellWrapper(gru, 0), "should be greater than zero"),
        (lambda c, gru: c.EmbeddingWrapper(gru, 0, 1), "must be > 0: 0, 1"),
        (lambda c, gru: c.GRUBlockCell(), "Either num_units or cell_size"),
        (lambda c, gru: c.stack_bidirectional_rnn([gru], [], []), "at least one bw cell"),
        (lambda c, gru: c.stack_bidirectional_rnn([gru], [gru] * 2, []), "the same depth"),
    ],
)
def test_wrong_arguments(make, message):
    with pytest.raises(ValueError, match=message):
        make(tf.contrib.rnn, tf.nn.rnn_cell.GRUCell(2))
