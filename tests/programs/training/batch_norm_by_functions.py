"""tf.layers.batch_normalization with functools.partial and the update operations by hand."""

from functools import partial

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
rows = (3.0 * rng.randn(64, 6) + 5.0).astype(np.float32)
labels = (rows.sum(1) > 30).astype(np.int32)

tf.set_random_seed(42)
X = tf.placeholder(tf.float32, shape=(None, 6), name="X")
y = tf.placeholder(tf.int32, shape=(None), name="y")
training = tf.placeholder_with_default(False, shape=(), name="training")
my_batch_norm = partial(tf.layers.batch_normalization, training=training, momentum=0.9)
my_dense = partial(tf.layers.dense, kernel_initializer=tf.variance_scaling_initializer())
hidden1 = my_dense(X, 8, name="hidden1")
bn1 = tf.nn.elu(my_batch_norm(hidden1))
hidden2 = my_dense(bn1, 4, name="hidden2")
bn2 = tf.nn.elu(my_batch_norm(hidden2))
logits = my_batch_norm(my_dense(bn2, 2, name="outputs"))
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
optimizer = tf.train.GradientDescentOptimizer(0.1)
extra_update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(extra_update_ops):
    training_op = optimizer.minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(30):
        sess.run(training_op, feed_dict={training: True, X: rows, y: labels})
    print("%.3f" % loss.eval({X: rows, y: labels}))
    print("%.3f" % loss.eval({X: rows, y: labels, training: True}))
    moving = tf.get_default_graph().get_tensor_by_name("batch_normalization/moving_mean/read:0")
    print(moving.shape, len(extra_update_ops))
print([v.name for v in tf.trainable_variables()])
print([v.name for v in tf.global_variables() if "moving" in v.name])
