"""A variational autoencoder: codings drawn around means, latent loss, and new samples."""

import numpy as np
import tensorflow as tf

n_inputs, n_hidden, n_hidden_coding = 9, 10, 2
rows = np.tile((np.random.RandomState(0).rand(4, n_inputs) > 0.5).astype(np.float32), (10, 1))
tf.set_random_seed(42)
X = tf.placeholder(tf.float32, [None, n_inputs])
hidden1 = tf.layers.dense(X, n_hidden, tf.nn.elu)
hidden_mean = tf.layers.dense(hidden1, n_hidden_coding, activation=None)
hidden_gamma = tf.layers.dense(hidden1, n_hidden_coding, activation=None)
noise = tf.random_normal(tf.shape(hidden_gamma), dtype=tf.float32)
hidden_coding = hidden_mean + tf.exp(0.5 * hidden_gamma) * noise
hidden3 = tf.layers.dense(hidden_coding, n_hidden, tf.nn.elu)
logits = tf.layers.dense(hidden3, n_inputs, activation=None)
outputs = tf.sigmoid(logits)
xentropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=X, logits=logits)
reconstruction_loss = tf.reduce_sum(xentropy)
latent_loss = 0.5 * tf.reduce_sum(tf.exp(hidden_gamma) + tf.square(hidden_mean) - 1 - hidden_gamma)
loss = (reconstruction_loss + latent_loss) / len(rows)
training_op = tf.train.AdamOptimizer(learning_rate=0.01).minimize(loss)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for epoch in range(61):
        found = sess.run([training_op, loss, latent_loss], feed_dict={X: rows})
        if epoch % 20 == 0:
            print("%d Train total loss: %.2f latent %.1f" % (epoch, found[1], found[2]))
    codings = np.random.RandomState(1).normal(size=[2, n_hidden_coding])
    images = outputs.eval(feed_dict={hidden_coding: codings})
    print(images.shape, (images > 0.5).astype(int)[0].shape)
