"""An input_fn that returns a dataset, a warm continuation, and hooks of training."""

import numpy as np
import tensorflow as tf

x = np.linspace(-1, 1, 40).astype(np.float32)[:, None]


def input_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": x}, 3 * x + 1)).repeat().batch(10)


def evaluate_fn():
    return tf.data.Dataset.from_tensor_slices(({"x": x}, 3 * x + 1)).batch(40)


def model_fn(features, labels, mode):
    w = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    y = tf.matmul(features["x"], w) + b
    loss = train_op = None
    if mode != tf.estimator.ModeKeys.PREDICT:
        loss = tf.losses.mean_squared_error(labels, y)
        train_op = tf.train.GradientDescentOptimizer(0.2).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, {"y": y}, loss, train_op)


class Count(tf.train.SessionRunHook):
    calls = 0

    def after_run(self, run_context, run_values):
        Count.calls += 1


estimator = tf.estimator.Estimator(model_fn, "line")
estimator.train(input_fn, steps=20, hooks=[Count()])
estimator.train(input_fn, max_steps=50)
estimator.train(input_fn, max_steps=50)
found = estimator.evaluate(evaluate_fn)
print(Count.calls, found["global_step"], "%.3f" % found["loss"])
print(np.round([estimator.get_variable_value(name).ravel()[0] for name in ("w", "b")], 1))
predictions = estimator.predict(
    lambda: tf.data.Dataset.from_tensors({"x": np.float32([[0.0], [2.0]])})
)
print([round(float(p["y"][0]), 1) for p in predictions])
