"""A line whose two numbers are uncertain: a normal posterior fitted by variational inference."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import distributions as tfd

rng = np.random.RandomState(17)
x = np.linspace(-1, 1, 20).astype(np.float32)
y = (1.5 * x - 0.5 + 0.3 * rng.randn(20)).astype(np.float32)

mean = tf.get_variable("mean", [2], initializer=tf.zeros_initializer())
# the spread is the softplus of what is trained, and begins at 0.5
free = tf.get_variable("free", initializer=tfd.softplus_inverse(tf.constant([0.5, 0.5])))
spread = tf.nn.softplus(free)
prior = tfd.MultivariateNormalDiag(loc=tf.zeros([2]), scale_diag=tf.constant([2.0, 2.0]))
posterior = tfd.MultivariateNormalDiag(loc=mean, scale_diag=spread)

lines = posterior.sample(16, seed=11)
predicted = lines[:, :1] * x + lines[:, 1:]
likelihood = tf.reduce_sum(tfd.Normal(predicted, 0.3).log_prob(y), axis=1)
divergence = tfd.kl_divergence(posterior, prior)
bound = tf.reduce_mean(likelihood) - divergence
optimizer = tf.train.AdamOptimizer(0.1)
gradients, variables = zip(*optimizer.compute_gradients(-bound))
with tf.control_dependencies(gradients):
    train = optimizer.apply_gradients(zip(gradients, variables))

print(posterior.batch_shape, posterior.event_shape, lines.shape, divergence.shape)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(np.round(np.float64(sess.run(spread)), 3).tolist())
    print(np.round(np.float64(sess.run([divergence, posterior.entropy()])), 3).tolist())
    print(np.round(np.float64(sess.run(prior.log_prob([[1.0, 2.0], [0.0, 0.0]]))), 3).tolist())
    for step in range(80):
        sess.run(train)
    slope, offset = sess.run(posterior.mean())
    print("near the truth:", abs(slope - 1.5) < 0.3, abs(offset + 0.5) < 0.3)
    print("surer than before:", (sess.run(posterior.stddev()) < 0.3).all(), sess.run(bound) > -20)
