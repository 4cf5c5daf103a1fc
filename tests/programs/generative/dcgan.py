"""Generator and discriminator of convolutions with reused scopes and batch normalisation."""

import numpy as np
import tensorflow as tf


def generator(x, reuse=False):
    with tf.variable_scope("Generator", reuse=reuse):
        x = tf.layers.dense(x, units=2 * 2 * 8)
        x = tf.nn.tanh(x)
        x = tf.reshape(x, shape=[-1, 2, 2, 8])
        x = tf.layers.conv2d_transpose(x, 4, 4, strides=2, padding="same")
        x = tf.nn.relu(tf.layers.batch_normalization(x, training=True))
        x = tf.layers.conv2d_transpose(x, 1, 2, strides=2)
        return tf.nn.sigmoid(x)


def discriminator(x, reuse=False):
    with tf.variable_scope("Discriminator", reuse=reuse):
        x = tf.layers.conv2d(x, 4, 3, padding="same")
        x = tf.nn.leaky_relu(x)
        x = tf.layers.average_pooling2d(x, 2, 2)
        x = tf.layers.flatten(x)
        return tf.layers.dense(x, 2)


tf.set_random_seed(0)
rng = np.random.RandomState(0)
real = (np.indices((8, 8)).sum(0) % 2).astype(np.float32)[None, :, :, None].repeat(8, 0)
noise_input = tf.placeholder(tf.float32, shape=[None, 4])
real_image_input = tf.placeholder(tf.float32, shape=[None, 8, 8, 1])
gen_sample = generator(noise_input)
disc_real = discriminator(real_image_input)
disc_fake = discriminator(gen_sample, reuse=True)
disc_concat = tf.concat([disc_real, disc_fake], axis=0)
disc_target, gen_target = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
disc_loss = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(logits=disc_concat, labels=disc_target)
)
gen_loss = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(logits=disc_fake, labels=gen_target)
)
gen_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="Generator")
disc_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="Discriminator")
train_gen = tf.train.AdamOptimizer(0.005).minimize(gen_loss, var_list=gen_vars)
train_disc = tf.train.AdamOptimizer(0.005).minimize(disc_loss, var_list=disc_vars)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(7):
        feed = {
            real_image_input: real,
            noise_input: rng.uniform(-1.0, 1.0, size=[8, 4]),
            disc_target: [1] * 8 + [0] * 8,
            gen_target: [1] * 8,
        }
        _, _, gl, dl = sess.run([train_gen, train_disc, gen_loss, disc_loss], feed_dict=feed)
        if i % 3 == 0:
            print("Step %i: Generator Loss: %.2f, Discriminator Loss: %.2f" % (i, gl, dl))
print([v.name for v in gen_vars], [v.shape.as_list() for v in disc_vars], gen_sample.shape)
