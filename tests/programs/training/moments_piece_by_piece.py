"""Batch normalisation from sufficient statistics that are summed over pieces of a batch."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(14)
batch = (rng.randn(24, 3) * [1.0, 2.0, 0.5] + [0.0, 3.0, -1.0]).astype(np.float32)

# the batch comes in four pieces, as from four towers
x = tf.placeholder(tf.float32, [24, 3])
pieces = tf.split(x, 4)
shift = tf.constant([0.0, 2.0, -1.0])
statistics = [tf.nn.sufficient_statistics(piece, [0], shift=shift) for piece in pieces]
count = tf.add_n([s[0] for s in statistics])
sums = tf.add_n([s[1] for s in statistics])
squares = tf.add_n([s[2] for s in statistics])
mean, variance = tf.nn.normalize_moments(count, sums, squares, shift=shift, name="together")
at_once, at_once_variance = tf.nn.moments(x, [0])

# some examples count twice, some not at all
importance = tf.constant(np.float32([2, 1, 0, 1] * 6).reshape(24, 1))
weighted_mean, weighted_variance = tf.nn.weighted_moments(x, [0], importance)
kept_mean, _ = tf.nn.weighted_moments(x, axes=[0], frequency_weights=importance, keep_dims=True)

# images normalised by the function of 2015, and by the one that came after it
images = tf.reshape(x, [2, 3, 4, 3])
beta, gamma = tf.constant([0.5, 0.0, -0.5]), tf.constant([1.0, 2.0, 3.0])
epsilon = 1e-3
old = tf.nn.batch_norm_with_global_normalization(
    images, mean, variance, beta, gamma, epsilon, scale_after_normalization=True
)
unscaled = tf.nn.batch_norm_with_global_normalization(
    t=images,
    m=mean,
    v=variance,
    beta=beta,
    gamma=gamma,
    variance_epsilon=epsilon,
    scale_after_normalization=False,
)
new = tf.nn.batch_normalization(images, mean, variance, beta, gamma, epsilon)
gradient = tf.gradients(tf.reduce_sum(tf.square(old) * images), x)[0]


def show(name, *tensors):
    values = sess.run(tensors, {x: batch})
    print(name, [np.round(np.float64(v), 3).tolist() for v in values])


with tf.Session() as sess:
    print(
        sess.run([count, statistics[0][0]], {x: batch}),
        len(statistics[0]),
        statistics[0][3] is shift,
    )
    show("pieces", mean, variance)
    show("whole ", at_once, at_once_variance)
    show("weighted", weighted_mean, weighted_variance)
    print(kept_mean.shape, mean.op.name, variance.op.name)
    show("old", old[0, 0, 0], unscaled[1, 2, 3])
    print("as the new one:", np.allclose(*sess.run([old, new], {x: batch}), atol=1e-5))
    normalised = sess.run(tf.nn.moments(old, [0, 1, 2]), {x: batch})
    print([np.round(np.float64(v), 2).tolist() for v in normalised])
    total = sess.run(gradient, {x: batch})
    print(gradient.shape, np.isfinite(total).all(), np.round(float(np.abs(total).max()), 1))
