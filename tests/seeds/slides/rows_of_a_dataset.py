"""Rows of a list, one a step."""

import tensorflow as tf

rows = tf.data.Dataset.from_tensor_slices([[0, 1], [2, 3], [4, 5], [6, 7]])
row = rows.make_one_shot_iterator().get_next()
with tf.Session() as sess:
    while True:
        try:
            print(sess.run(row))
        except tf.errors.OutOfRangeError:
            break
