"""Losses that are collected: weighted ones, one of pairs, and one of one's own."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(4)
inputs = rng.randn(12, 5).astype(np.float32)
heights = np.stack([inputs[:, :3].sum(1), inputs[:, 2:].sum(1), inputs[:, 0]], 1)
important = np.where(inputs[:, 0] > 0, 2.0, 0.5).astype(np.float32)

tf.set_random_seed(6)
x = tf.placeholder(tf.float32, [None, 5], name="x")
y = tf.placeholder(tf.float32, [None, 3], name="y")
w = tf.placeholder(tf.float32, [None], name="w")
hidden = tf.layers.dense(x, 8, tf.nn.tanh, name="hidden")
predicted = tf.layers.dense(hidden, 3, name="predicted")

# what counts is the differences of the three heights, not the heights
pairs = tf.losses.mean_pairwise_squared_error(y, predicted, weights=tf.reshape(w, [-1, 1]))
# a loss that tf.losses has not: the pinball loss of the quantile 0.8, weighted and collected
with tf.name_scope("pinball"):
    error = y - predicted
    pinball = tf.losses.compute_weighted_loss(
        tf.maximum(0.8 * error, -0.2 * error),
        weights=tf.expand_dims(w, 1),
        scope="pinball_loss",
        reduction=tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS,
    )
# and one that is a number already
sparsity = 0.01 * tf.reduce_mean(tf.abs(hidden))
tf.losses.add_loss(sparsity)
tf.losses.add_loss(0.001 * tf.nn.l2_loss(predicted), loss_collection="only_to_watch")
total = tf.losses.get_total_loss(add_regularization_losses=False)

optimizer = tf.train.RMSPropOptimizer(0.01)
gradients = optimizer.compute_gradients(total)
clipped, _ = tf.clip_by_global_norm([g for g, _ in gradients], 10.0)
train = optimizer.apply_gradients(zip(clipped, [v for _, v in gradients]))

reductions = tf.losses.Reduction
by_reduction = [
    (name, tf.losses.absolute_difference(y, predicted, w[:, tf.newaxis], None, None, name))
    for name in (reductions.NONE, reductions.SUM, reductions.MEAN, reductions.SUM_OVER_BATCH_SIZE)
]

print([loss.op.name for loss in tf.losses.get_losses()])
print([loss.op.name for loss in tf.losses.get_losses(scope="pinball")])
print(tf.get_collection("only_to_watch"), reductions.all())
feed = {x: inputs, y: heights, w: important}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(31):
        if step % 10 == 0:
            values = sess.run([pairs, pinball, sparsity, total], feed)
            print(step, [np.round(float(v), 3) for v in values])
        sess.run(train, feed)
    for name, loss in by_reduction:
        value = sess.run(loss, feed)
        print(name, value.shape, np.round(np.sum(value, dtype=np.float64), 2))
    zeros = dict(feed)
    zeros[w] = np.zeros(12)
    print("nobody counts:", sess.run([pairs, pinball], zeros))
    try:
        tf.losses.compute_weighted_loss(error, weights=tf.ones([2, 3, 4]))
    except ValueError as e:
        print("ValueError:", str(e)[:36])
