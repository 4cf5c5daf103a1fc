"""Several rectified units: repeated code, a function, a shared variable three ways."""

import tensorflow as tf


def relu(X, threshold=None):
    with tf.name_scope("relu"):
        w = tf.Variable(tf.random_normal((int(X.get_shape()[1]), 1), seed=3), name="weights")
        b = tf.Variable(0.0, name="bias")
        z = tf.add(tf.matmul(X, w), b, name="z")
        return tf.maximum(z, 0.0 if threshold is None else threshold, name="max")


def relu_with_shared(X):
    with tf.variable_scope("relu_shared", reuse=tf.AUTO_REUSE):
        threshold = tf.get_variable("threshold", shape=(), initializer=tf.constant_initializer(0.5))
        w = tf.Variable(tf.ones((3, 1)), name="weights")
        return tf.maximum(tf.matmul(X, w), threshold, name="max")


X = tf.placeholder(tf.float32, shape=(None, 3), name="X")
relus = [relu(X) for _ in range(3)]
output = tf.add_n(relus, name="output")
shared = [relu_with_shared(X) for _ in range(2)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(output.name, sess.run(output, {X: [[1.0, 2.0, 3.0]]}).shape)
    print(sess.run(shared, {X: [[0.1, 0.1, 0.1]]})[1])
print([t.name for t in relus + shared])
print([v.name for v in tf.global_variables()])
