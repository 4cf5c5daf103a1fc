"""A variable and a constant on the processor, a product of them wherever it likes."""

import tensorflow as tf

with tf.device("/cpu:0"):
    x = tf.Variable(3.0)
    factor = tf.constant(4.0)
product = x * factor
print(x.device, factor.device, repr(product.device))
with tf.Session() as sess:
    sess.run(x.initializer)
    print(sess.run(product))
