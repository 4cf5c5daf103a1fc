"""Four ways to resize, corners aligned or not, crops and padding."""

import numpy as np
import tensorflow as tf

image = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)
methods = tf.image.ResizeMethod
with tf.Session() as sess:
    for method in (methods.BILINEAR, methods.NEAREST_NEIGHBOR, methods.BICUBIC, methods.AREA):
        print(np.round(sess.run(tf.image.resize_images(image, [2, 6], method))[0, :, :, 0], 2))
    print(sess.run(tf.image.resize_images(image, [5, 5], align_corners=True))[0, 1, :, 0].round(2))
    print(sess.run(tf.image.resize_image_with_crop_or_pad(image, 5, 2))[0, :, :, 0])
    print(sess.run(tf.image.central_crop(image[0], 0.5)).shape)
    print(sess.run(tf.image.crop_to_bounding_box(image, 1, 1, 2, 2))[0, :, :, 0])
    print(sess.run(tf.image.pad_to_bounding_box(image, 0, 1, 3, 6))[0, 0, :, 0])
    boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5]]
    print(
        sess.run(tf.image.crop_and_resize(image, boxes, [0, 0], [2, 2]))[:, :, :, 0]
        .round(2)
        .tolist()
    )
