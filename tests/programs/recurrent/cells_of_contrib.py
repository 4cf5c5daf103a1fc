"""Cells and wrappers of tf.contrib.rnn: in one operation, normalised, projected, attentive."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn

rng = np.random.RandomState(10)
rows = rng.randn(2, 4, 3).astype(np.float32)
series = tf.constant(rows)


class Leaky(rnn.LayerRNNCell):
    """Keeps a part of what it was."""

    def __init__(self, num_units, leak=0.9, name=None):
        super(Leaky, self).__init__(name=name)
        self._num_units, self._leak = num_units, leak

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def build(self, inputs_shape):
        depth = int(inputs_shape[-1])
        self._kernel = self.add_variable("kernel", [depth + self._num_units, self._num_units])
        self.built = True

    def call(self, inputs, state):
        new = tf.tanh(tf.matmul(tf.concat([inputs, state], 1), self._kernel))
        output = self._leak * state + (1.0 - self._leak) * new
        return output, output


CELLS = [
    ("lstm block", lambda: rnn.LSTMBlockCell(4, forget_bias=0.5, cell_clip=0.2)),
    ("peepholes", lambda: rnn.LSTMBlockCell(4, use_peephole=True)),
    ("lstm cell", lambda: rnn.LSTMCell(4, use_peepholes=True)),
    ("gru block", lambda: rnn.GRUBlockCell(4)),
    ("gru block 2", lambda: rnn.GRUBlockCellV2(num_units=4)),
    ("normalised", lambda: rnn.LayerNormBasicLSTMCell(4, forget_bias=0.0, norm_gain=0.5)),
    ("leaky", lambda: Leaky(4)),
    ("output", lambda: rnn.OutputProjectionWrapper(rnn.GRUCell(5), 4)),
    ("input", lambda: rnn.InputProjectionWrapper(rnn.BasicRNNCell(4), 2, tf.nn.relu)),
    ("attentive", lambda: rnn.AttentionCellWrapper(rnn.BasicLSTMCell(4), attn_length=3)),
    (
        "deep",
        lambda: rnn.MultiRNNCell([rnn.ResidualWrapper(rnn.GRUBlockCell(3)), rnn.GRUCell(4)]),
    ),
]


def run_and_show(name, outputs):
    last = outputs[:, -1] if len(outputs.shape) == 3 else outputs
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print("%-12s" % name, sess.run(last)[1].round(2), [int(n) for n in outputs.shape])
    variables = tf.trainable_variables()
    print("   ", *[variable.op.name.split("/", 2)[2] for variable in variables])
    print("   ", [variable.shape.num_elements() for variable in variables])


for name, make in CELLS:
    with tf.Graph().as_default():
        initializer = tf.random_uniform_initializer(-0.7, 0.7, seed=16)
        with tf.variable_scope("net", initializer=initializer):
            outputs, _ = tf.nn.dynamic_rnn(make(), tf.constant(rows), dtype=tf.float32)
            run_and_show(name, outputs)

with tf.Graph().as_default():
    words = tf.constant([[1, 4, 2], [3, 0, 2]])
    initializer = tf.random_uniform_initializer(-1.0, 1.0, seed=14)
    cell = rnn.EmbeddingWrapper(rnn.GRUCell(4), embedding_classes=5, embedding_size=3)
    with tf.variable_scope("words", initializer=initializer):
        outputs, state = rnn.static_rnn(cell, tf.unstack(words, axis=1), dtype=tf.float32)
    stacked = rnn.transpose_batch_time(tf.stack(outputs))
    run_and_show("words", stacked)

with tf.Graph().as_default():  # in a loop, it would depend on the threads which step draws first
    cell = rnn.LayerNormBasicLSTMCell(4, dropout_keep_prob=0.7, dropout_prob_seed=3)
    with tf.variable_scope("net", initializer=tf.random_uniform_initializer(-0.7, 0.7, seed=21)):
        outputs, _ = rnn.static_rnn(cell, tf.unstack(tf.constant(rows), axis=1), dtype=tf.float32)
    run_and_show("dropout", outputs[-1])
