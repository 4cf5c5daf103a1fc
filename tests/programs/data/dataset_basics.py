"""tf.data: slices, repeat, batch, map, filter, a seeded shuffle, zip, and a one-shot iterator."""

import numpy as np
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices(np.arange(10))
dataset = dataset.repeat(3).batch(7)
next_element = dataset.make_one_shot_iterator().get_next()
with tf.Session() as sess:
    try:
        while True:
            print(next_element.eval())
    except tf.errors.OutOfRangeError:
        print("Done")

features = {"a": np.arange(6.0), "b": np.arange(12).reshape(6, 2)}
pairs = tf.data.Dataset.zip(
    (tf.data.Dataset.from_tensor_slices(features), tf.data.Dataset.range(100))
)
pairs = pairs.filter(lambda row, i: tf.equal(i % 2, 0)).map(
    lambda row, i: (row["a"] * 2, row["b"], i)
)
pairs = pairs.shuffle(10, seed=4).batch(2).prefetch(1)
print(pairs.output_types, pairs.output_shapes)
row = pairs.make_one_shot_iterator().get_next()
with tf.Session() as sess:
    seen = []
    while True:
        try:
            seen.append(sess.run(row))
        except tf.errors.OutOfRangeError:
            break
    print([s[0].tolist() for s in seen], sorted(int(i) for s in seen for i in s[2]))
