"""Constants that wait for others, though they need nothing of them."""

import tensorflow as tf

a = tf.constant(1.0)
b = a + 2.0
with tf.control_dependencies([a, b]):
    x = tf.constant(3.0)
    y = tf.constant(4.0)
z = x + y
print([[op.name for op in t.op.control_inputs] for t in (x, y, z)])
with tf.Session() as sess:
    print(sess.run(z))
