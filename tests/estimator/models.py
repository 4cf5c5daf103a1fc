"""A line through points, as a model for estimators: of tinytf, and of a real TensorFlow."""

import numpy as np

X = {"x": np.arange(10, dtype=np.float32).reshape(10, 1) / 10}
Y = (3 * X["x"][:, 0] + 1).astype(np.float32)


def line(tf, start=0.5, export_outputs=None):
    """A model_fn."""

    def model_fn(features, labels, mode):
        initializer = tf.constant_initializer(start)
        y = tf.squeeze(tf.layers.dense(features["x"], 1, kernel_initializer=initializer), 1)
        if mode == tf.estimator.ModeKeys.PREDICT:
            outputs = export_outputs and export_outputs(y)
            predictions = {"y": y, "x": features["x"]}
            return tf.estimator.EstimatorSpec(mode, predictions, export_outputs=outputs)
        loss = tf.losses.mean_squared_error(labels, y)
        tf.summary.scalar("twice", 2 * loss)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
        metrics = {"mae": tf.metrics.mean_absolute_error(labels, y)}
        return tf.estimator.EstimatorSpec(mode, y, loss, train_op, metrics)

    return model_fn


def points(tf, batch_size=4, num_epochs=1, labels=True, shuffle=False):
    """An input_fn."""
    y = Y if labels else None
    return tf.estimator.inputs.numpy_input_fn(X, y, batch_size, num_epochs, shuffle)


def summaries(tf, folder):
    """[(step, tag, value)] of the event files of a folder."""
    return [
        (event.step, value.tag, value.simple_value)
        for path in sorted(tf.gfile.Glob(f"{folder}/events*"))
        for event in tf.train.summary_iterator(path)
        for value in event.summary.value
    ]
