"""Flips, transposition, grey, hue, saturation, brightness, contrast, gamma, standardisation."""

import numpy as np
import tensorflow as tf

image = (np.arange(24).reshape(2, 4, 3) * 10).astype(np.uint8)
with tf.Session() as sess:
    print(
        sess.run(tf.image.flip_left_right(image))[0, :, 0],
        sess.run(tf.image.flip_up_down(image))[:, 0, 0],
    )
    print(sess.run(tf.image.transpose_image(image)).shape, sess.run(tf.image.rot90(image)).shape)
    floats = tf.image.convert_image_dtype(image, tf.float32)
    print(
        np.round(sess.run(floats)[1, 3], 3),
        sess.run(tf.image.rgb_to_grayscale(image))[:, :, 0].tolist(),
    )
    hsv = tf.image.rgb_to_hsv(floats)
    print(np.round(sess.run(hsv)[0, 1], 3), np.round(sess.run(tf.image.hsv_to_rgb(hsv))[0, 1], 3))
    print(np.round(sess.run(tf.image.adjust_brightness(floats, 0.1))[0, 0], 3))
    print(np.round(sess.run(tf.image.adjust_contrast(floats, 2.0))[0, 0], 3))
    print(np.round(sess.run(tf.image.adjust_saturation(floats, 0.5))[0, 1], 3))
    print(np.round(sess.run(tf.image.adjust_hue(floats, 0.25))[0, 1], 3))
    print(np.round(sess.run(tf.image.adjust_gamma(floats, 2.0))[1, 0], 3))
    print(np.round(sess.run(tf.image.per_image_standardization(floats))[0, 0], 3))
    print(sess.run(tf.image.grayscale_to_rgb(tf.constant(image[:, :, :1])))[0, 1])
