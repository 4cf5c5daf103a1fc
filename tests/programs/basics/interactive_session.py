"""An interactive session, eval, and the default session of a with block."""

import numpy as np
import tensorflow as tf

sess = tf.InteractiveSession()
a = tf.constant(5.0)
b = tf.constant(6.0)
print((a * b).eval())
x = tf.Variable([1.0, 2.0])
x.initializer.run()
sub = tf.subtract(x, tf.constant([3.0, 3.0]))
print(sub.eval())
print(tf.get_default_session() is sess)
sess.close()

with tf.Session() as inner:
    print(tf.get_default_session() is inner)
    print(tf.reduce_sum(np.ones((2, 2), np.float32)).eval())
    c, d = inner.run([a, {"sum": a + b, "nested": (b, [a])}])
    print(c, sorted(d), d["sum"], d["nested"][1][0])
print(tf.get_default_session())
