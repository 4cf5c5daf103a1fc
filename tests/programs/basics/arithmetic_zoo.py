"""Division seven ways, powers, comparisons, and reductions."""

import tensorflow as tf

a = tf.constant([2, 2], name="a")
b = tf.constant([[0, 1], [2, 3]], name="b")
with tf.Session() as sess:
    for op in (tf.div, tf.divide, tf.truediv, tf.floordiv, tf.truncatediv, tf.floor_div):
        print(sess.run(op(b, a)).tolist())
    print(sess.run(tf.realdiv(tf.cast(b, tf.float32), 2.0)).tolist(), sess.run(b % 2).tolist())
    print(sess.run(tf.add_n([b, b, b])).tolist(), sess.run(tf.tensordot(a, b, 1)).tolist())
    x = tf.constant([[1.0, -2.0], [3.0, -4.0]])
    print(
        sess.run(tf.reduce_prod(x)), sess.run(tf.reduce_mean(x, 0)), sess.run(tf.reduce_max(x, 1))
    )
    print(
        sess.run(tf.argmax(x, 1)),
        sess.run(tf.reduce_all(x > -5.0)),
        sess.run(tf.where(x > 0)).tolist(),
    )
    print(sess.run(tf.cumsum(x, axis=1)).tolist(), sess.run(tf.sign(x)).tolist())
    print(
        sess.run(tf.squared_difference(x, 1.0)).tolist(), sess.run(tf.norm(x, axis=1) > 3).tolist()
    )
    print(sess.run(tf.equal(b, a)).tolist(), sess.run(tf.logical_xor(x > 0, x < -3)).tolist())
    print(sess.run(-x + abs(x) ** 2 - 1 / x).round(2).tolist())
