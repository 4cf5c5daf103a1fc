"""Chapter 13's estimator as a program: alone, or as a task of a cluster.

    python irises.py --model_dir=irises
    tinytf launch --estimator --ps 1 --worker 2 irises.py --model_dir=irises

On a cluster the environment variable TF_CONFIG says which task this is.
"""

import argparse
from pathlib import Path

import numpy as np

try:
    import tinytf as tf
except ImportError:  # the same, in a real TensorFlow
    import tensorflow.compat.v1 as tf

    tf.disable_v2_behavior()

NAMES = ["SepalLength", "SepalWidth", "PetalLength", "PetalWidth"]
FOLDER = Path(__file__).resolve().parents[1] / "iris"


def load(file):
    """The features, by name, and the species of each flower."""
    table = np.loadtxt(FOLDER / file, delimiter=",", skiprows=1)
    features = dict(zip(NAMES, table[:, :4].T.astype(np.float32), strict=True))
    return features, table[:, 4].astype(np.int32)


def for_training():
    rows = tf.data.Dataset.from_tensor_slices(load("iris_training.csv"))
    return rows.shuffle(1000).repeat().batch(32)


def for_testing():
    return tf.data.Dataset.from_tensor_slices(load("iris_test.csv")).batch(30)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--steps", type=int, default=400)
    flags = parser.parse_args()
    # Without this, a worker waits five seconds for each one before it.
    config = tf.estimator.RunConfig(experimental_max_worker_delay_secs=0)
    classifier = tf.estimator.DNNClassifier(
        feature_columns=[tf.feature_column.numeric_column(n) for n in NAMES],
        hidden_units=[10, 10],
        n_classes=3,
        optimizer=tf.train.AdagradOptimizer(0.1),
        model_dir=flags.model_dir,
        config=config,
    )
    tf.estimator.train_and_evaluate(
        classifier,
        tf.estimator.TrainSpec(for_training, max_steps=flags.steps),
        tf.estimator.EvalSpec(for_testing, start_delay_secs=0, throttle_secs=1),
    )
    if config.task_type == "evaluator" or not config.cluster_spec:
        found = classifier.evaluate(for_testing)
        print(
            f"reached step {flags.steps}:", found["global_step"] >= flags.steps
        )
        print(f"accuracy {found['accuracy']:.2f}")


if __name__ == "__main__":
    main()
