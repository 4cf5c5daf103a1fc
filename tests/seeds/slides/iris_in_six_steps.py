"""Flowers by their measures: columns, a network of two layers, train, evaluate, predict."""

import numpy as np
import tensorflow as tf

MEASURES = ["SepalLength", "SepalWidth", "PetalLength", "PetalWidth"]
KINDS = ["Setosa", "Versicolor", "Virginica"]


def load_data():
    """120 flowers and 30 more, drawn around the means of the real ones."""
    rng = np.random.RandomState(1)
    means = np.array([[5.0, 3.4, 1.5, 0.25], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.5, 2.0]])
    kinds = rng.randint(3, size=150)
    rows = (means[kinds] + 0.3 * rng.randn(150, 4)).astype(np.float32)
    columns = dict(zip(MEASURES, rows.T))
    part = lambda where: ({name: column[where] for name, column in columns.items()}, kinds[where])
    return part(slice(0, 120)), part(slice(120, 150))


def train_input_fn(features, labels, batch_size):
    dataset = tf.data.Dataset.from_tensor_slices((dict(features), labels))
    return dataset.shuffle(1000, seed=3).repeat().batch(batch_size)


def eval_input_fn(features, labels, batch_size):
    inputs = dict(features) if labels is None else (dict(features), labels)
    return tf.data.Dataset.from_tensor_slices(inputs).batch(batch_size)


(train_x, train_y), (test_x, test_y) = load_data()
columns = [tf.feature_column.numeric_column(key=key) for key in train_x]
classifier = tf.estimator.DNNClassifier(
    feature_columns=columns,
    hidden_units=[10, 10],
    n_classes=3,
    config=tf.estimator.RunConfig(tf_random_seed=4, model_dir="flowers", save_summary_steps=None),
)
classifier.train(input_fn=lambda: train_input_fn(train_x, train_y, 40), steps=400)
found = classifier.evaluate(input_fn=lambda: eval_input_fn(test_x, test_y, 30))
print("accuracy %.2f" % found["accuracy"], found["global_step"])
flowers = np.array([[5.1, 3.3, 1.7, 0.5], [5.9, 3.0, 4.2, 1.5], [6.9, 3.1, 5.4, 2.1]])
predict_x = dict(zip(MEASURES, flowers.T))
for prediction in classifier.predict(input_fn=lambda: eval_input_fn(predict_x, None, 3)):
    kind = prediction["class_ids"][0]
    print(KINDS[kind], prediction["probabilities"][kind] > 0.5, sorted(prediction))
