"""Dense layers: names, initialisers, bias or none, higher ranks, and reuse three ways."""

import numpy as np
import tensorflow as tf

x = tf.constant(np.arange(12, dtype=np.float32).reshape(2, 2, 3) / 10)
ones = tf.ones_initializer()
deep = tf.layers.dense(
    x, 2, kernel_initializer=ones, bias_initializer=tf.constant_initializer(0.5), name="deep"
)
plain = tf.layers.dense(x, 2, use_bias=False, trainable=False, kernel_initializer=ones)
layer = tf.layers.Dense(4, activation=tf.nn.sigmoid, kernel_initializer=ones, name="layer")
first, second = layer(x), layer.apply(x * 2.0)
with tf.variable_scope("", reuse=True):
    kernel = tf.get_variable("deep/kernel")
again = tf.layers.dense(x, 2, name="deep", reuse=True)
with tf.variable_scope("outer"):
    named = tf.layers.dense(x, 1)
    named_too = tf.layers.dense(x, 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(deep)[1, 1], sess.run(plain)[0, 0], np.array_equal(*sess.run([deep, again])))
    print(np.round(sess.run(second)[0, 0], 3), layer.kernel.shape, layer.count_params())
for tensor in (deep, plain, first, second, again, named, named_too):
    print(tensor.name, tensor.shape)
print([v.name for v in tf.global_variables()], len(tf.trainable_variables()))
try:
    tf.layers.dense(x, 2, name="deep")
except ValueError as error:
    print(str(error).split(",")[0])
