"""Are lists of recommendations good? Precision and recall among the first k, mean errors."""

import numpy as np
import tensorflow as tf

# of eight films, the two or three that each of six people saw; -1 fills up
seen = np.array([[0, 3, -1], [1, 2, 7], [5, 6, -1], [4, 0, 2], [7, 3, -1], [2, 6, 1]], np.int64)
rng = np.random.RandomState(21)
opinions = rng.rand(6, 8).astype(np.float32)
for person, films in enumerate(seen):
    opinions[person, films[films >= 0]] += 0.4

labels = tf.placeholder(tf.int64, [None, 3], name="labels")
logits = tf.placeholder(tf.float32, [None, 8], name="logits")
_, ranked = tf.nn.top_k(logits, k=3)
ranked = tf.cast(ranked, tf.int64)
ratings, guesses = logits[:, :4] + 0.5, logits[:, 4:] + 0.5

metrics = [
    ("precision at 3", tf.metrics.precision_at_k(labels, logits, k=3)),
    ("precision at 3 of film 2", tf.metrics.precision_at_k(labels, logits, k=3, class_id=2)),
    ("recall at 3", tf.metrics.recall_at_k(labels, logits, k=3)),
    ("precision of top", tf.metrics.precision_at_top_k(labels, ranked, k=3)),
    ("recall of top", tf.metrics.recall_at_top_k(labels, ranked, k=3)),
    ("average precision", tf.metrics.average_precision_at_k(labels, logits, 4)),
    ("sparse precision", tf.metrics.sparse_precision_at_k(labels, logits, 2)),
    ("sparse average", tf.metrics.sparse_average_precision_at_k(labels, logits, 2)),
    ("squared error", tf.metrics.mean_squared_error(ratings, guesses)),
    ("relative error", tf.metrics.mean_relative_error(ratings, guesses, normalizer=ratings)),
    (
        "cosine distance",
        tf.metrics.mean_cosine_distance(
            tf.nn.l2_normalize(ratings, 1), tf.nn.l2_normalize(guesses, 1), dim=1
        ),
    ),
]
values = [value for _, (value, _) in metrics]
updates = [update for _, (_, update) in metrics]
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    print("nothing yet:", np.round(np.float64(sess.run(values)), 3).tolist())
    for start in (0, 2, 4):
        feed = {labels: seen[start : start + 2], logits: opinions[start : start + 2]}
        after = sess.run(updates, feed)
    found = sess.run(values)
    for (name, _), a, b in zip(metrics, after, found):
        print("%-26s" % name, np.round(np.float64(b), 3).tolist(), np.allclose(a, b))
    # the best list, and the worst
    for best in (2.0, -2.0):
        sess.run(tf.local_variables_initializer())
        scores = np.zeros((6, 8), np.float32)
        for person, films in enumerate(seen):
            scores[person, films[films >= 0]] = best
        sess.run(updates[:4], {labels: seen, logits: scores + 0.01 * np.arange(8)})
        print(best, np.round(np.float64(sess.run(values[:4])), 3).tolist())
print(sorted(v.op.name for v in tf.get_collection(tf.GraphKeys.METRIC_VARIABLES))[:6])
