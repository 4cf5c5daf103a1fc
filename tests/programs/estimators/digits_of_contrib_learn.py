"""Networks on arrays as in books of 2017: SKCompat, inferred columns, models of one's own."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers, learn

rng = np.random.RandomState(16)
digits = rng.randint(0, 3, 60)
images = (np.eye(3)[digits].repeat(4, 1) + 0.3 * rng.randn(60, 12)).astype(np.float32)
train, test = slice(0, 45), slice(45, 60)

columns = learn.infer_real_valued_columns_from_input(images)
network = learn.DNNClassifier(
    feature_columns=columns,
    hidden_units=[8, 6],
    n_classes=3,
    optimizer=tf.train.AdagradOptimizer(0.3),
    config=learn.RunConfig(tf_random_seed=42, model_dir="network"),
)
compatible = learn.SKCompat(network)
compatible.fit(images[train], digits[train], batch_size=45, steps=60)
predicted = compatible.predict(images[test])["probabilities"].argmax(1)
score = compatible.score(images[test], digits[test])
[inferred] = layers.infer_real_valued_columns(tf.constant(images))
print([inferred.shape, columns[0].shape])
print((predicted == digits[test]).mean() > 0.8, sorted(score), score["global_step"])
print(isinstance(network, learn.BaseEstimator))
first = next(network.predict_classes(images[test]))
print(first == predicted[0], next(network.predict_proba(images[test])).shape)


def inputs():
    return tf.constant(images[train]), tf.constant(digits[train])


start = layers.xavier_initializer(seed=26)


def model_fn(features, labels, mode, params):
    with tf.contrib.framework.arg_scope([layers.fully_connected], weights_initializer=start):
        hidden = layers.fully_connected(features, params["hidden"], scope="hidden")
        logits = layers.fully_connected(hidden, 3, None, scope="logits")
    predictions = {"classes": tf.argmax(logits, 1), "probabilities": tf.nn.softmax(logits)}
    if mode == learn.ModeKeys.INFER:
        return learn.ModelFnOps(mode, predictions)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    train_op = layers.optimize_loss(
        loss, tf.train.get_global_step(), params["rate"], "SGD", clip_gradients=5.0
    )
    metrics = {"accuracy": tf.metrics.accuracy(labels, predictions["classes"])}
    return learn.ModelFnOps(mode, predictions, loss, train_op, eval_metric_ops=metrics)


class Steps(tf.train.SessionRunHook):
    def end(self, session):
        print("ended at", session.run(tf.train.get_global_step()))


own = learn.Estimator(model_fn, model_dir="own", params={"hidden": 5, "rate": 0.5})
own.fit(input_fn=inputs, steps=25, monitors=[Steps()])
own.fit(input_fn=inputs, max_steps=30)


def confident(predictions, labels):
    return tf.metrics.mean(tf.to_float(tf.reduce_max(predictions, 1) > 0.5))


found = own.evaluate(
    input_fn=inputs,
    steps=1,
    metrics={
        "confident": learn.MetricSpec(confident, learn.PredictionKey.PROBABILITIES),
        "right": learn.MetricSpec(
            lambda predictions, labels: tf.metrics.accuracy(labels, predictions),
            prediction_key=learn.PredictionKey.CLASSES,
        ),
    },
)
print({name: "%.2f" % found[name] for name in sorted(found)})
print([int(each["classes"]) for each in own.predict(images[test])], digits[test].tolist())


regressor = learn.DNNRegressor(
    hidden_units=[4],
    feature_columns=learn.infer_real_valued_columns_from_input_fn(inputs),
    activation_fn=tf.nn.tanh,
    config=learn.RunConfig(tf_random_seed=3, model_dir="regressor"),
)
regressor.fit(images[train], digits[train].astype(np.float32), steps=40)
guessed = np.array(list(regressor.predict(images[test])))
print(guessed.shape, np.abs(guessed - digits[test]).mean() < 0.7)
