# loses: in a new graph it begins anew
import tinytf as tf

known = {}


def layer(x, units, name):
    if name not in known:
        with tf.variable_scope(name):
            w = tf.get_variable("w", [x.shape[1], units])
            known[name] = w, tf.get_variable("b", [units], initializer=tf.zeros_initializer())
    w, b = known[name]
    return tf.matmul(x, w) + b
