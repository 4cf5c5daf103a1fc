# loses: a second call with the same name uses the same variables
import tinytf as tf


def layer(x, units, name):
    with tf.variable_scope(name):
        w = tf.Variable(tf.random_uniform([int(x.shape[1]), units]), name="w")
        b = tf.Variable(tf.zeros([units]), name="b")
    return tf.matmul(x, w) + b
