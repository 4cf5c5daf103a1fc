"""A distribution of one's own, fitted by its samples' gradients, and dice that nobody trusts."""

import numpy as np
import tensorflow as tf

tfd = tf.distributions


class LogNormal(tfd.Distribution):
    """What has a normal logarithm."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="LogNormal"):
        parameters = dict(locals())
        with tf.name_scope(name, values=[loc, scale]) as name:
            self.loc = tf.convert_to_tensor(loc, name="loc")
            self.scale = tf.convert_to_tensor(scale, name="scale")
            self.normal = tfd.Normal(self.loc, self.scale)
        super(LogNormal, self).__init__(
            dtype=self.scale.dtype,
            reparameterization_type=tfd.FULLY_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=parameters,
            graph_parents=[self.loc, self.scale],
            name=name,
        )

    def _batch_shape_tensor(self):
        return self.normal.batch_shape_tensor()

    def _batch_shape(self):
        return self.normal.batch_shape

    def _event_shape_tensor(self):
        return tf.constant([], dtype=tf.int32)

    def _event_shape(self):
        return tf.TensorShape([])

    def _sample_n(self, n, seed=None):
        return tf.exp(self.normal.sample(n, seed=seed))

    def _log_prob(self, x):
        return self.normal.log_prob(tf.log(x)) - tf.log(x)

    def _cdf(self, x):
        return self.normal.cdf(tf.log(x))

    def _mean(self):
        return tf.exp(self.loc + tf.square(self.scale) / 2)

    def _variance(self):
        return tf.expm1(tf.square(self.scale)) * tf.square(self._mean())


@tfd.RegisterKL(LogNormal, LogNormal)
def _kl_of_logarithms(a, b, name=None):
    with tf.name_scope(name, "kl_of_logarithms", [a.loc, b.loc]):
        return tfd.kl_divergence(a.normal, b.normal)


prices = LogNormal(loc=[0.0, 1.0], scale=[0.5, 0.25], name="prices")
wide = LogNormal(loc=0.5, scale=1.0)
print(prices.batch_shape, prices.event_shape, prices.dtype.name, prices.name)
kind = prices.reparameterization_type
print(isinstance(kind, tfd.ReparameterizationType), kind == tfd.FULLY_REPARAMETERIZED)
print(isinstance(prices.copy(scale=[1.0, 1.0]), LogNormal), sorted(prices.parameters)[:3])

# the mean is drawn towards 2 through the samples
location = tf.get_variable("location", initializer=0.0)
guess = LogNormal(location, 0.3)
gap = tf.square(tf.reduce_mean(guess.sample(50, seed=8)) - 2.0)
train = tf.train.GradientDescentOptimizer(0.05).minimize(gap)

# dice that nobody trusts: how often each face comes, in ten throws
dice = tfd.DirichletMultinomial(total_count=10.0, concentration=[[2.0, 2.0, 2.0], [0.5, 1.0, 3.0]])
throws = tf.constant([[3.0, 3.0, 4.0], [0.0, 2.0, 8.0]])


def show(name, *tensors):
    print(name, [np.round(np.float64(v), 3).tolist() for v in sess.run(tensors)])


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show("moments", prices.mean(), prices.variance(), prices.stddev())
    show("chances", prices.prob(1.5), prices.log_prob(2.0), prices.cdf(2.0))
    show("draws", prices.sample(2, seed=3))
    show("divergence", tfd.kl_divergence(prices, wide), wide.mean())
    for _ in range(30):
        sess.run(train)
    print(
        "location",
        np.round(float(sess.run(location)), 1),
        "mean about",
        round(float(sess.run(guess.mean())), 1),
    )
    show("faces", dice.mean(), dice.prob(throws), dice.covariance()[1])
    print(
        dice.batch_shape,
        dice.event_shape,
        sess.run(tf.reduce_sum(dice.sample(4, seed=2), -1)).tolist(),
    )
try:
    tfd.kl_divergence(dice, wide)
except NotImplementedError as e:
    print(type(e).__name__)
