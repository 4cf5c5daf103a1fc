"""tf.keras.initializers, regularizers, constraints and activations by name and as objects."""

import numpy as np
import tensorflow as tf

w = tf.constant([[1.0, -2.0], [3.0, 0.5]])
with tf.Session() as sess:
    print(
        np.round(sess.run(tf.keras.regularizers.l2(0.1)(w)), 3),
        np.round(sess.run(tf.keras.regularizers.l1(0.1)(w)), 3),
    )
    print(np.round(sess.run(tf.keras.constraints.MaxNorm(1.0)(w)), 3))
    print(sess.run(tf.keras.constraints.NonNeg()(w)).tolist())
    for name in ("relu", "sigmoid", "tanh", "softplus", "softmax", "elu", "selu", "linear"):
        print(name, np.round(sess.run(tf.keras.activations.get(name)(w))[0], 3).tolist())
    print(np.round(sess.run(tf.keras.initializers.glorot_uniform(seed=3)(shape=[2, 2])), 3))
    print(
        sess.run(tf.keras.initializers.Constant(2.0)(shape=[2])),
        sess.run(tf.keras.initializers.Identity()(shape=[2, 2])).tolist(),
    )
