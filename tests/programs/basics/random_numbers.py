"""Seeds of graph and operation; the same numbers again in another session."""

import numpy as np
import tensorflow as tf

c = tf.random_uniform([], -10, 10, seed=2)
with tf.Session() as sess:
    first = [float(sess.run(c)) for _ in range(2)]
with tf.Session() as sess:
    print(np.round(first, 3), [float(sess.run(c)) for _ in range(2)] == first)

tf.reset_default_graph()
tf.set_random_seed(2)
c = tf.random_uniform([], -10, 10)
d = tf.random_uniform([], -10, 10)
n = tf.random_normal([3], mean=1.0, stddev=2.0)
t = tf.truncated_normal([3], stddev=0.1)
g = tf.random_gamma([2], alpha=2.0)
s = tf.random_shuffle(tf.range(6))
m = tf.multinomial([[0.0, 0.0, 2.0]], 5)
with tf.Session() as sess:
    print(np.round(sess.run(c), 3), np.round(sess.run(d), 3))
    print(np.round(sess.run(n), 3), np.round(sess.run(t), 4))
    print(np.round(sess.run(g), 3), sess.run(s), sess.run(m))
