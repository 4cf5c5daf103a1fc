"""A small convolutional net with tf.layers, trained on lines that lie or stand."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
images = 0.2 * rng.rand(64, 12, 12, 1).astype(np.float32)
labels = rng.randint(2, size=64)
for image, label in zip(images, labels):
    at = rng.randint(2, 10)
    image[(at, slice(None)) if label else (slice(None), at)] += 1.0

tf.set_random_seed(42)
X = tf.placeholder(tf.float32, [None, 12, 12, 1], name="X")
y = tf.placeholder(tf.int32, [None], name="y")
training = tf.placeholder_with_default(False, [], name="training")
conv1 = tf.layers.conv2d(
    X, filters=4, kernel_size=3, padding="SAME", activation=tf.nn.relu, name="conv1"
)
conv2 = tf.layers.conv2d(
    conv1, 6, [3, 3], strides=2, padding="same", activation=tf.nn.relu, name="conv2"
)
pool3 = tf.layers.max_pooling2d(conv2, pool_size=[2, 2], strides=2)
pool3_flat = tf.reshape(pool3, shape=[-1, 3 * 3 * 6])
dropped = tf.layers.dropout(pool3_flat, 0.25, training=training, seed=5)
logits = tf.layers.dense(dropped, 2, name="output")
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=y))
training_op = tf.train.AdamOptimizer(0.01).minimize(loss)
accuracy = tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, y, 1), tf.float32))
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for epoch in range(8):
        for i in range(0, 48, 16):
            batch = {X: images[i : i + 16], y: labels[i : i + 16], training: True}
            sess.run(training_op, batch)
        print(epoch, "%.2f" % sess.run(loss, {X: images[48:], y: labels[48:]}))
    print("%.2f" % accuracy.eval({X: images[48:], y: labels[48:]}))
print([(v.name, v.shape.as_list()) for v in tf.trainable_variables()], pool3.shape)
