"""K-means with segment sums: centres move until the assignment stays."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(5)
points = np.concatenate([rng.randn(20, 2) + c for c in ([0, 0], [6, 1], [2, 7])]).astype(np.float32)
k = 3
X = tf.constant(points)
centroids = tf.Variable(points[[0, 1, 40]])
assignments = tf.Variable(tf.zeros([60], dtype=tf.int64))

expanded = tf.expand_dims(X, 1) - tf.expand_dims(centroids, 0)
best = tf.argmin(tf.reduce_sum(tf.square(expanded), 2), 1)
did_change = tf.reduce_any(tf.not_equal(best, assignments))
total = tf.unsorted_segment_sum(X, best, k)
count = tf.unsorted_segment_sum(tf.ones_like(X), best, k)
with tf.control_dependencies([did_change]):
    update = tf.group(centroids.assign(total / count), assignments.assign(best))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    changed, rounds = True, 0
    while changed and rounds < 50:
        changed, _ = sess.run([did_change, update])
        rounds += 1
    print(rounds, "rounds")
    print(np.round(sess.run(centroids), 2))
    print(np.bincount(sess.run(assignments)))
