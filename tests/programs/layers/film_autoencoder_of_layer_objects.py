"""An autoencoder for films: a class that keeps its 3-D layers and uses them for two inputs."""

import numpy as np
import tensorflow as tf


class FilmAutoencoder(object):
    def __init__(self, channels, name="film"):
        relu = tf.nn.relu
        self.conv = tf.layers.Conv3D(channels, 3, padding="same", activation=relu, name="conv")
        self.batch_norm = tf.layers.BatchNormalization(momentum=0.9, epsilon=1e-2, name="bn")
        self.max_pool = tf.layers.MaxPooling3D(pool_size=2, strides=2, name="max_pool")
        self.mean_pool = tf.layers.AveragePooling3D((1, 2, 2), (1, 2, 2), name="mean_pool")
        self.flatten = tf.layers.Flatten()
        self.code = tf.layers.Dense(5, name="code")
        self.spread = tf.layers.Dense(2 * 2 * 2 * channels, relu, name="spread")
        self.up = tf.layers.Conv3DTranspose(1, (2, 4, 4), (2, 4, 4), "same", name="up")
        self.channels = channels

    def encode(self, films, training=False):
        features = self.batch_norm(self.conv(films), training=training)
        pooled = self.mean_pool(self.max_pool(features))
        return self.code(self.flatten(pooled))

    def decode(self, codes):
        block = tf.reshape(self.spread(codes), [-1, 2, 2, 2, self.channels])
        return self.up(block)

    @property
    def layers(self):
        return [self.conv, self.batch_norm, self.code, self.spread, self.up]

    @property
    def trainable_variables(self):
        return [v for layer in self.layers for v in layer.trainable_variables]


tf.set_random_seed(7)
rng = np.random.RandomState(1)
films = rng.rand(6, 4, 8, 8, 1).astype(np.float32)
net = FilmAutoencoder(3)
x = tf.placeholder(tf.float32, [None, 4, 8, 8, 1])
backwards = tf.reverse(x, axis=[1])
codes = net.encode(x, training=True)
mirrored = net.encode(backwards, training=True)
decoded = net.decode(codes)
# films that run backwards get the same code, turned round
loss = tf.reduce_mean(tf.square(x - decoded)) + 0.1 * tf.reduce_mean(tf.square(codes + mirrored))
optimizer = tf.train.MomentumOptimizer(0.05, 0.9)
gradients = optimizer.compute_gradients(loss, net.trainable_variables)
with tf.control_dependencies([g for g, _ in gradients]):
    updates = tf.group(*net.batch_norm.updates)
with tf.control_dependencies([updates]):
    train = optimizer.apply_gradients(gradients)

for layer in net.layers:
    print(layer.name, layer.count_params(), [v.name for v in layer.trainable_variables])
print(len(net.batch_norm.updates), "updates", net.conv.kernel.shape, net.up.bias.shape)
print([v.name for v in net.batch_norm.non_trainable_variables])
print(net.max_pool(net.conv(x)).shape, net.up.compute_output_shape([None, 2, 2, 2, 3]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(21):
        if step % 10 == 0:
            print(step, np.round(float(sess.run(loss, {x: films})), 3))
        sess.run(train, {x: films})
    print(sess.run([tf.shape(codes), tf.shape(decoded)], {x: films}))
    print(sess.run(net.batch_norm.moving_variance).min() < 1)
