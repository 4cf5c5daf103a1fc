"""Films of a dot that moves right or down: a 3-D convnet tells which, another enlarges them."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
films = 0.1 * rng.rand(24, 6, 8, 8, 1).astype(np.float32)
directions = rng.randint(2, size=24)
for film, direction in zip(films, directions):
    row, column = rng.randint(0, 3, size=2)
    for frame in range(6):
        down, right = (frame, 0) if direction else (0, frame)
        film[frame, row + down, column + right] += 1.0

tf.set_random_seed(42)
video = tf.placeholder(tf.float32, [None, 6, 8, 8, 1], name="video")
label = tf.placeholder(tf.int64, [None], name="label")

with tf.variable_scope("classifier"):
    conv1 = tf.layers.conv3d(
        video,
        filters=4,
        kernel_size=(2, 3, 3),
        padding="same",
        activation=tf.nn.relu,
        kernel_regularizer=lambda w: 0.001 * tf.nn.l2_loss(w),
        name="conv1",
    )
    pool1 = tf.layers.max_pooling3d(conv1, pool_size=(1, 2, 2), strides=(1, 2, 2), name="pool1")
    conv2 = tf.layers.conv3d(pool1, 8, 3, strides=2, activation=tf.nn.relu, name="conv2")
    pool2 = tf.layers.average_pooling3d(conv2, [2, 1, 1], [2, 1, 1], name="pool2")
    logits = tf.layers.dense(tf.layers.flatten(pool2), 2, name="logits")

with tf.variable_scope("enlarger"):
    # from a film of half the size, and half of the frames, to the whole one
    small = tf.layers.average_pooling3d(video, pool_size=2, strides=2, padding="same")
    drawn = tf.layers.conv3d_transpose(
        small, 1, kernel_size=(2, 2, 2), strides=(2, 2, 2), name="draw", use_bias=True
    )

cross_entropy = tf.losses.sparse_softmax_cross_entropy(label, logits)
enlarging = tf.losses.mean_squared_error(video, drawn, weights=10.0)
loss = tf.losses.get_total_loss()
optimizer = tf.train.AdamOptimizer(0.01)
gradients, variables = zip(*optimizer.compute_gradients(loss))
clipped, norm = tf.clip_by_global_norm(gradients, 5.0)
train = optimizer.apply_gradients(zip(clipped, variables))
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), label), tf.float32))

print(conv1.shape, pool1.shape, conv2.shape, pool2.shape, small.shape, drawn.shape)
for v in tf.trainable_variables():
    print(v.name, v.shape.as_list())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {video: films[:16], label: directions[:16]}
    for step in range(31):
        if step % 10 == 0:
            values = sess.run([cross_entropy, enlarging, loss], feed)
            print(step, [np.round(float(v), 2) for v in values])
        sess.run(train, feed)
    test = {video: films[16:], label: directions[16:]}
    print("test accuracy", np.round(float(sess.run(accuracy, test)), 3))
    print("norm below 5:", sess.run(norm, feed) < 5)
