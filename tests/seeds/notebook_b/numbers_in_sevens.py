"""Ten numbers three times over, in batches of seven; two fetches of one element are one element."""

import numpy as np
import tensorflow as tf

sevens = tf.data.Dataset.from_tensor_slices(np.arange(10)).repeat(3).batch(7)
element = sevens.make_one_shot_iterator().get_next()
for fetch in (element, [element, element]):
    with tf.Session() as sess:
        try:
            while True:
                print(sess.run(fetch))
        except tf.errors.OutOfRangeError:
            print("done")
