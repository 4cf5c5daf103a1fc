"""Two filters over an image: a vertical and a horizontal line, and pooling of the result."""

import numpy as np
import tensorflow as tf

image = np.zeros((1, 9, 9, 3), np.float32)
image[0, 4, :, 0] = 1.0
image[0, :, 2, 1] = 2.0
filters = np.zeros(shape=(7, 7, 3, 2), dtype=np.float32)
filters[:, 3, :, 0] = 1
filters[3, :, :, 1] = 1
X = tf.placeholder(tf.float32, shape=(None, 9, 9, 3))
convolution = tf.nn.conv2d(X, filters, strides=[1, 2, 2, 1], padding="SAME")
valid = tf.nn.conv2d(X, filters, strides=[1, 1, 1, 1], padding="VALID")
max_pool = tf.nn.max_pool(convolution, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
avg_pool = tf.nn.avg_pool(convolution, ksize=[1, 3, 3, 1], strides=[1, 3, 3, 1], padding="SAME")
over_channels = tf.nn.max_pool(
    convolution, ksize=[1, 1, 1, 2], strides=[1, 1, 1, 2], padding="VALID"
)
with tf.Session() as sess:
    out, small, pooled, averaged, channels = sess.run(
        [convolution, valid, max_pool, avg_pool, over_channels], {X: image}
    )
print(out[0, :, :, 0], out[0, :, :, 1], sep="\n")
print(small.shape, pooled[0, :, :, 1].tolist(), averaged[0, 0, :, 0], channels.shape)
