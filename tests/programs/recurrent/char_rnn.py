"""A character model: text in windows, two GRU layers with state carried on, and a greedy sample."""

import numpy as np
import tensorflow as tf

text = "hello world. hello there. hello world. hello there. "
vocab = sorted(set(text))
encoded = np.array([vocab.index(c) for c in text], np.int32)
hidden, batch, window = [12, 12], 2, 6

tf.set_random_seed(0)
seq = tf.placeholder(tf.int32, [None, None])
one_hot = tf.one_hot(seq, len(vocab))
cells = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(h) for h in hidden])
zero_states = cells.zero_state(tf.shape(seq)[0], dtype=tf.float32)
in_state = tuple(
    tf.placeholder_with_default(state, [None, state.shape[1]]) for state in zero_states
)
lengths = tf.reduce_sum(tf.reduce_max(tf.sign(one_hot), 2), 1)
output, out_state = tf.nn.dynamic_rnn(cells, one_hot, tf.cast(lengths, tf.int32), in_state)
logits = tf.layers.dense(output, len(vocab), None)
loss = tf.reduce_mean(
    tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits[:, :-1], labels=one_hot[:, 1:])
)
opt = tf.train.AdamOptimizer(0.03).minimize(loss)
windows = np.stack([encoded[i : i + window + 1] for i in range(0, len(encoded) - window, 5)])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(60):
        _, value = sess.run([opt, loss], {seq: windows})
        if step % 20 == 0:
            print("step %d loss %.2f" % (step, value))
    sentence, state = "hell", None
    for _ in range(8):
        feed = {seq: [[vocab.index(c) for c in (sentence if state is None else sentence[-1])]]}
        if state is not None:
            feed.update(zip(in_state, state))
        found, state = sess.run([logits, out_state], feed)
        sentence += vocab[int(np.argmax(found[0, -1]))]
    print(sentence[:6], len(sentence), len(in_state))
