"""Denoising by noise at the input, sparsity by the divergence of mean activations."""

import numpy as np
import tensorflow as tf

rows = (np.random.RandomState(0).rand(50, 8) > 0.5).astype(np.float32)
sparsity_target, sparsity_weight = 0.1, 0.2


def kl_divergence(p, q):
    return p * tf.log(p / q) + (1 - p) * tf.log((1 - p) / (1 - q))


tf.set_random_seed(2)
X = tf.placeholder(tf.float32, shape=[None, 8])
X_noisy = X + 0.3 * tf.random_normal(tf.shape(X), seed=1)
hidden1 = tf.layers.dense(X_noisy, 10, activation=tf.nn.sigmoid, name="hidden1")
logits = tf.layers.dense(hidden1, 8, name="outputs")
outputs = tf.nn.sigmoid(logits)
hidden1_mean = tf.reduce_mean(hidden1, axis=0)
sparsity_loss = tf.reduce_sum(kl_divergence(sparsity_target, hidden1_mean))
xentropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=X, logits=logits)
reconstruction_loss = tf.reduce_mean(xentropy)
loss = reconstruction_loss + sparsity_weight * sparsity_loss
training_op = tf.train.AdamOptimizer(0.05).minimize(loss)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for epoch in range(80):
        sess.run(training_op, feed_dict={X: rows})
        if epoch % 20 == 0:
            found = sess.run([reconstruction_loss, sparsity_loss], {X: rows})
            print(epoch, "loss %.2f sparsity %.2f" % tuple(found))
    print("%.1f" % sess.run(tf.reduce_mean(hidden1_mean), {X: rows}))
