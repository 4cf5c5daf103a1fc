"""Static and dynamic shapes, casts, dtypes of numpy and of TensorFlow, and constants of a kind."""

import numpy as np
import tensorflow as tf

t = tf.placeholder(tf.float32, [None, 4])
print(t.shape, t.get_shape().as_list(), tf.shape(t).shape, t.shape.is_fully_defined())
flat = tf.reshape(t, [-1])
t.set_shape([2, None])
print(flat.shape, tf.reshape(t, [-1]).shape, tf.transpose(t).shape, tf.expand_dims(t, 1).shape)
print(tf.zeros_like([[0, 1], [2, 3]]).dtype, tf.cast([1.9, -1.9], tf.int32).dtype.name)
print(tf.int32 == np.int32, tf.float32.as_numpy_dtype is np.float32, tf.as_dtype("bool"))
with tf.Session() as sess:
    print(sess.run(tf.linspace(10.0, 13.0, 4)), sess.run(tf.range(3, 18, 3)))
    print(sess.run(tf.fill([2, 2], 7)).tolist(), sess.run(tf.ones([2], tf.int64)))
    print(sess.run(tf.cast([1.9, -1.9], tf.int32)), sess.run(tf.constant("s", shape=[2])))
    print(
        sess.run(tf.shape(flat), {t: np.zeros((2, 4))}), sess.run(tf.rank(t), {t: np.ones((2, 4))})
    )
for build in (lambda: tf.add(1, 2.0), lambda: tf.matmul(t, t), lambda: tf.constant([1, "a"])):
    try:
        build()
    except (TypeError, ValueError) as error:
        print(type(error).__name__)
