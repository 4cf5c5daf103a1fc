"""Softmax regression as in the first tutorials: one-hot labels, cost, batches, accuracy."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(11)
means = rng.randn(4, 16) * 1.2
labels = rng.randint(4, size=300)
images = (means[labels] + rng.randn(300, 16)).astype(np.float32)
one_hot = np.eye(4, dtype=np.float32)[labels]

x = tf.placeholder(tf.float32, [None, 16])
y = tf.placeholder(tf.float32, [None, 4])
W = tf.Variable(tf.zeros([16, 4]))
b = tf.Variable(tf.zeros([4]))
pred = tf.nn.softmax(tf.matmul(x, W) + b)
cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(pred), reduction_indices=1))
optimizer = tf.train.GradientDescentOptimizer(0.05).minimize(cost)
correct_prediction = tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1))
accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(5):
        avg_cost = 0.0
        total_batch = 5
        for i in range(total_batch):
            feed = {x: images[40 * i : 40 * i + 40], y: one_hot[40 * i : 40 * i + 40]}
            _, c = sess.run([optimizer, cost], feed_dict=feed)
            avg_cost += c / total_batch
        print("Epoch:", "%04d" % (epoch + 1), "cost=", "{:.3f}".format(avg_cost))
    print("Accuracy: %.2f" % accuracy.eval({x: images[200:], y: one_hot[200:]}))
