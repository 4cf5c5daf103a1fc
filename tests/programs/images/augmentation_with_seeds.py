"""Random flips, crops, brightness and contrast with seeds, in a tf.data map and without."""

import numpy as np
import tensorflow as tf

image = np.arange(75, dtype=np.float32).reshape(5, 5, 3) / 75


def augment(image):
    image = tf.random_crop(image, [3, 3, 3], seed=1)
    image = tf.image.random_flip_left_right(image, seed=2)
    image = tf.image.random_flip_up_down(image, seed=3)
    image = tf.image.random_brightness(image, max_delta=0.2, seed=4)
    image = tf.image.random_contrast(image, 0.5, 1.5, seed=5)
    image = tf.image.random_saturation(image, 0.5, 1.5, seed=6)
    return tf.image.random_hue(image, 0.1, seed=7)


out = augment(tf.constant(image))
dataset = tf.data.Dataset.from_tensors(image).repeat(3).map(augment)
element = dataset.make_one_shot_iterator().get_next()
with tf.Session() as sess:
    print(np.round(sess.run(out)[0, 0], 3))
    print(np.round(sess.run(out)[0, 0], 3))
    print(sess.run(element).shape)
