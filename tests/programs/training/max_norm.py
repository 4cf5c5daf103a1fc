"""Max-norm regularisation: weights clipped after each step, by operations in a collection."""

import numpy as np
import tensorflow as tf


def max_norm_regularizer(threshold, axes=1, name="max_norm", collection="max_norm"):
    def max_norm(weights):
        clipped = tf.clip_by_norm(weights, clip_norm=threshold, axes=axes)
        clip_weights = tf.assign(weights, clipped, name=name)
        tf.add_to_collection(collection, clip_weights)
        return None

    return max_norm


rng = np.random.RandomState(3)
rows = rng.randn(60, 5).astype(np.float32)
labels = (rows[:, 0] * rows[:, 1] > 0).astype(np.int32)
tf.set_random_seed(0)
regularizer = max_norm_regularizer(threshold=0.8)
hidden = tf.layers.dense(
    rows, 12, activation=tf.nn.relu, kernel_regularizer=regularizer, name="hidden"
)
logits = tf.layers.dense(hidden, 2, kernel_regularizer=regularizer, name="outputs")
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
training_op = tf.train.MomentumOptimizer(0.3, 0.9).minimize(loss)
clip_all_weights = tf.get_collection("max_norm")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(30):
        sess.run(training_op)
        sess.run(clip_all_weights)
    for weights in clip_all_weights:
        norms = np.linalg.norm(sess.run(weights), axis=1)
        print(weights.name, norms.max() < 0.801)
    print("%.2f" % sess.run(loss), len(tf.losses.get_regularization_losses()))
