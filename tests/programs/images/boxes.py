"""Boxes of objects: drawn, suppressed where they overlap, and an image's gradients."""

import numpy as np
import tensorflow as tf

boxes = np.float32([[0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30], [0, 0, 10, 9]])
scores = np.float32([0.9, 0.8, 0.7, 0.95])
kept = tf.image.non_max_suppression(boxes, scores, max_output_size=3, iou_threshold=0.5)
image = tf.zeros([1, 6, 6, 3])
drawn = tf.image.draw_bounding_boxes(image, [[[0.2, 0.2, 0.8, 0.8]]])
x = tf.constant(np.float32([[1, 2, 4], [1, 3, 9], [0, 0, 0]]).reshape(1, 3, 3, 1))
dy, dx = tf.image.image_gradients(x)
with tf.Session() as sess:
    print(sess.run(kept), sess.run(tf.reduce_max(drawn, 3))[0].astype(int).tolist())
    print(sess.run(dy)[0, :, :, 0].tolist(), sess.run(dx)[0, :, :, 0].tolist())
    print(
        sess.run(tf.image.total_variation(x)), np.round(sess.run(tf.image.psnr(x, x + 0.1, 1.0)), 2)
    )
    print(
        sess.run(tf.extract_image_patches(x, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"))[
            0, 0, 0
        ]
    )
