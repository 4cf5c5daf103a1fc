"""Style and content losses: gram matrices of feature maps, and an image that is trained itself."""

import numpy as np
import tensorflow as tf


def gram_matrix(F, N, M):
    F = tf.reshape(F, (M, N))
    return tf.matmul(tf.transpose(F), F)


rng = np.random.RandomState(0)
kernel = tf.constant(rng.randn(3, 3, 3, 4).astype(np.float32) * 0.3)


def features(image):
    return tf.nn.relu(tf.nn.conv2d(image, kernel, [1, 1, 1, 1], "SAME"))


content = rng.rand(1, 8, 8, 3).astype(np.float32)
style = np.tile(np.float32([1, 0])[:, None], (4, 8))[None, :, :, None] * np.ones(3, np.float32)
image = tf.Variable(content, name="generated")
f = features(image)
N, M = 4, 64
g = gram_matrix(f, N, M)
a = gram_matrix(features(tf.constant(style)), N, M)
style_loss = tf.reduce_sum((g - a) ** 2 / ((2 * N * M) ** 2))
content_loss = tf.reduce_sum((f - features(tf.constant(content))) ** 2) / (4.0 * content.size)
total_loss = 0.1 * content_loss + 10.0 * style_loss
opt = tf.train.AdamOptimizer(0.05).minimize(total_loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(21):
        if step % 10 == 0:
            c, s, t = sess.run([content_loss, style_loss, total_loss])
            print("Step {}: content {:.2f} style {:.2f} total {:.2f}".format(step, c, s, t))
        sess.run(opt)
    print(image.eval().shape, np.round(sess.run(g)[0], 1))
