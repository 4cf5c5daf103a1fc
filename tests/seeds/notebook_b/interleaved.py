"""Three batches at a time, two numbers of each in turn."""

import numpy as np
import tensorflow as tf

sevens = tf.data.Dataset.from_tensor_slices(np.arange(10)).repeat(3).batch(7)
turns = sevens.interleave(
    lambda batch: tf.data.Dataset.from_tensor_slices(batch), cycle_length=3, block_length=2
)
element = turns.make_one_shot_iterator().get_next()
with tf.Session() as sess:
    try:
        while True:
            print(element.eval(), end=",")
    except tf.errors.OutOfRangeError:
        print("done")
