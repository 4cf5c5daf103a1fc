"""Letters out of frames by CTC with dense labels; what a decoder and a collapse make of them."""

import numpy as np
import tensorflow as tf

letters = "abcd"
words = ["ab", "dad", "bc"]
labels = np.zeros([3, 3], np.int32)
for i, word in enumerate(words):
    labels[i, : len(word)] = [letters.index(letter) + 1 for letter in word]  # 0 is the blank
lengths = np.int32([len(word) for word in words])
frames = np.int32([8, 8, 6])

# each frame is a noisy picture of its letter
rng = np.random.RandomState(40)
inputs = 0.3 * rng.randn(3, 8, 5)
for i, word in enumerate(words):
    for t in range(frames[i]):
        inputs[i, t, labels[i, t * len(word) // frames[i]]] += 1.0

tf.set_random_seed(5)
x = tf.constant(inputs, tf.float32)
cell = tf.nn.rnn_cell.GRUCell(8, kernel_initializer=tf.glorot_uniform_initializer(seed=1))
outputs, _ = tf.nn.dynamic_rnn(cell, x, frames, dtype=tf.float32)
logits = tf.layers.dense(outputs, 5, kernel_initializer=tf.glorot_uniform_initializer(seed=2))
by_time = tf.transpose(logits, [1, 0, 2])
unique = tf.nn.ctc_unique_labels(tf.constant(labels))
losses = tf.nn.ctc_loss_v2(
    labels=labels,
    logits=by_time,
    label_length=lengths,
    logit_length=frames,
    logits_time_major=True,
    unique=unique,
    blank_index=0,
)
loss = tf.reduce_mean(losses)
batch_first = tf.nn.ctc_loss_v2(
    labels, logits, lengths, frames, logits_time_major=False, blank_index=0
)
optimizer = tf.train.AdamOptimizer(0.03)
gradients, variables = zip(*optimizer.compute_gradients(loss))
clipped, _ = tf.clip_by_global_norm(gradients, 5.0)
train = optimizer.apply_gradients(zip(clipped, variables))

# the decoder's blank is the last class
turned = tf.concat([by_time[:, :, 1:], by_time[:, :, :1]], axis=2)
decoded, scores = tf.nn.ctc_beam_search_decoder_v2(turned, frames, beam_width=10, top_paths=2)
best = tf.sparse_tensor_to_dense(decoded[0], default_value=-1)
# another way to read: the best class of each frame, repeated ones once, blanks left out
each = tf.argmax(logits, 2, output_type=tf.int32)
collapsed, collapsed_lengths = tf.nn.collapse_repeated(each, frames)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print([v.tolist() for v in sess.run(unique)])
    print(np.allclose(*sess.run([losses, batch_first]), rtol=1e-4), losses.shape, scores.shape)
    for step in range(61):
        if step % 20 == 0:
            print(step, np.round(float(sess.run(loss)), 1))
        sess.run(train)
    for row in sess.run(best):
        print("".join(letters[i] for i in row if i >= 0), end=" ")
    print()
    rows, n = sess.run([collapsed, collapsed_lengths])
    print(n.tolist(), ["".join("-abcd"[i] for i in row[:k]) for row, k in zip(rows, n)])
