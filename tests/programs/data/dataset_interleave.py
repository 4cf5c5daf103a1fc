"""interleave, flat_map and concatenate, as the notebook on the Data API goes through them."""

import numpy as np
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices(np.arange(10))
dataset = dataset.repeat(3).batch(7)
dataset = dataset.interleave(
    lambda v: tf.data.Dataset.from_tensor_slices(v), cycle_length=3, block_length=2
)
flat = tf.data.Dataset.range(1, 4).flat_map(
    lambda n: tf.data.Dataset.range(n).map(lambda i: 10 * n + i)
)
flat = flat.concatenate(tf.data.Dataset.from_tensors(tf.constant(-1, tf.int64)))
windows = tf.data.Dataset.range(6).skip(1).take(4).batch(2, drop_remainder=True)
with tf.Session() as sess:
    for d in (dataset, flat, windows):
        next_element = d.make_one_shot_iterator().get_next()
        try:
            while True:
                print(next_element.eval(), end=",")
        except tf.errors.OutOfRangeError:
            print("Done")
