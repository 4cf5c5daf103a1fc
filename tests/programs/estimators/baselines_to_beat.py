"""What one gets without looking, and what a straight line adds to it."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(4)
x = rng.uniform(-1, 1, (40, 2)).astype(np.float32)
points = np.stack([x[:, 0] + x[:, 1], x[:, 0] - 0.5], axis=1).astype(np.float32)
head = tf.contrib.estimator.regression_head(label_dimension=2)


def input_fn():
    return tf.data.Dataset.from_tensors(({"both": x}, points)).repeat()


class Gated(tf.train.GradientDescentOptimizer):
    """Descent that reads all variables before it writes any."""

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        with tf.control_dependencies([g for g, _ in pairs]):
            pairs = [(tf.identity(g), v) for g, v in pairs]
        return super().apply_gradients(pairs, global_step, name)


def shown(values):
    return ["%.2f" % value for value in np.ravel(values)]


config = tf.estimator.RunConfig(tf_random_seed=5, save_summary_steps=None)
regressor = tf.estimator.BaselineRegressor(
    "regressor",
    label_dimension=2,
    optimizer=lambda: tf.train.GradientDescentOptimizer(0.2),
    config=config,
    loss_reduction=tf.losses.Reduction.MEAN,
)
regressor.train(input_fn, steps=30)
print(shown(regressor.get_variable_value("baseline/bias")), shown(points.mean(axis=0)))

mean = tf.estimator.BaselineEstimator(head, "mean", optimizer="SGD", config=config)
mean.train(input_fn, max_steps=10)
print(shown(mean.get_variable_value("baseline/bias")))

both = tf.feature_column.numeric_column("both", shape=[2])
line = tf.estimator.LinearEstimator(head, [both], "line", lambda: Gated(0.2), config)
for steps in (2, 20):
    line.train(input_fn, steps=steps)
    print(shown(line.get_variable_value("linear/linear_model/both/weights")))
found = line.evaluate(input_fn, steps=1)
print("loss %.2f of %.2f, step %d" % (found["average_loss"], points.var(), found["global_step"]))
print(sorted(found), line.get_variable_names())
