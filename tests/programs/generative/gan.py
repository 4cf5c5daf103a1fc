"""A generative adversarial net by hand: two optimizers, each with its own variables."""

import numpy as np
import tensorflow as tf


def glorot_init(shape):
    return tf.random_normal(shape=shape, stddev=1.0 / tf.sqrt(shape[0] / 2.0))


image_dim, gen_hidden, disc_hidden, noise_dim = 6, 8, 8, 3
rng = np.random.RandomState(0)
real = (0.8 + 0.1 * rng.rand(32, image_dim)).astype(np.float32)
tf.set_random_seed(1)
weights = {
    "gen_hidden1": tf.Variable(glorot_init([noise_dim, gen_hidden])),
    "gen_out": tf.Variable(glorot_init([gen_hidden, image_dim])),
    "disc_hidden1": tf.Variable(glorot_init([image_dim, disc_hidden])),
    "disc_out": tf.Variable(glorot_init([disc_hidden, 1])),
}
biases = {name: tf.Variable(tf.zeros([w.shape[1]])) for name, w in weights.items()}


def generator(x):
    hidden = tf.nn.relu(tf.matmul(x, weights["gen_hidden1"]) + biases["gen_hidden1"])
    return tf.nn.sigmoid(tf.matmul(hidden, weights["gen_out"]) + biases["gen_out"])


def discriminator(x):
    hidden = tf.nn.relu(tf.matmul(x, weights["disc_hidden1"]) + biases["disc_hidden1"])
    return tf.nn.sigmoid(tf.matmul(hidden, weights["disc_out"]) + biases["disc_out"])


gen_input = tf.placeholder(tf.float32, shape=[None, noise_dim], name="input_noise")
disc_input = tf.placeholder(tf.float32, shape=[None, image_dim], name="disc_input")
gen_sample = generator(gen_input)
disc_real, disc_fake = discriminator(disc_input), discriminator(gen_sample)
gen_loss = -tf.reduce_mean(tf.log(disc_fake))
disc_loss = -tf.reduce_mean(tf.log(disc_real) + tf.log(1.0 - disc_fake))
gen_vars = [v for part in (weights, biases) for name, v in part.items() if "gen" in name]
disc_vars = [v for part in (weights, biases) for name, v in part.items() if "disc" in name]
train_gen = tf.train.AdamOptimizer(0.02).minimize(gen_loss, var_list=gen_vars)
train_disc = tf.train.AdamOptimizer(0.02).minimize(disc_loss, var_list=disc_vars)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(31):
        z = rng.uniform(-1.0, 1.0, size=[32, noise_dim])
        feed = {disc_input: real, gen_input: z}
        _, _, gl, dl = sess.run([train_gen, train_disc, gen_loss, disc_loss], feed_dict=feed)
        if i % 10 == 0:
            print("Step %i: Generator Loss: %.1f, Discriminator Loss: %.1f" % (i, gl, dl))
    print(sess.run(gen_sample, {gen_input: z}).mean() > 0.6, len(gen_vars), len(disc_vars))
