"""Deep networks, and one beside a straight line, with heads: for names and for numbers."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(4)
x = rng.uniform(-1, 1, (40, 2)).astype(np.float32)
kinds = (x[:, 0] > 0).astype(np.int64) + (x[:, 1] > 0.3)
inside = np.where(np.abs(x).sum(axis=1) < 1, "in", "out")
heads = tf.contrib.estimator
left = tf.feature_column.numeric_column("left")
both = tf.feature_column.numeric_column("both", shape=[2])


def input_fn(labels, epochs=None):
    def batches():
        features = {"left": x[:, :1], "both": x}
        dataset = tf.data.Dataset.from_tensor_slices((features, labels.reshape(len(labels), -1)))
        return dataset.batch(40).repeat(epochs)

    return batches


config = tf.estimator.RunConfig(
    tf_random_seed=5, save_summary_steps=None, log_step_count_steps=None
)


class Gated(tf.train.GradientDescentOptimizer):
    """One that reads all variables before it writes any."""

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        pairs = [(g, v) for g, v in grads_and_vars if g is not None]
        with tf.control_dependencies([g for g, _ in pairs]):
            pairs = [(tf.identity(g), v) for g, v in pairs]
        return super().apply_gradients(pairs, global_step, name)


def descent():
    return Gated(0.2)


models = [
    (
        tf.estimator.DNNEstimator(
            heads.multi_class_head(3), [6], [both], "deep", descent, tf.nn.tanh, config=config
        ),
        kinds,
    ),
    (
        tf.estimator.DNNLinearCombinedEstimator(
            heads.binary_classification_head(thresholds=[0.4, 0.6], label_vocabulary=["out", "in"]),
            "wide",
            linear_feature_columns=[left],
            linear_optimizer=descent,
            dnn_feature_columns=[both],
            dnn_optimizer=descent,
            dnn_hidden_units=[5],
            config=config,
        ),
        inside,
    ),
]
for model, labels in models:
    model.train(input_fn(labels), steps=12)
    print(type(model).__name__)
    print([name for name in model.get_variable_names() if "global_step" not in name])

(deep, labels), (wide, names) = models
predictions = list(deep.predict(input_fn(labels, 1)))
print({key: value.shape for key, value in sorted(predictions[0].items())})
print([prediction["classes"][0].decode() for prediction in predictions[:8]])
print(["%.2f" % value for value in predictions[0]["probabilities"]])
found = wide.evaluate(input_fn(names, 1))
for key in sorted(found):
    if "threshold" in key or key.startswith("accuracy"):
        print(key, "%.3f" % found[key])
