"""Sampled softmax and the samplers behind it, with seeds; the full softmax for evaluation."""

import numpy as np
import tensorflow as tf

num_classes, dim = 20, 4
rng = np.random.RandomState(0)
inputs = tf.constant(rng.randn(3, dim).astype(np.float32))
weights = tf.constant(rng.randn(num_classes, dim).astype(np.float32))
biases = tf.zeros([num_classes])
labels = tf.constant([[2], [5], [11]], tf.int64)
sampler = tf.nn.log_uniform_candidate_sampler(labels, 1, 5, True, num_classes, seed=2)
loss = tf.nn.sampled_softmax_loss(
    weights,
    biases,
    labels,
    inputs,
    5,
    num_classes,
    sampled_values=sampler,
    remove_accidental_hits=True,
)
uniform = tf.nn.uniform_candidate_sampler(labels, 1, 5, True, num_classes, seed=3)
full = tf.nn.softmax_cross_entropy_with_logits_v2(
    labels=tf.one_hot(labels[:, 0], num_classes),
    logits=tf.matmul(inputs, weights, transpose_b=True),
)
with tf.Session() as sess:
    sampled, value = sess.run([sampler.sampled_candidates, loss])
    print(sorted(sampled.tolist()), np.round(value, 3))
    true = sess.run(sampler).true_expected_count
    print(
        true.shape,
        sorted(sess.run(uniform).sampled_candidates.tolist()),
        np.round(sess.run(full), 3),
    )
