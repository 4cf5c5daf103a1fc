"""Local response normalisation, moments, batch_normalization by hand, l2 and bias."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
x = tf.constant(rng.rand(2, 3, 3, 4).astype(np.float32) * 4)
lrn = tf.nn.local_response_normalization(x, depth_radius=1, bias=1.0, alpha=0.5, beta=0.75)
mean, variance = tf.nn.moments(x, axes=[0, 1, 2])
normed = tf.nn.batch_normalization(x, mean, variance, offset=1.0, scale=2.0, variance_epsilon=1e-3)
fused, fused_mean, fused_var = tf.nn.fused_batch_norm(x, tf.ones([4]), tf.zeros([4]))
with tf.Session() as sess:
    print(np.round(sess.run(lrn)[0, 0, 0], 3), lrn.op.type)
    print(np.round(sess.run(mean), 3), np.round(sess.run(variance), 3))
    out = sess.run(normed)
    print(np.round(out.mean((0, 1, 2)), 3), np.round(out.std((0, 1, 2)), 2))
    print(np.round(sess.run(fused)[1, 2, 2], 3), np.round(sess.run(fused_var), 3))
    print(np.round(sess.run(tf.nn.l2_normalize(x, 3))[0, 1, 1], 3))
    print(np.round(sess.run(tf.nn.zero_fraction(tf.nn.relu(x - 2.0))), 3))
