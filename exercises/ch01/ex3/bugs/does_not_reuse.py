# loses: a second call with the same name uses the same variables
import tinytf as tf


def layer(x, units, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [x.shape[1], units])
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b
