"""Six steps: data, feature columns, a DNNClassifier, train, evaluate, predict."""

import numpy as np
import tensorflow as tf

names = ["SepalLength", "SepalWidth", "PetalLength", "PetalWidth"]
species = ["Setosa", "Versicolor", "Virginica"]
rng = np.random.RandomState(0)
centres = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
labels = rng.randint(3, size=120)
rows = (centres[labels] + 0.25 * rng.randn(120, 4)).astype(np.float32)
train_x = {name: rows[:100, i] for i, name in enumerate(names)}
test_x = {name: rows[100:, i] for i, name in enumerate(names)}


def train_input_fn(features, labels, batch_size):
    dataset = tf.data.Dataset.from_tensor_slices((dict(features), labels))
    return dataset.repeat().batch(batch_size)


def eval_input_fn(features, labels, batch_size):
    inputs = dict(features) if labels is None else (dict(features), labels)
    return tf.data.Dataset.from_tensor_slices(inputs).batch(batch_size)


my_feature_columns = [tf.feature_column.numeric_column(key=key) for key in names]
classifier = tf.estimator.DNNClassifier(
    feature_columns=my_feature_columns,
    hidden_units=[10, 10],
    n_classes=3,
    config=tf.estimator.RunConfig(tf_random_seed=1, model_dir="iris", save_summary_steps=None),
)
classifier.train(input_fn=lambda: train_input_fn(train_x, labels[:100], 25), steps=120)
eval_result = classifier.evaluate(input_fn=lambda: eval_input_fn(test_x, labels[100:], 20))
print("Test set accuracy: {accuracy:0.2f}".format(**eval_result), sorted(eval_result))
predict_x = {
    "SepalLength": [5.1, 5.9, 6.9],
    "SepalWidth": [3.3, 3.0, 3.1],
    "PetalLength": [1.7, 4.2, 5.4],
    "PetalWidth": [0.5, 1.5, 2.1],
}
predictions = classifier.predict(input_fn=lambda: eval_input_fn(predict_x, None, 3))
for pred_dict, expec in zip(predictions, species):
    class_id = pred_dict["class_ids"][0]
    print(
        'Prediction is "{}", expected "{}"'.format(species[class_id], expec), pred_dict["classes"]
    )
print(classifier.get_variable_names()[:4])
