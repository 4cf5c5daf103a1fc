"""The same small network with every activation of the time, and counts by a Poisson loss."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(10)
data = rng.uniform(-1, 1, size=(32, 2)).astype(np.float32)
target = (np.abs(data[:, :1]) + data[:, 1:] ** 2).astype(np.float32)

x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 1])


def leaky(t):
    return tf.nn.leaky_relu(t, alpha=0.1)


activations = [
    tf.nn.relu,
    tf.nn.relu6,
    tf.nn.crelu,
    tf.nn.elu,
    tf.nn.selu,
    leaky,
    tf.nn.softplus,
    tf.nn.softsign,
    tf.nn.swish,
    tf.nn.silu,
    tf.nn.tanh,
    tf.nn.sigmoid,
]


def network(activation, scope):
    """Loss, and the step that makes it smaller."""
    with tf.variable_scope(scope):
        initializer = tf.truncated_normal_initializer(stddev=0.7, seed=4)
        hidden = tf.layers.dense(x, 6, activation, kernel_initializer=initializer, name="hidden")
        out = tf.layers.dense(hidden, 1, kernel_initializer=initializer, name="out")
    loss = tf.reduce_mean(tf.squared_difference(out, y))
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
    gradients = optimizer.compute_gradients(loss, tf.trainable_variables(scope))
    with tf.control_dependencies([g for g, _ in gradients]):
        return hidden, loss, optimizer.apply_gradients(gradients)


trained = [tf.nn.relu6, tf.nn.crelu, tf.nn.selu, tf.nn.softsign, tf.nn.swish]
networks = [network(f, "net%d" % i) for i, f in enumerate(trained)]
losses = [loss for _, loss, _ in networks]
steps = tf.group(*[step for _, _, step in networks])

# how many cars pass: the network gives the logarithm of the rate
counts = tf.constant(np.float32([0, 1, 1, 4, 9, 2]))
log_rate = tf.Variable(tf.zeros([6]), name="log_rate")
poisson = tf.nn.log_poisson_loss(counts, log_rate)
with_stirling = tf.nn.log_poisson_loss(counts, log_rate, compute_full_loss=True)
fit = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(poisson))

# a dense layer as one operation
weights = tf.constant(rng.randn(2, 3).astype(np.float32))
layer = tf.nn.relu_layer(x, weights, tf.constant([0.1, 0.2, 0.3]), name="layer")
extremes = tf.constant([-5.0, -1.0, -0.5, 0.2, 0.5, 1.0, 8.0])

with tf.Session() as sess:
    for activation in activations:
        print("%-9s" % activation.__name__, end=" ")
        print(np.round(np.float64(sess.run(activation(extremes))), 3).tolist())
    sess.run(tf.global_variables_initializer())
    feed = {x: data, y: target}
    before = sess.run(losses, feed)
    for _ in range(15):
        sess.run(steps, feed)
    after = sess.run(losses, feed)
    for f, (hidden, _, _), b, a in zip(trained, networks, before, after):
        print("%-9s" % f.__name__, hidden.shape, np.round(float(b), 2), np.round(float(a), 2))
    print(layer.op.name, np.round(np.float64(sess.run(layer, feed)[0]), 3).tolist())
    print(np.round(np.float64(sess.run([poisson, with_stirling])), 3).tolist())
    for _ in range(30):
        sess.run(fit)
    print(np.round(np.float64(sess.run(tf.exp(log_rate))), 2).tolist())
