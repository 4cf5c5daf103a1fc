"""Training of models as programs for TensorFlow 1.x build them, for both libraries."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.programs import best, seconds

ROWS, WIDTH, BATCH = 50_000, 64, 256
STEPS = 200
IRIS = Path(__file__).resolve().parents[1] / "notebooks" / "iris"


def embedding(tf: Any, optimizer: Callable[[Any], Any], folder: str) -> float:
    """A step that looks up a batch of rows of a large table, and changes these rows alone."""
    tf.set_random_seed(42)
    table = tf.get_variable("table", [ROWS, WIDTH])
    ids = tf.placeholder(tf.int32, [None])
    loss = tf.reduce_mean(tf.square(tf.nn.embedding_lookup(table, ids)))
    step = optimizer(tf).minimize(loss)
    feed = {ids: np.random.default_rng(0).integers(0, ROWS, BATCH).astype(np.int32)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(20):  # until it is known what costs how much
            session.run(step, feed)
        return best(lambda: session.run(step, feed), 50)


def separable_convolution(tf: Any, folder: str) -> float:
    """A step of gradient descent on 16 made-up images: two separable convolutions of 3 by 3."""
    tf.set_random_seed(42)
    images = tf.placeholder(tf.float32, [None, 32, 32, 16])
    layer = tf.layers.separable_conv2d(images, 32, 3, padding="same", activation=tf.nn.relu)
    layer = tf.layers.separable_conv2d(layer, 32, 3, strides=2, padding="same")
    step = tf.train.GradientDescentOptimizer(0.01).minimize(tf.reduce_mean(tf.square(layer)))
    feed = {images: np.random.default_rng(0).random([16, 32, 32, 16], np.float32)}
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(50):  # until it is known whether threads gain
            session.run(step, feed)
        return best(lambda: session.run(step, feed), 20)


def flowers(file: str) -> tuple[dict[str, Any], Any]:
    """Four columns of a file of chapter 13's, by name, and the species."""
    *columns, species = np.loadtxt(IRIS / file, np.float32, delimiter=",", skiprows=1).T
    names = "sepal_length", "sepal_width", "petal_length", "petal_width"
    return dict(zip(names, columns, strict=True)), species.astype(np.int32)


def iris_estimator(tf: Any, folder: str) -> float:
    """A `DNNClassifier` from nothing: `STEPS` steps with its checkpoints, and one evaluation."""
    train_set, test_set = map(flowers, ("iris_training.csv", "iris_test.csv"))
    columns = [tf.feature_column.numeric_column(name) for name in train_set[0]]
    made = tf.estimator.inputs.numpy_input_fn

    def train() -> None:
        with tempfile.TemporaryDirectory(dir=folder) as own:
            model = tf.estimator.DNNClassifier([10, 20, 10], columns, own, n_classes=3)
            model.train(made(*train_set, 32, None, shuffle=True), steps=STEPS)
            model.evaluate(made(*test_set, shuffle=False))

    train()
    return min(seconds(train) for _ in range(3))


OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "gradient descent": lambda tf: tf.train.GradientDescentOptimizer(0.1),
    "Adagrad": lambda tf: tf.train.AdagradOptimizer(0.1),
    "Adam": lambda tf: tf.train.AdamOptimizer(),
}
PROGRAMS: dict[str, Callable[[Any, str], float]] = {
    "training of iris by an estimator": iris_estimator,
    "separable convolutions": separable_convolution,
}
PROGRAMS |= {
    f"embedding with sparse gradients, {name}": lambda tf, folder, own=own: embedding(  # type: ignore[misc]
        tf, own, folder
    )
    for name, own in OPTIMIZERS.items()
}
