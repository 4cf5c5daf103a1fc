"""A stacked autoencoder with tied weights and l2 loss, trained by reconstruction."""

import numpy as np
import tensorflow as tf

n_inputs, n_hidden1, n_hidden2 = 12, 8, 3
rng = np.random.RandomState(0)
codes = rng.rand(60, 3)
rows = (codes @ rng.rand(3, n_inputs)).astype(np.float32)
tf.set_random_seed(42)
activation = tf.nn.elu
initializer = tf.variance_scaling_initializer()
X = tf.placeholder(tf.float32, shape=[None, n_inputs])
weights1 = tf.Variable(initializer([n_inputs, n_hidden1]), dtype=tf.float32, name="weights1")
weights2 = tf.Variable(initializer([n_hidden1, n_hidden2]), dtype=tf.float32, name="weights2")
weights3 = tf.transpose(weights2, name="weights3")
weights4 = tf.transpose(weights1, name="weights4")
biases = [tf.Variable(tf.zeros(n), name="biases%d" % i) for i, n in enumerate((8, 3, 8, 12), 1)]
hidden1 = activation(tf.matmul(X, weights1) + biases[0])
hidden2 = activation(tf.matmul(hidden1, weights2) + biases[1])
hidden3 = activation(tf.matmul(hidden2, weights3) + biases[2])
outputs = tf.matmul(hidden3, weights4) + biases[3]
reconstruction_loss = tf.reduce_mean(tf.square(outputs - X))
reg_loss = 0.0005 * (tf.nn.l2_loss(weights1) + tf.nn.l2_loss(weights2))
training_op = tf.train.AdamOptimizer(0.01).minimize(reconstruction_loss + reg_loss)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for epoch in range(60):
        sess.run(training_op, feed_dict={X: rows})
        if epoch % 20 == 19:
            print(epoch, "Train MSE: %.3f" % reconstruction_loss.eval(feed_dict={X: rows}))
    print(sess.run(hidden2, {X: rows[:1]}).shape, [v.name for v in tf.trainable_variables()])
