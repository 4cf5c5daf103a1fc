# loses: the result is x * w + b, with the trainable variables name/w and name/b
import tinytf as tf


def layer(x, units, name):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [x.shape[1], units], trainable=False)
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer(), trainable=False)
    return tf.matmul(x, w) + b
