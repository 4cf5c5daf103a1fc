"""Losses as they were in 2016: predictions first, labels second, all in a collection."""

import numpy as np
import tensorflow as tf

losses = tf.contrib.losses

rng = np.random.RandomState(8)
images = rng.rand(10, 6).astype(np.float32)
kinds = rng.randint(3, size=10)
signs = (images[:, :1] > 0.5).astype(np.float32)
targets = images @ rng.randn(6, 4).astype(np.float32)

tf.set_random_seed(2)
net = tf.layers.dense(tf.constant(images), 8, tf.nn.relu, name="shared")
logits = tf.layers.dense(net, 3, name="kinds")
sign = tf.layers.dense(net, 1, name="sign")
vector = tf.layers.dense(net, 4, name="vector")
one_hot = tf.one_hot(kinds, 3)
unit = tf.nn.l2_normalize(vector, 1)
unit_targets = tf.nn.l2_normalize(targets, 1)

important = np.where(kinds == 1, 2.0, 0.5).astype(np.float32)  # of each image
all_losses = [
    losses.softmax_cross_entropy(logits, one_hot, label_smoothing=0.1),
    losses.softmax_cross_entropy(logits=logits, onehot_labels=one_hot, weights=important),
    losses.sparse_softmax_cross_entropy(logits, tf.constant(kinds), scope="sparse"),
    losses.sigmoid_cross_entropy(sign, signs, weights=important),
    losses.sigmoid_cross_entropy(logits=sign, multi_class_labels=signs),
    losses.log_loss(tf.sigmoid(sign), signs, epsilon=1e-5),
    losses.mean_squared_error(vector, targets, weights=0.1),
    losses.absolute_difference(predictions=vector, labels=targets, weights=important),
    losses.mean_pairwise_squared_error(vector, targets, weights=0.1),
    losses.mean_pairwise_squared_error(vector, targets, weights=0.1 * important),
    losses.cosine_distance(unit, unit_targets, 1),
    losses.cosine_distance(unit, unit_targets, dim=1, weights=important),
    losses.compute_weighted_loss(tf.abs(vector - targets), weights=kinds > 0),
]
# the hinge loss is one of each image, and in no collection
hinge = losses.hinge_loss(sign, tf.constant(signs))
losses.add_loss(tf.reduce_mean(hinge))
losses.add_loss(0.01 * tf.nn.l2_loss(net))
total = losses.get_total_loss()
optimizer = tf.train.GradientDescentOptimizer(0.02)
gradients = optimizer.compute_gradients(total, gate_gradients=optimizer.GATE_GRAPH)
train = optimizer.apply_gradients(gradients)

print(len(losses.get_losses()), hinge.shape, losses.get_regularization_losses())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(16):
        if step % 5 == 0:
            print(step, np.round(float(sess.run(total)), 2))
        if step == 0:
            print(np.round(np.float64(sess.run(all_losses)), 3).tolist())
            print(np.round(np.float64(sess.run(hinge[:3, 0])), 3).tolist())
        sess.run(train)
