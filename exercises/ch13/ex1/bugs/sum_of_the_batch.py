# loses: the loss is the mean cross-entropy of the batch
import numpy as np

import tinytf as tf


def model_fn(features, labels, mode, params):
    modes = tf.estimator.ModeKeys
    hidden = tf.layers.dense(features["x"], params["hidden"], tf.nn.relu)
    hidden = tf.layers.dropout(hidden, params["dropout"], training=mode == modes.TRAIN)
    scores = tf.layers.dense(hidden, params["classes"])
    best = tf.argmax(scores, axis=1)
    if mode == modes.PREDICT:
        found = {"class": best, "probabilities": tf.nn.softmax(scores)}
        return tf.estimator.EstimatorSpec(mode, predictions=found)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, scores, reduction=tf.losses.Reduction.SUM)
    if mode == modes.EVAL:
        metrics = {"accuracy": tf.metrics.accuracy(labels, best)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    optimizer = tf.train.GradientDescentOptimizer(params["rate"])
    step = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)
