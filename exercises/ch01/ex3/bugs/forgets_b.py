# loses: the result is x * w + b, with the trainable variables name/w and name/b
import tinytf as tf


def layer(x, units, name):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        return tf.matmul(x, tf.get_variable("w", [x.shape[1], units]))
