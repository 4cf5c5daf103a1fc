"""Distributions: densities, draws with seeds, divergences, and a gradient of a likelihood."""

import numpy as np
import tensorflow as tf

normal = tf.distributions.Normal(loc=[0.0, 1.0], scale=[1.0, 2.0])
other = tf.distributions.Normal(loc=0.5, scale=1.0)
coin = tf.distributions.Bernoulli(probs=0.3)
dice = tf.distributions.Categorical(logits=tf.zeros([6]))
mu = tf.Variable(0.0)
data = tf.constant([1.0, 2.0, 3.0])
nll = -tf.reduce_mean(tf.distributions.Normal(mu, 1.0).log_prob(data))
train = tf.train.GradientDescentOptimizer(0.5).minimize(nll)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(
        np.round(sess.run(normal.log_prob([0.0, 0.0])), 3), np.round(sess.run(normal.cdf(1.0)), 3)
    )
    print(np.round(sess.run(tf.distributions.kl_divergence(normal, other)), 3))
    print(np.round(sess.run(coin.entropy()), 3), np.round(sess.run(dice.prob(2)), 3))
    print(np.round(sess.run(normal.sample(2, seed=3)), 3), sess.run(dice.sample(5, seed=1)))
    for _ in range(10):
        sess.run(train)
    print("%.2f" % sess.run(mu), normal.batch_shape, normal.event_shape)
