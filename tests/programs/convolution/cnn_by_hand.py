"""Conv, bias, relu, pool with weights in dictionaries, as in the examples without layers."""

import numpy as np
import tensorflow as tf


def conv2d(x, W, b, strides=1):
    x = tf.nn.conv2d(x, W, strides=[1, strides, strides, 1], padding="SAME")
    x = tf.nn.bias_add(x, b)
    return tf.nn.relu(x)


def maxpool2d(x, k=2):
    return tf.nn.max_pool(x, ksize=[1, k, k, 1], strides=[1, k, k, 1], padding="SAME")


def conv_net(x, weights, biases, dropout):
    x = tf.reshape(x, shape=[-1, 8, 8, 1])
    conv1 = maxpool2d(conv2d(x, weights["wc1"], biases["bc1"]), k=2)
    conv2 = maxpool2d(conv2d(conv1, weights["wc2"], biases["bc2"]), k=2)
    fc1 = tf.reshape(conv2, [-1, weights["wd1"].get_shape().as_list()[0]])
    fc1 = tf.nn.relu(tf.add(tf.matmul(fc1, weights["wd1"]), biases["bd1"]))
    fc1 = tf.nn.dropout(fc1, dropout)
    return tf.add(tf.matmul(fc1, weights["out"]), biases["out"])


tf.set_random_seed(0)
X = tf.placeholder(tf.float32, [None, 64])
Y = tf.placeholder(tf.float32, [None, 2])
keep_prob = tf.placeholder(tf.float32)
weights = {
    "wc1": tf.Variable(0.3 * tf.random_normal([3, 3, 1, 4])),
    "wc2": tf.Variable(0.3 * tf.random_normal([3, 3, 4, 8])),
    "wd1": tf.Variable(0.3 * tf.random_normal([2 * 2 * 8, 10])),
    "out": tf.Variable(0.3 * tf.random_normal([10, 2])),
}
biases = {
    name: tf.Variable(tf.zeros([n]))
    for name, n in (("bc1", 4), ("bc2", 8), ("bd1", 10), ("out", 2))
}
logits = conv_net(X, weights, biases, keep_prob)
loss_op = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=Y))
train_op = tf.train.AdamOptimizer(learning_rate=0.01).minimize(loss_op)
correct_pred = tf.equal(tf.argmax(logits, 1), tf.argmax(Y, 1))
accuracy = tf.reduce_mean(tf.cast(correct_pred, tf.float32))

rng = np.random.RandomState(1)
labels = rng.randint(2, size=40)
images = rng.rand(40, 8, 8) + 1.5 * labels[:, None, None] * (np.arange(8) < 4)
images = images.reshape(40, 64)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {X: images, Y: np.eye(2)[labels]}
    for step in range(12):
        sess.run(train_op, feed_dict={**feed, keep_prob: 0.8})
        if step % 4 == 3:
            loss = sess.run(loss_op, feed_dict={**feed, keep_prob: 1.0})
            print("Step " + str(step + 1) + ", Loss= " + "{:.3f}".format(loss))
    print("Accuracy: %.2f" % sess.run(accuracy, feed_dict={**feed, keep_prob: 1.0}))
