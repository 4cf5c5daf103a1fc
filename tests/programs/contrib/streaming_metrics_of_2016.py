"""Streaming metrics as they were in 2016: predictions before labels, and sets compared."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import metrics

rng = np.random.RandomState(31)
truth = tf.placeholder(tf.int64, [16])
score = tf.placeholder(tf.float32, [16])
guess = tf.cast(tf.greater(score, 0.5), tf.int64)
levels = [0.3, 0.6]
real = tf.cast(truth, tf.float32)
yes, said = tf.cast(truth, tf.bool), tf.cast(guess, tf.bool)
rows, others = tf.reshape(score, [-1, 2]), tf.reshape(real + 0.1, [-1, 2])
names_to_values, names_to_updates = {}, {}
for name, (value, update) in {
    "accuracy": metrics.streaming_accuracy(guess, truth),
    "auc": metrics.streaming_auc(score, yes, num_thresholds=20),
    "precision": metrics.streaming_precision(guess, truth),
    "recall": metrics.streaming_recall(guess, truth),
    "iou": metrics.streaming_mean_iou(guess, truth, num_classes=2),
    "mean of tensor": metrics.streaming_mean_tensor(rows),
    "less": metrics.streaming_percentage_less(score, 0.4),
    "absolute": metrics.streaming_mean_absolute_error(score, real),
    "squared": metrics.streaming_mean_squared_error(score, real),
    "root": metrics.streaming_root_mean_squared_error(score, real),
    "cosine": metrics.streaming_mean_cosine_distance(rows, others, dim=1),
    "tp": metrics.streaming_true_positives(said, yes),
    "fp": metrics.streaming_false_positives(said, yes),
    "tn": metrics.streaming_true_negatives(said, yes),
    "fn": metrics.streaming_false_negatives(said, yes),
    "tp at": metrics.streaming_true_positives_at_thresholds(score, yes, levels),
    "fp at": metrics.streaming_false_positives_at_thresholds(score, yes, levels),
    "tn at": metrics.streaming_true_negatives_at_thresholds(score, yes, levels),
    "fn at": metrics.streaming_false_negatives_at_thresholds(score, yes, levels),
    "precision at": metrics.streaming_precision_at_thresholds(score, yes, levels),
    "recall at": metrics.streaming_recall_at_thresholds(score, yes, levels),
    "sensitivity": metrics.streaming_sensitivity_at_specificity(score, yes, 0.7),
    "specificity": metrics.streaming_specificity_at_sensitivity(score, yes, 0.7),
}.items():
    names_to_values[name], names_to_updates[name] = value, update
of_batch = metrics.accuracy(guess, truth)
weighted = metrics.accuracy(predictions=guess, labels=truth, weights=score)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    for batch in range(3):
        y = rng.randint(2, size=16)
        feed = {truth: y, score: 0.4 * y + 0.6 * rng.rand(16).round(2)}
        sess.run(list(names_to_updates.values()), feed)
        print(batch, np.round(np.float64(sess.run([of_batch, weighted], feed)), 3).tolist())
    found = sess.run(names_to_values)
    for name in sorted(found):
        print("%-14s" % name, np.round(np.float64(found[name]), 3).tolist())

    # what two people have bought, row by row
    mine, yours = tf.constant([[1, 2, 5], [3, 3, 4]]), tf.constant([[5, 2], [7, 4]])
    for name, both in (
        ("both", metrics.set_intersection(mine, yours)),
        ("either", metrics.set_union(mine, yours)),
        ("only me", metrics.set_difference(mine, yours)),
        ("only you", metrics.set_difference(mine, yours, aminusb=False)),
    ):
        dense = tf.sparse_tensor_to_dense(both, default_value=-1)
        print(name, sess.run(dense).tolist(), sess.run(metrics.set_size(both)).tolist())
