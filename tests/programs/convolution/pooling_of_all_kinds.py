"""Pooling in one, two and three dimensions, with places, by fractions; and morphology."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(3)
series = rng.randint(0, 50, size=(1, 9, 1)).astype(np.float32)
image = rng.randint(0, 99, size=(1, 6, 6, 1)).astype(np.float32)
volume = rng.randint(0, 99, size=(1, 4, 4, 4, 1)).astype(np.float32)

smooth = tf.nn.avg_pool1d(series, ksize=3, strides=3, padding="VALID")
peaks = tf.nn.max_pool1d(series, ksize=3, strides=3, padding="VALID")
largest = tf.nn.max_pool2d(image, ksize=2, strides=2, padding="SAME")
anything = tf.nn.max_pool_v2(image, ksize=[3, 3], strides=[3, 3], padding="VALID")
mean = tf.nn.avg_pool_v2(series, 2, 2, "SAME")
solid = tf.nn.max_pool3d(volume, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID")
hollow = tf.nn.avg_pool3d(volume, [1, 4, 2, 2, 1], [1, 4, 2, 2, 1], "SAME")
dilated = tf.nn.pool(image, [2, 2], "MAX", "VALID", dilation_rate=[2, 2])
strided = tf.nn.pool(volume, [2, 2, 2], "AVG", "SAME", strides=[2, 2, 2])

# pooling that remembers the places, and unpooling to them, as SegNet does
pooled, places = tf.nn.max_pool_with_argmax(image, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
flat = tf.scatter_nd(tf.reshape(places, [-1, 1]), tf.reshape(pooled, [-1]), [36])
unpooled = tf.reshape(flat, [6, 6])

# fractional pooling: regions of one and two pixels, drawn or pseudo-random
fractional, row_ends, column_ends = tf.nn.fractional_max_pool(
    image,
    [1.0, 1.5, 1.5, 1.0],
    pseudo_random=True,
    overlapping=False,
    seed=5,
    deterministic=True,
    seed2=2,
)
averages, _, _ = tf.nn.fractional_avg_pool(
    image,
    [1.0, 2.0, 1.3, 1.0],
    pseudo_random=False,
    overlapping=True,
    deterministic=True,
    seed=3,
    seed2=7,
)

# morphology with a cross: what is added to neighbours, and what is taken away
cross = np.float32([[-99, 0, -99], [0, 0, 0], [-99, 0, -99]]).reshape(3, 3, 1)
ones = [1, 1, 1, 1]
grown = tf.nn.dilation2d(image, cross, strides=ones, rates=ones, padding="SAME")
shrunk = tf.nn.erosion2d(image, cross, strides=ones, rates=ones, padding="SAME")
contour = grown - shrunk


def rows(x):
    return x.reshape(x.shape[1], -1).astype(int).tolist()


with tf.Session() as sess:
    print(rows(series), np.round(sess.run(smooth)[0, :, 0], 1), sess.run(peaks)[0, :, 0])
    print(sess.run(mean)[0, :, 0], mean.shape)
    print(rows(sess.run(largest)), rows(sess.run(anything)))
    print(rows(sess.run(solid)), sess.run(hollow)[0, 0, :, :, 0].tolist(), strided.shape)
    print(rows(sess.run(dilated)), sess.run(strided)[0, 0, 0, :, 0].tolist())
    print(sess.run(places)[0, :, :, 0].tolist(), pooled.dtype, places.dtype.name)
    print(sess.run(unpooled).astype(int).tolist())
    found, ends, more_ends = sess.run([fractional, row_ends, column_ends])
    print(rows(found), ends.tolist(), more_ends.tolist(), fractional.shape)
    print(np.round(np.float64(sess.run(averages)[0, 0, :, 0]), 2).tolist())
    print(rows(sess.run(grown))[2:4], rows(sess.run(shrunk))[2:4], rows(sess.run(contour))[0])
