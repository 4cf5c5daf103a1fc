"""A line with an empty field, and defaults that are tensors."""

import tensorflow as tf

defaults = [tf.constant([5.0]), tf.constant([6]), tf.constant([7])]
fields = tf.decode_csv(tf.constant("1.,,44"), record_defaults=defaults)
with tf.Session() as sess:
    print(sess.run(fields))
