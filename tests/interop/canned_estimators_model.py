"""Estimators that both libraries train in turn, in one folder each; `tf` is either one."""

import os

import numpy as np

NAMES = ("deep", "linear", "both", "baseline")
X = np.array([[0.5, 2.0], [-1.0, 3.5], [7.0, 0.0], [1.0, -1.0]], np.float32)
WORDS = np.array([["a"], ["b"], ["b"], ["?"]])
CLASSES, NUMBERS = np.array([0, 2, 1, 2]), np.array([0.5, -1.0, 3.0, 2.0], np.float32)


def estimator(tf, folder, name):
    """One of four, with its labels."""
    fc = tf.feature_column
    x, word = fc.numeric_column("x", 2), fc.categorical_column_with_hash_bucket("word", 7)
    config = tf.estimator.RunConfig(tf_random_seed=1, log_step_count_steps=None)
    how = {"model_dir": os.path.join(folder, name), "config": config}
    if name == "deep":
        columns = [x, fc.embedding_column(word, 2)]
        how |= {"n_classes": 3, "batch_norm": True}
        return tf.estimator.DNNClassifier([3, 2], columns, **how), CLASSES
    if name == "linear":
        return tf.estimator.LinearClassifier([x, word], n_classes=3, **how), CLASSES
    if name == "both":
        how |= {"dnn_feature_columns": [x], "dnn_hidden_units": [2], "dnn_optimizer": "Adam"}
        return tf.estimator.DNNLinearCombinedRegressor(
            linear_feature_columns=[word], **how
        ), NUMBERS
    return tf.estimator.BaselineRegressor(**how), NUMBERS


def train(tf, folder, steps):
    """Go on with the training of all that are in the folder, in the same order of examples."""
    for name in NAMES:
        model, labels = estimator(tf, folder, name)
        model.train(inputs(tf, labels), steps=steps)


def inputs(tf, labels):
    features = {"x": X, "word": WORDS}
    return lambda: tf.data.Dataset.from_tensor_slices((features, labels)).batch(4).repeat()


def results(tf, folder):
    """What each of them says of itself, and predicts: numbers by name."""
    found = {}
    for name in NAMES:
        model, labels = estimator(tf, folder, name)
        scores = model.evaluate(inputs(tf, labels), steps=1)
        predicted = next(model.predict(inputs(tf, labels)))
        both = {key: value for key, value in predicted.items() if value.dtype.kind in "fi"} | scores
        found[name] = {key: np.asarray(value, float).tolist() for key, value in both.items()}
        found[name]["variables"] = sorted(model.get_variable_names())
    return found
