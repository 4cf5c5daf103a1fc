# loses: another name means other variables
import tinytf as tf


def layer(x, units, name):
    with tf.variable_scope("dense", reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [x.shape[1], units])
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b
