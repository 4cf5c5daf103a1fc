"""Variables by name: initialised by default, by zeros, and used like tensors."""

import tensorflow as tf

tf.set_random_seed(1)
first = tf.get_variable("first", [1, 2, 3])
whole = tf.get_variable("whole", [1, 2, 3], dtype=tf.int32, initializer=tf.zeros_initializer)
v = tf.get_variable("v", shape=(), initializer=tf.zeros_initializer())
w = v + 1
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(first).shape, sess.run(whole).tolist(), sess.run(w), whole.dtype)
