"""map_fn, scan, foldl and foldr, with structures and gradients."""

import tensorflow as tf

elems = tf.constant([1.0, 2.0, 3.0, 4.0])
squares = tf.map_fn(lambda x: x * x, elems)
pairs = tf.map_fn(lambda t: (t[0] + t[1], t[0] > 2), (elems, elems), dtype=(tf.float32, tf.bool))
running = tf.scan(lambda a, x: a * 0.5 + x, elems)
fibonacci = tf.scan(
    lambda a, _: (a[1], a[0] + a[1]), tf.range(8), initializer=(tf.constant(0), tf.constant(1))
)
left = tf.foldl(lambda a, x: a - x, elems)
right = tf.foldr(lambda a, x: a - x, elems)
slope = tf.gradients(running[-1], elems)[0]
rows = tf.map_fn(lambda n: tf.range(n, n + 3), tf.constant([0, 10]), dtype=tf.int32)
with tf.Session() as sess:
    print(sess.run(squares), sess.run(pairs[0]), sess.run(pairs[1]))
    print(sess.run(running), sess.run(slope), sess.run(fibonacci[0]))
    print(sess.run([left, right]) == [-8.0, -2.0], sess.run(rows).tolist())
