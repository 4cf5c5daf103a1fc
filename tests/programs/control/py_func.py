"""Python in the graph: numpy functions, several results, state, and a gradient of one's own."""

import numpy as np
import tensorflow as tf


def sort_and_count(values):
    return np.sort(values), np.int64(len(values))


def py_func_with_grad(func, inp, grad_op):
    name = "PyFuncGrad%d" % np.random.RandomState(0).randint(1000)
    tf.RegisterGradient(name)(grad_op)
    with tf.get_default_graph().gradient_override_map({"PyFunc": name}):
        return tf.py_func(func, inp, tf.float32)


x = tf.placeholder(tf.float32, [None])
ordered, count = tf.py_func(sort_and_count, [x], [tf.float32, tf.int64])
ordered.set_shape([None])
seen = []
remember = tf.py_func(lambda v: seen.append(float(v.sum())), [x], [])
cube = py_func_with_grad(lambda v: v**3, [x], lambda op, grad: grad * 3 * op.inputs[0] ** 2)
slope = tf.gradients(cube, x)[0]


@tf.custom_gradient
def clipped(v):
    return tf.identity(v), lambda dy: tf.clip_by_value(dy, -0.1, 0.1)


small = tf.gradients(tf.reduce_sum(clipped(x) * 5.0), x)[0]
with tf.Session() as sess:
    feed = {x: [3.0, 1.0, 2.0]}
    print(sess.run([ordered, count], feed)[0], sess.run(count, feed), ordered.shape)
    sess.run([remember], feed)
    print(seen, sess.run(cube, feed), sess.run(slope, feed), sess.run(small, feed))

    def fails(v):
        raise ValueError("not this one")

    try:
        sess.run(tf.py_func(fails, [x], tf.float32), feed)
    except (tf.errors.InvalidArgumentError, tf.errors.UnknownError) as error:
        print(type(error).__name__, "not this one" in str(error))
