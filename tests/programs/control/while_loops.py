"""while_loop: a factorial, fibonacci numbers kept, nested loops, and a gradient through a loop."""

import tensorflow as tf

n = tf.placeholder(tf.int32, [])
_, factorial = tf.while_loop(lambda i, p: i <= n, lambda i, p: (i + 1, p * i), [1, 1])
fib = tf.while_loop(
    lambda i, a: i < n,
    lambda i, a: (i + 1, tf.concat([a, [a[-1] + a[-2]]], 0)),
    [0, tf.constant([1, 1])],
    shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
)[1]


def row(i, total):
    _, inner = tf.while_loop(lambda j, s: j < i, lambda j, s: (j + 1, s + j), [0, 0])
    return i + 1, total + inner


nested = tf.while_loop(lambda i, t: i < n, row, [0, 0])[1]
x = tf.constant(1.1)
power = tf.while_loop(lambda i, p: i < n, lambda i, p: (i + 1, p * x), [0, 1.0], back_prop=True)[1]
slope = tf.gradients(power, x)[0]
ta = tf.TensorArray(tf.float32, size=n)
_, ta = tf.while_loop(
    lambda i, t: i < n, lambda i, t: (i + 1, t.write(i, tf.cast(i, tf.float32) ** 2)), [0, ta]
)
squares = ta.stack()
with tf.Session() as sess:
    for value in (3, 6):
        print(sess.run([factorial, nested], {n: value}), sess.run(fib, {n: value}))
        print(
            "%.4f %.4f" % tuple(sess.run([power, slope], {n: value})), sess.run(squares, {n: value})
        )
