# loses hidden: matrices of other sizes, and rows that only the run knows
import tinytf as tf


def layer(x, units, name):
    rows, columns = x.shape.as_list()
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [columns, units])
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
    return tf.reshape(tf.matmul(x, w) + b, [rows, units])
