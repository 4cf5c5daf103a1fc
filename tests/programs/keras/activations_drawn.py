"""Each activation of Keras as a row of numbers, and initializers by what they draw."""

import numpy as np
import tensorflow as tf

activations = tf.keras.activations
initializers = tf.keras.initializers
x = tf.constant([-4.0, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0, 7.0])
rows = [
    ("linear", activations.linear(x)),
    ("relu", activations.relu(x)),
    ("relu, leaky", activations.relu(x, alpha=0.1, max_value=6.0)),
    ("all of it", activations.relu(x, alpha=0.2, max_value=5.0, threshold=0.5)),
    ("relu, from 1", activations.relu(x, threshold=1.0)),
    ("elu", activations.elu(x)),
    ("elu, 2", activations.elu(x, alpha=2.0)),
    ("selu", activations.selu(x)),
    ("softsign", activations.softsign(x)),
    ("hard_sigmoid", activations.hard_sigmoid(x)),
    ("by name", activations.get("softplus")(x)),
    ("by function", activations.get(tf.sin)(x)),
]
shape = [60, 40]
drawn = [
    ("RandomNormal", initializers.RandomNormal(mean=1.0, stddev=0.2, seed=1)),
    ("TruncatedNormal", initializers.TruncatedNormal(stddev=0.2, seed=2)),
    ("RandomUniform", initializers.RandomUniform(-0.5, 1.5, seed=3)),
    ("Orthogonal", initializers.Orthogonal(gain=2.0, seed=4)),
    ("VarianceScaling", initializers.VarianceScaling(2.0, "fan_out", "uniform", seed=5)),
    ("he_normal", initializers.he_normal(seed=6)),
    ("he_uniform", initializers.he_uniform(seed=7)),
    ("lecun_normal", initializers.lecun_normal(seed=8)),
    ("lecun_uniform", initializers.lecun_uniform(seed=9)),
    ("glorot_normal", initializers.glorot_normal(seed=10)),
    ("random_normal", initializers.random_normal(seed=21)),
    ("truncated_normal", initializers.truncated_normal(seed=12)),
    ("orthogonal", initializers.orthogonal(seed=13)),
]
with tf.Session() as sess:
    for name, row in rows:
        print("%-13s" % name, " ".join("%7.3f" % value for value in sess.run(row)))
    for name, initializer in drawn:
        values = sess.run(initializer(shape))
        if name.lower() == "orthogonal":
            gram = values.T @ values
            print(name, "%.3f %.3f" % (gram[0, 0], abs(gram - np.diag(np.diag(gram))).max()))
            continue
        print(
            name, "%.3f %.3f" % (values.mean(), values.std()), ["%.3f" % v for v in values[0, 1:3]]
        )
    for name in ("zeros", "ones", "he_normal", "lecun_uniform", "orthogonal", "identity"):
        found = initializers.get(name)
        print(name, sess.run(found([3, 3])).shape)
