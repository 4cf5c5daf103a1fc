"""Linear regressors and classifiers, and the baselines that they have to beat."""

import numpy as np
import tensorflow as tf

x = np.linspace(0, 1, 50).astype(np.float32)
y = 2 * x + 1
column = tf.feature_column.numeric_column("x")


def fn(labels, epochs=None):
    return tf.estimator.inputs.numpy_input_fn(
        {"x": x}, labels, batch_size=50, num_epochs=epochs, shuffle=False
    )


regressor = tf.estimator.LinearRegressor([column], "linear", optimizer=tf.train.FtrlOptimizer(0.5))
regressor.train(fn(y), steps=60)
found = regressor.evaluate(fn(y, 1))
print(
    "average_loss %.2f mean %.2f" % (found["average_loss"], found["prediction/mean"]), sorted(found)
)
classes = (x > 0.5).astype(np.int32)
classifier = tf.estimator.LinearClassifier(
    [column], "classifier", optimizer=tf.train.AdamOptimizer(0.3)
)
classifier.train(fn(classes), steps=60)
found = classifier.evaluate(fn(classes, 1))
print("accuracy %.2f auc %.2f" % (found["accuracy"], found["auc"]))
print(classifier.get_variable_names())
baseline = tf.estimator.BaselineClassifier("baseline")
baseline.train(fn(classes), steps=10)
print("%.2f" % baseline.evaluate(fn(classes, 1))["accuracy_baseline"])
