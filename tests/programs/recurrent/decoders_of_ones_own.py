"""Decoders, helpers and attention of one's own kinds: counting, copying, drawing, pointing."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import seq2seq

initializer = tf.random_uniform_initializer(-0.8, 0.8, seed=20)
tf.get_variable_scope().set_initializer(initializer)


class Countdown(seq2seq.Decoder):
    """No network at all: from a number down to zero."""

    def __init__(self, first):
        self._first = tf.constant(first)

    batch_size = property(lambda self: tf.size(self._first))
    output_size = tf.TensorShape([])
    output_dtype = tf.int32

    def initialize(self, name=None):
        return tf.equal(self._first, 0), self._first, tf.zeros_like(self._first)

    def step(self, time, inputs, state, name=None):
        return inputs, state + inputs, inputs - 1, tf.less_equal(inputs, 1)


class Alternate(seq2seq.Helper):
    """Feeds a cell's own output at odd steps, what is given at even ones."""

    def __init__(self, inputs, steps):
        self._inputs, self._steps = inputs, steps

    batch_size = property(lambda self: int(self._inputs.shape[0]))
    sample_ids_shape = property(lambda self: tf.TensorShape([]))
    sample_ids_dtype = property(lambda self: tf.int32)

    def initialize(self, name=None):
        return tf.fill([self.batch_size], False), self._inputs

    def sample(self, time, outputs, state, name=None):
        return tf.argmax(outputs, -1, output_type=tf.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished = tf.fill([self.batch_size], time + 1 >= self._steps)
        is_odd = tf.equal(time % 2, 0)
        return finished, tf.cond(is_odd, lambda: outputs, lambda: self._inputs), state


counted, total, lengths = seq2seq.dynamic_decode(Countdown([3, 0, 5]), impute_finished=True)
padded, _, _ = seq2seq.dynamic_decode(Countdown([2, 4]), output_time_major=True)

cell = tf.nn.rnn_cell.BasicRNNCell(4)
given = tf.constant(np.random.RandomState(23).randn(2, 4).astype(np.float32))
zero = cell.zero_state(2, tf.float32)
alternating, _, _ = seq2seq.dynamic_decode(
    seq2seq.BasicDecoder(cell, Alternate(given, 5), zero), scope="alternate"
)

threshold = seq2seq.InferenceHelper(
    sample_fn=lambda outputs: tf.cast(outputs > 0, tf.int32),
    sample_shape=[4],
    sample_dtype=tf.int32,
    start_inputs=given,
    end_fn=lambda bits: tf.reduce_all(tf.equal(bits, 1), 1),
    next_inputs_fn=lambda bits: tf.cast(bits, tf.float32),
)
bits, _, _ = seq2seq.dynamic_decode(
    seq2seq.BasicDecoder(cell, threshold, zero), maximum_iterations=4, scope="bits"
)

custom = seq2seq.CustomHelper(
    initialize_fn=lambda: (tf.constant([False, False]), given),
    sample_fn=lambda time, outputs, state: tf.argmin(outputs, -1, output_type=tf.int32),
    next_inputs_fn=lambda time, outputs, state, sample_ids: (
        tf.constant([1, 3]) <= time,
        tf.one_hot(sample_ids, 4),
        state,
    ),
)
least, _, least_lengths = seq2seq.dynamic_decode(
    seq2seq.BasicDecoder(cell, custom, zero), impute_finished=True, scope="least"
)

memory = tf.constant(np.random.RandomState(14).randn(2, 5, 3).astype(np.float32))
mechanisms = [
    seq2seq.BahdanauAttention(4, memory, [5, 2], normalize=True),
    seq2seq.BahdanauAttention(6, memory[:, ::-1], probability_fn=seq2seq.hardmax),
]
pointing = seq2seq.AttentionWrapper(
    tf.nn.rnn_cell.BasicLSTMCell(4),
    mechanisms,
    attention_layer_size=[3, 2],
    cell_input_fn=lambda inputs, attention: inputs + tf.layers.dense(attention, 4, name="into"),
    output_attention=False,
)
print([isinstance(one, seq2seq.AttentionMechanism) for one in mechanisms])
drawing = seq2seq.SampleEmbeddingHelper(
    tf.eye(4), tf.constant([0, 1]), 3, softmax_temperature=0.5, seed=6
)
drawn, drawn_state, _ = seq2seq.dynamic_decode(
    seq2seq.BasicDecoder(pointing, drawing, pointing.zero_state(2, tf.float32)),
    maximum_iterations=6,
    scope="drawn",
)
print([v.op.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(counted).tolist(), sess.run(total), sess.run(lengths))
    print(sess.run(padded).tolist())
    print(sess.run(alternating.rnn_output)[0].round(2), sess.run(alternating.sample_id).tolist())
    print(sess.run(bits.sample_id).tolist())
    print(sess.run(least.sample_id).tolist(), sess.run(least_lengths))
    print(sess.run(least.rnn_output)[0, :, 0].round(3))
    found, state = sess.run([drawn, drawn_state])
    print(found.sample_id.tolist())
    print(found.rnn_output[0].round(3))
    print(state.time, *[weights.round(2) for weights in state.alignments])
