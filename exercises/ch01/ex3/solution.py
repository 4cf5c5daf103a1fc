import tinytf as tf


def layer(x, units, name):
    # The first call makes the variables, all later ones find them: in this graph, by their names.
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        w = tf.get_variable("w", [x.shape[1], units])
        b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
    return tf.matmul(x, w) + b
