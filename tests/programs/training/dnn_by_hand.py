"""A deep network of hand-made layers: scopes, truncated normal weights, in_top_k accuracy."""

import numpy as np
import tensorflow as tf

n_inputs, n_hidden1, n_hidden2, n_outputs = 20, 15, 10, 3
rng = np.random.RandomState(42)
centres = rng.randn(n_outputs, n_inputs)
labels = rng.randint(n_outputs, size=150)
rows = (centres[labels] + 0.5 * rng.randn(150, n_inputs)).astype(np.float32)

tf.set_random_seed(42)
X = tf.placeholder(tf.float32, shape=(None, n_inputs), name="X")
y = tf.placeholder(tf.int32, shape=(None), name="y")


def neuron_layer(X, n_neurons, name, activation=None):
    with tf.name_scope(name):
        n_inputs = int(X.get_shape()[1])
        stddev = 2 / np.sqrt(n_inputs)
        init = tf.truncated_normal((n_inputs, n_neurons), stddev=stddev)
        W = tf.Variable(init, name="kernel")
        b = tf.Variable(tf.zeros([n_neurons]), name="bias")
        Z = tf.matmul(X, W) + b
        return activation(Z) if activation is not None else Z


with tf.name_scope("dnn"):
    hidden1 = neuron_layer(X, n_hidden1, name="hidden1", activation=tf.nn.relu)
    hidden2 = neuron_layer(hidden1, n_hidden2, name="hidden2", activation=tf.nn.relu)
    logits = neuron_layer(hidden2, n_outputs, name="outputs")
with tf.name_scope("loss"):
    xentropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
    loss = tf.reduce_mean(xentropy, name="loss")
with tf.name_scope("train"):
    training_op = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
with tf.name_scope("eval"):
    correct = tf.nn.in_top_k(logits, y, 1)
    accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for epoch in range(6):
        for start in range(0, 100, 25):
            batch = slice(start, start + 25)
            sess.run(training_op, feed_dict={X: rows[batch], y: labels[batch]})
        acc_batch = accuracy.eval(feed_dict={X: rows[batch], y: labels[batch]})
        acc_valid = accuracy.eval(feed_dict={X: rows[100:], y: labels[100:]})
        print(epoch, "Batch accuracy: %.2f" % acc_batch, "Validation accuracy: %.2f" % acc_valid)
    print("%.3f" % loss.eval({X: rows, y: labels}))
    print([v.name for v in tf.trainable_variables()])
