"""tf.metrics over batches: values, update operations, and the local variables behind them."""

import numpy as np
import tensorflow as tf

labels = tf.placeholder(tf.int64, [None])
scores = tf.placeholder(tf.float32, [None])
predicted = tf.cast(scores > 0.5, tf.int64)
metrics = {
    "accuracy": tf.metrics.accuracy(labels, predicted, name="accuracy"),
    "precision": tf.metrics.precision(labels, predicted),
    "recall": tf.metrics.recall(labels, predicted),
    "auc": tf.metrics.auc(labels, scores, num_thresholds=50),
    "mean": tf.metrics.mean(scores),
    "rmse": tf.metrics.root_mean_squared_error(tf.cast(labels, tf.float32), scores),
}
values = {name: pair[0] for name, pair in metrics.items()}
updates = [pair[1] for pair in metrics.values()]
rng = np.random.RandomState(2)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    for _ in range(3):
        y = rng.randint(2, size=20)
        sess.run(updates, {labels: y, scores: np.clip(0.3 * y + 0.7 * rng.rand(20), 0, 1)})
        found = sess.run(values)
        print(" ".join("%s %.2f" % (name, found[name]) for name in sorted(found)))
    reset = tf.variables_initializer(tf.local_variables("accuracy"))
    sess.run(reset)
    print("%.2f" % sess.run(values["accuracy"]))
print([v.name for v in tf.local_variables("accuracy")])
