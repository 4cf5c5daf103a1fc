"""Every loss and metric of Keras on the same predictions: as a function, by name, as an object."""

import numpy as np
import tensorflow as tf

losses = tf.keras.losses
metrics = tf.keras.metrics
rng = np.random.RandomState(1)
logits = rng.normal(0, 2, (6, 4)).astype(np.float32)
probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
classes = rng.randint(0, 4, 6)
one_hot = tf.keras.utils.to_categorical(classes, num_classes=4)
heights = rng.normal(1, 1, (6, 2)).astype(np.float32)
guesses = (heights + rng.normal(0, 0.8, (6, 2))).astype(np.float32)
signs = np.where(heights > 1, 1.0, -1.0).astype(np.float32)


class LogCosh(losses.Loss):
    """Nearly squares of small differences, nearly sizes of large ones."""

    def call(self, y_true, y_pred):
        far = y_pred - y_true
        return tf.reduce_mean(tf.log((tf.exp(far) + tf.exp(-far)) / 2.0), axis=-1)


def mean(values):
    return tf.reduce_mean(values)


t, p = tf.constant(heights), tf.constant(guesses)
y, q, z = tf.constant(one_hot), tf.constant(probabilities), tf.constant(logits)
k = tf.constant(classes.reshape(-1, 1))
yes, s = tf.constant((heights > 1).astype(np.float32)), tf.constant(signs)
sure = tf.sigmoid(p - 1.0)
shown = [
    ("mean squared", losses.mean_squared_error(t, p), losses.MeanSquaredError()(t, p)),
    ("mean absolute", losses.mean_absolute_error(t, p), losses.MeanAbsoluteError()(t, p)),
    ("in per cent", losses.MAPE(t, p), losses.MeanAbsolutePercentageError()(t, p)),
    ("hinge", losses.hinge(s, p - 1.0), losses.Hinge()(s, p - 1.0)),
    ("huber", losses.Huber(delta=0.5)(t, p), losses.Huber()(t, p)),
    ("rows", losses.categorical_crossentropy(y, q), losses.CategoricalCrossentropy()(y, q)),
    (
        "numbers",
        losses.sparse_categorical_crossentropy(k, q),
        losses.SparseCategoricalCrossentropy(from_logits=True)(k, z),
    ),
    (
        "yes and no",
        losses.binary_crossentropy(yes, sure),
        losses.BinaryCrossentropy(from_logits=True)(yes, p - 1.0),
    ),
    (
        "smoothed",
        losses.CategoricalCrossentropy(label_smoothing=0.1)(y, q),
        losses.BinaryCrossentropy(label_smoothing=0.2)(yes, sure),
    ),
    (
        "one's own",
        LogCosh()(t, p),
        LogCosh(name="log_cosh")(t, p, sample_weight=tf.constant([2.0])),
    ),
]
with tf.Session() as sess:
    for name, one, other in shown:
        print("%-14s %8.3f %8.3f" % (name, *sess.run([mean(one), other])))
    for name in ("mse", "mae", "mape", "hinge"):
        one, other = sess.run([losses.get(name)(t, p), metrics.get(name)(t, p)])
        print(name, one.shape, np.array_equal(one, other))
    print(
        "weighted %.3f"
        % sess.run(losses.MeanSquaredError()(t, p, tf.constant([1.0] * 3 + [0.0] * 3)))
    )
    rates = {
        "binary": metrics.binary_accuracy(yes, sure),
        "strict": metrics.binary_accuracy(yes, sure, threshold=0.8),
        "categorical": metrics.categorical_accuracy(y, q),
        "sparse": metrics.sparse_categorical_accuracy(k, q),
        "top 2": metrics.top_k_categorical_accuracy(y, q, k=2),
    }
    for name, rate in sorted(rates.items()):
        print(name, "%.3f" % sess.run(mean(rate)))
print(losses.get("mse").__name__, metrics.mse is not None, losses.get(None))
