"""A variational autoencoder of tf.distributions in templates, and what distributions can say."""

import numpy as np
import tensorflow as tf

tfd = tf.distributions
tf.set_random_seed(2)
X = (np.random.RandomState(0).rand(20, 8) > 0.4).astype("f")


def make_encoder(data, code_size):
    x = tf.layers.flatten(data)
    x = tf.layers.dense(x, 12, tf.nn.relu)
    loc = tf.layers.dense(x, code_size)
    scale = tf.layers.dense(x, code_size, tf.nn.softplus)
    return tfd.Normal(loc, scale)


def make_prior(code_size):
    return tfd.Normal(tf.zeros(code_size), tf.ones(code_size))


def make_decoder(code, data_shape):
    x = tf.layers.dense(code, 12, tf.nn.relu)
    logit = tf.layers.dense(x, np.prod(data_shape))
    logit = tf.reshape(logit, [-1] + data_shape)
    return tfd.Bernoulli(logits=logit)


make_encoder = tf.make_template("encoder", make_encoder)
make_decoder = tf.make_template("decoder", make_decoder)
data = tf.placeholder(tf.float32, [None, 8])
prior = make_prior(2)
posterior = make_encoder(data, 2)
code = posterior.sample(seed=4)
likelihood = tf.reduce_sum(make_decoder(code, [8]).log_prob(data), 1)
div = tf.reduce_sum(tfd.kl_divergence(posterior, prior), 1)
elbo = tf.reduce_mean(likelihood - div)
opt = tf.train.AdamOptimizer(0.01).minimize(-elbo)
samples = make_decoder(prior.sample(3), [8]).mean()
print([v.name for v in tf.trainable_variables()])
print(posterior, prior.batch_shape, posterior.event_shape)
with tf.Session() as s:
    s.run(tf.global_variables_initializer())
    first = s.run(elbo, {data: X})
    for i in range(100):
        e, _ = s.run([elbo, opt], {data: X})
    print(e > first, s.run(samples).shape)
    c = tfd.Categorical(logits=[[1.0, 2.0, 3.0]])
    d = tfd.Dirichlet([1.0, 2.0, 3.0])
    u = tfd.Uniform(0.0, 2.0)
    g = tfd.Gamma(2.0, 3.0)
    b = tfd.Beta(2.0, 3.0)
    m = tfd.Multinomial(4.0, probs=[0.2, 0.8])
    t = tfd.StudentT(3.0, 0.0, 1.0)
    la = tfd.Laplace(0.0, 1.0)
    ex = tfd.Exponential(2.0)
    for q, v in (
        (u, 1.0),
        (g, 1.0),
        (b, 0.3),
        (t, 1.0),
        (la, 1.0),
        (ex, 1.0),
        (m, [1.0, 3.0]),
        (d, [0.2, 0.3, 0.5]),
    ):
        print(q.name, np.round(s.run([q.log_prob(v), q.mean(), q.variance()])[0], 4))
    print(np.round(s.run([c.entropy(), c.prob([2]), c.mode()]), 3))
    print(
        np.round(
            s.run(
                [
                    tfd.kl_divergence(c, tfd.Categorical(logits=[[3.0, 2.0, 1.0]])),
                ]
            ),
            3,
        )
    )
    print(u.cdf(0.5).eval(), prior.quantile(0.9).eval().round(3), g.entropy().eval().round(3))
