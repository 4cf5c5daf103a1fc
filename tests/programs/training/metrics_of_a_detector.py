"""A detector of rare faults: counts at thresholds, sensitivity at a given specificity."""

import numpy as np
import tensorflow as tf

thresholds = [0.2, 0.5, 0.8]


def make_metrics(labels, scores, weights):
    alarm = scores > 0.5
    found = tf.cast(labels, tf.bool)
    return {
        "true_positives": tf.metrics.true_positives(found, alarm),
        "false_positives": tf.metrics.false_positives(found, alarm, weights=weights),
        "true_negatives": tf.metrics.true_negatives(found, alarm),
        "false_negatives": tf.metrics.false_negatives(found, alarm),
        "tp_at": tf.metrics.true_positives_at_thresholds(found, scores, thresholds),
        "fp_at": tf.metrics.false_positives_at_thresholds(found, scores, thresholds, weights),
        "tn_at": tf.metrics.true_negatives_at_thresholds(found, scores, thresholds),
        "fn_at": tf.metrics.false_negatives_at_thresholds(found, scores, thresholds),
        "precision_at": tf.metrics.precision_at_thresholds(found, scores, thresholds),
        "recall_at": tf.metrics.recall_at_thresholds(found, scores, thresholds, weights),
        "sensitivity": tf.metrics.sensitivity_at_specificity(found, scores, 0.8, num_thresholds=20),
        "specificity": tf.metrics.specificity_at_sensitivity(found, scores, 0.9, num_thresholds=20),
        "low": tf.metrics.percentage_below(scores, 0.25, weights=weights, name="low"),
        "by_place": tf.metrics.mean_tensor(tf.reshape(scores, [5, 4]), name="by_place"),
    }


labels = tf.placeholder(tf.int32, [20])
scores = tf.placeholder(tf.float32, [20])
weights = tf.placeholder_with_default(tf.ones([20]), [20])
with tf.variable_scope("metrics"):
    metrics = make_metrics(labels, scores, weights)
names = sorted(metrics)
values = {name: metrics[name][0] for name in names}
updates = tf.group(*[metrics[name][1] for name in names])
reset = tf.variables_initializer(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES, scope="metrics"))


def show(found):
    for name in names:
        print("%-16s" % name, np.round(np.float64(found[name]), 3).tolist())


rng = np.random.RandomState(12)
with tf.Session() as sess:
    for round_ in range(2):
        sess.run(reset)
        for batch in range(3):
            y = (rng.rand(20) < 0.3).astype(np.int32)
            p = np.clip(0.45 * y + 0.6 * rng.rand(20), 0, 1).round(2)
            feed = {labels: y, scores: p}
            if round_ == 1:
                feed[weights] = np.where(np.arange(20) % 2, 1.0, 0.5)
            sess.run(updates, feed)
        print("round", round_)
        show(sess.run(values))
print(len(tf.local_variables()), "local variables")
print([v.name for v in tf.local_variables() if "low" in v.name])
