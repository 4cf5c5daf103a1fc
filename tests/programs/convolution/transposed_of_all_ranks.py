"""Up again in one, two, three dimensions: transposed and atrous convolutions, depth to space."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
tf.set_random_seed(1)

# one dimension: a sound with half the rate, interpolated
sound = np.sin(np.arange(8) * 0.7).reshape(1, 8, 1).astype(np.float32)
between = np.float32([0.5, 1.0, 0.5]).reshape(3, 1, 1)
twice = tf.nn.conv1d_transpose(sound, between, [1, 16, 1], strides=2, padding="SAME")

# two dimensions, by the function for any
image = rng.rand(1, 3, 3, 2).astype(np.float32)
kernel = rng.rand(2, 2, 1, 2).astype(np.float32)
any_two = tf.nn.conv_transpose(image, kernel, [1, 6, 6, 1], strides=2, padding="VALID")
two = tf.nn.conv2d_transpose(image, kernel, [1, 6, 6, 1], [1, 2, 2, 1], "VALID")
any_one = tf.nn.conv_transpose(sound, between, [1, 16, 1], 2)

# three: voxels of a small chair
chair = np.zeros([1, 2, 2, 2, 1], np.float32)
chair[0, 0, :, :, 0] = chair[0, 1, 0, :, 0] = 1.0
cube = tf.ones([2, 2, 2, 1, 1])
voxels = tf.nn.conv3d_transpose(chair, cube, [1, 4, 4, 4, 1], strides=[1, 2, 2, 2, 1])
smoothed = tf.nn.conv3d(voxels, cube / 8.0, [1, 1, 1, 1, 1], "VALID", name="smoothed")

# holes: what an atrous convolution did, turned round
wide = rng.rand(3, 3, 2, 2).astype(np.float32)
features = tf.constant(rng.rand(1, 8, 8, 2).astype(np.float32))
atrous = tf.nn.atrous_conv2d(features, wide, rate=2, padding="SAME")
back = tf.nn.atrous_conv2d_transpose(atrous, wide, [1, 8, 8, 2], rate=2, padding="SAME")
by_gradient = tf.gradients(atrous, features, atrous)[0]

# holes once more: into the batch, an ordinary convolution, and out again
by_hand = tf.nn.with_space_to_batch(
    features,
    dilation_rate=[2, 2],
    padding="SAME",
    op=lambda x, num_spatial_dims, padding: tf.nn.conv2d(x, wide, [1, 1, 1, 1], padding),
    filter_shape=[3, 3],
)
blocks = tf.nn.space_to_batch(features, paddings=[[0, 0], [0, 0]], block_size=2)

# super-resolution: four times as many channels become pixels
channels = tf.nn.conv2d(features, rng.rand(3, 3, 2, 4).astype(np.float32), [1, 1, 1, 1], "SAME")
larger = tf.nn.depth_to_space(channels, 2)
smaller = tf.nn.space_to_depth(larger, 2)

with tf.Session() as sess:
    print(twice.shape, np.round(np.float64(sess.run(twice)[0, :6, 0]), 3).tolist())
    print(np.array_equal(*sess.run([twice, any_one])), np.array_equal(*sess.run([two, any_two])))
    print(two.shape, np.round(np.float64(sess.run(two)[0, 2, :, 0]), 3).tolist())
    print(voxels.shape, sess.run(voxels)[0, :, :, 0, 0].astype(int).tolist())
    print(smoothed.op.name, smoothed.shape, sess.run(smoothed)[0, 1, 1, :, 0].tolist())
    print(back.shape, np.allclose(*sess.run([back, by_gradient]), rtol=1e-4))
    print(np.round(np.float64(sess.run(back)[0, 4, 4]), 2).tolist())
    print(np.allclose(*sess.run([atrous, by_hand]), rtol=1e-4), by_hand.shape, blocks.shape)
    print(channels.shape, larger.shape, np.array_equal(*sess.run([channels, smaller])))
    print(np.round(np.float64(sess.run(larger)[0, :2, :2, 0]), 3).tolist())
    print(sess.run(blocks)[:, 0, 0, 0].shape)
