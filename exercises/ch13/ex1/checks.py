"""Checks of ch13.ex1."""

from contextlib import contextmanager

import numpy as np

import tinytf as tf
from tinytf.grading import Wrong, point

MODES = tf.estimator.ModeKeys
SETTINGS = {"hidden": 6, "classes": 3, "rate": 0.5, "dropout": 0.0}
X = np.linspace(-2, 2, 40, dtype=np.float32).reshape(10, 4)
LABELS = np.arange(10, dtype=np.int32) % 3


def same(what, wanted, got, hint=""):
    if wanted != got:
        raise Wrong(what, wanted, got, hint=hint)


@contextmanager
def called(answer, mode, settings=SETTINGS, rows=10):
    """What the answer gives in a graph of its own, its values ready in a session."""
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(13)
        tf.train.create_global_step()
        features = {"x": tf.placeholder_with_default(X[:rows], [None, 4])}
        labels = tf.placeholder_with_default(LABELS[:rows], [None])
        given = None if mode == MODES.PREDICT else labels
        spec = answer(features, given, mode, dict(settings))
        if not isinstance(spec, tf.estimator.EstimatorSpec):
            raise Wrong("model_fn returns", "a tf.estimator.EstimatorSpec", type(spec).__name__)
        same(f"the mode of the EstimatorSpec, called with {mode!r}", mode, spec.mode)
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        yield spec, sess, (features["x"], labels)


def predictions(answer, settings=SETTINGS):
    """Classes and probabilities of the ten rows."""
    with called(answer, MODES.PREDICT, settings) as (spec, sess, _):
        found = spec.predictions
        names = sorted(found) if isinstance(found, dict) else found
        if names != ["class", "probabilities"]:
            raise Wrong("the names of the predictions", ["class", "probabilities"], names)
        return sess.run(found)


@point("it predicts classes and probabilities, without labels", 2)
def it_predicts(answer):
    found = predictions(answer)
    same("the shape of `class` for 10 rows", (10,), found["class"].shape)
    shape = found["probabilities"].shape
    same("the shape of `probabilities` for 10 rows and 3 classes", (10, 3), shape)
    sums = found["probabilities"].sum(axis=1).round(4).tolist()
    same("the sums of the rows' probabilities", [1.0] * 10, sums, "softmax makes them so")
    best = found["probabilities"].argmax(axis=1).tolist()
    same("the most likely classes", best, found["class"].tolist())


@point("the network is the one that `params` describes", 2)
def the_network(answer):
    with called(answer, MODES.TRAIN):
        shapes = [one.shape.as_list() for one in tf.trainable_variables()]
        same("the variables' shapes", [[4, 6], [6], [6, 3], [3]], shapes)
        count = len([one for one in tf.get_default_graph().get_operations() if one.type == "Relu"])
        same("how often relu is there", 1, count, "the last layer gives scores: no activation")


@point("the loss is the mean cross-entropy of the batch", 2)
def the_loss(answer):
    with called(answer, MODES.EVAL) as (spec, sess, _):
        if spec.loss is None:
            raise Wrong("to evaluate, the EstimatorSpec has", "a loss", "none")
        got = float(sess.run(spec.loss))
        values = sess.run(tf.trainable_variables())
    first, bias, second, last = values
    scores = np.maximum(X @ first + bias, 0) @ second + last
    logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    wanted = float(-logs[np.arange(10), LABELS].mean())
    if abs(got - wanted) > 1e-3:
        raise Wrong("the loss of ten rows", round(wanted, 3), round(got, 3))


@point("a step of training counts, and makes the loss smaller", 3)
def a_step_of_training(answer):
    with called(answer, MODES.TRAIN) as (spec, sess, _):
        if spec.train_op is None:
            raise Wrong("to train, the EstimatorSpec has", "a train_op", "none")
        before = sess.run(spec.loss)
        for _ in range(5):
            sess.run(spec.train_op)
        step = int(sess.run(tf.train.get_global_step()))
        same("the global step after five steps", 5, step, "an estimator counts by it")
        if not sess.run(spec.loss) < before:
            raise Wrong("the loss after five steps", "less than before", "not less")


@point("the accuracy is that of all batches", 3)
def the_accuracy(answer):
    with called(answer, MODES.EVAL) as (spec, sess, (x, labels)):
        metric = (spec.eval_metric_ops or {}).get("accuracy")
        if metric is None:
            raise Wrong("the metrics", ["accuracy"], sorted(spec.eval_metric_ops or {}))
        value, update = metric
        wanted = predicted_classes(sess)
        for rows in (slice(0, 7), slice(7, 10)):
            sess.run(update, {x: X[rows], labels: LABELS[rows]})
        right = float(np.mean(wanted == LABELS))
        got = float(sess.run(value, {x: X[rows], labels: LABELS[rows]}))
    if abs(right - got) > 1e-5:
        raise Wrong("the accuracy over a batch of 7 and one of 3", round(right, 3), round(got, 3))


def predicted_classes(sess):
    """What the network of a graph says of the ten rows."""
    first, bias, second, last = sess.run(tf.trainable_variables())
    return (np.maximum(X @ first + bias, 0) @ second + last).argmax(axis=1)
