"""Lower layers from a checkpoint, the upper ones anew; frozen by scope and by stop_gradient."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(7)
rows = rng.randn(50, 6).astype(np.float32)
labels = rng.randint(3, size=50)


def network(n_outputs):
    X = tf.placeholder(tf.float32, (None, 6), name="X")
    hidden1 = tf.layers.dense(X, 8, activation=tf.nn.relu, name="hidden1")
    hidden2 = tf.layers.dense(hidden1, 8, activation=tf.nn.relu, name="hidden2")
    stopped = tf.stop_gradient(hidden2)
    hidden3 = tf.layers.dense(stopped, 5, activation=tf.nn.relu, name="hidden3")
    return X, tf.layers.dense(hidden3, n_outputs, name="outputs")


tf.set_random_seed(1)
X, logits = network(3)
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    before = sess.run("hidden1/kernel:0")
    saver.save(sess, "./original.ckpt")

tf.reset_default_graph()
tf.set_random_seed(2)
X, logits = network(3)
loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
train_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="hidden[3]|outputs")
training_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=train_vars)
reuse_vars = tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope="hidden[12]")
restore_saver = tf.train.Saver({var.op.name: var for var in reuse_vars})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    restore_saver.restore(sess, "./original.ckpt")
    for _ in range(20):
        sess.run(training_op, {X: rows})
    print(np.array_equal(sess.run("hidden1/kernel:0"), before), "%.3f" % sess.run(loss, {X: rows}))
print([v.name for v in train_vars])
print([v.op.name for v in reuse_vars])
print(tf.gradients(loss, reuse_vars))
