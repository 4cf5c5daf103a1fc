"""A translator: Luong's attention, teacher forcing, and greedy decoding with shared variables."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import seq2seq
from tensorflow.python.layers.core import Dense

GO, END, VOCABULARY, UNITS = 1, 2, 9, 8
rng = np.random.RandomState(12)
sources = rng.randint(3, VOCABULARY, (6, 5))
source_lengths = np.array([5, 3, 4, 5, 2, 4])
for row, length in zip(sources, source_lengths):
    row[length:] = 0
targets = np.full((6, 6), 0)
for row, source, length in zip(targets, sources, source_lengths):
    row[:length], row[length] = source[:length][::-1], END
target_lengths = (source_lengths + 1).astype(np.int32)
decoder_inputs = np.concatenate([np.full((6, 1), GO), targets[:, :-1]], 1)

initializer = tf.random_uniform_initializer(-0.5, 0.5, seed=19)
tf.get_variable_scope().set_initializer(initializer)
embedding = tf.get_variable("embedding", [VOCABULARY, 6])
with tf.variable_scope("encoder"):
    encoded, encoder_state = tf.nn.dynamic_rnn(
        tf.nn.rnn_cell.GRUCell(UNITS),
        tf.nn.embedding_lookup(embedding, sources),
        sequence_length=source_lengths,
        dtype=tf.float32,
    )
attention = seq2seq.LuongAttention(UNITS, encoded, source_lengths, scale=True)
cell = seq2seq.AttentionWrapper(
    tf.nn.rnn_cell.GRUCell(UNITS), attention, attention_layer_size=7, alignment_history=True
)
projection = Dense(VOCABULARY, use_bias=False, name="projection")
start = cell.zero_state(6, tf.float32).clone(cell_state=encoder_state)


def decode(helper, reuse=None, **how):
    with tf.variable_scope("decode", reuse=reuse) as scope:
        decoder = seq2seq.BasicDecoder(cell, helper, start, output_layer=projection)
        return seq2seq.dynamic_decode(decoder, scope=scope, **how)


forced = tf.nn.embedding_lookup(embedding, decoder_inputs)
training, state, lengths = decode(
    seq2seq.TrainingHelper(forced, target_lengths), impute_finished=True
)
greedy, last, greedy_lengths = decode(
    seq2seq.GreedyEmbeddingHelper(embedding, tf.fill([6], GO), END),
    reuse=True,
    maximum_iterations=7,
)
mask = tf.sequence_mask(target_lengths, 6, tf.float32)
loss = seq2seq.sequence_loss(training.rnn_output, targets, mask)
by_sequence = seq2seq.sequence_loss(
    training.rnn_output, tf.constant(targets), mask, average_across_batch=False
)
optimizer = tf.train.AdamOptimizer(0.03)
gradients, variables = zip(*optimizer.compute_gradients(loss))
gradients, _ = tf.clip_by_global_norm(gradients, 5.0)
train = optimizer.apply_gradients(zip(gradients, variables))
alignments = tf.transpose(state.alignment_history.stack(), [1, 0, 2])

print([v.op.name for v in variables])
print(isinstance(start, seq2seq.AttentionWrapperState), cell.output_size, cell.state_size.attention)
print(isinstance(training, seq2seq.BasicDecoderOutput))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print("%.3f" % sess.run(loss), sess.run(by_sequence).round(3))
    print(sess.run(lengths), sess.run(state.time), sess.run(last.time) <= 7)
    print(sess.run(alignments)[1].round(3))
    print(sess.run(training.rnn_output)[4, 2:4, :4].round(3))
    for _ in range(12):
        sess.run(train)
    print("%.2f" % sess.run(loss))
    print(sess.run(tf.reduce_sum(alignments, 2))[4].round(2))
