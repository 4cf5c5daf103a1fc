"""Convolution, fused batch normalisation, relu; trained, then evaluated with moving averages."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
images = rng.rand(32, 6, 6, 2).astype(np.float32) * 5
labels = (images[:, :3].mean((1, 2, 3)) > images[:, 3:].mean((1, 2, 3))).astype(np.int32)
tf.set_random_seed(1)
training = tf.placeholder(tf.bool, [])


def model(x, reuse=None):
    with tf.variable_scope("model", reuse=reuse):
        x = tf.layers.conv2d(x, 4, 3, use_bias=False, padding="same")
        x = tf.layers.batch_normalization(x, training=training, momentum=0.8)
        x = tf.nn.relu(x)
        x = tf.layers.average_pooling2d(x, 3, 3)
        return tf.layers.dense(tf.layers.flatten(x), 2)


logits = model(tf.constant(images))
again = model(tf.constant(images), reuse=True)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(updates[:2]):
    train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(15):
        sess.run(train, {training: True})
    print("%.3f" % sess.run(loss, {training: True}), "%.3f" % sess.run(loss, {training: False}))
    a, b = sess.run([logits, again], {training: False})
    print(np.array_equal(a, b), len(updates))
    moving = [v for v in tf.global_variables() if "moving" in v.name]
    print([v.name for v in moving], np.round(sess.run(moving[0]), 2))
