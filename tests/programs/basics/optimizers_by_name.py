"""The same regression with five optimizers; minimize, and compute_gradients with apply."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
X = rng.randn(100, 3).astype(np.float32)
y = (X @ np.array([[2.0], [-1.0], [0.5]])).astype(np.float32)

optimizers = {
    "gradient descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.05, momentum=0.9, use_nesterov=True),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.3),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.05, momentum=0.5),
    "adam": lambda: tf.train.AdamOptimizer(0.1, beta1=0.8),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.5),
}
for name, make in optimizers.items():
    tf.reset_default_graph()
    theta = tf.get_variable("theta", [3, 1], initializer=tf.zeros_initializer())
    mse = tf.reduce_mean(tf.square(tf.matmul(X, theta) - y))
    optimizer = make()
    pairs = optimizer.compute_gradients(mse)
    train = optimizer.apply_gradients([(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in pairs])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(25):
            sess.run(train)
        print(name, "%.3f" % sess.run(mse), optimizer.get_slot_names())
