"""A convolutional autoencoder with Conv2DTranspose, judged by layers that compare images."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import (
    Conv2D,
    Conv2DTranspose,
    Dense,
    Flatten,
    Input,
    Lambda,
    Maximum,
    Minimum,
    Reshape,
    Subtract,
    add,
)
from tensorflow.keras.models import Model

rng = np.random.RandomState(3)
rows, columns = np.mgrid[0:8, 0:8] / 8.0
images = np.stack([np.sin(3 * a * rows + b * columns) ** 2 for a, b in rng.rand(24, 2) * 3])
images = images[..., np.newaxis].astype(np.float32)

# The encoder and the decoder are models of their own, which share their layers with the whole.
shown = Input(shape=(8, 8, 1), name="shown")
x = Conv2D(4, 3, strides=2, padding="same", activation="relu")(shown)
code = Dense(6, name="code")(Flatten()(x))
encoder = Model(shown, code, name="encoder")

latent = Input(shape=(6,), name="latent")
x = Reshape((4, 4, 2))(Dense(32, activation="relu")(latent))
x = Conv2DTranspose(3, 3, strides=(2, 2), padding="same", activation="relu")(x)
drawn = Conv2DTranspose(1, 3, padding="same", activation="sigmoid")(x)
decoder = Model(latent, drawn, name="decoder")

whole = Model(shown, decoder(encoder(shown)), name="autoencoder")
print([layer.name for layer in whole.layers], whole.count_params())
print(encoder.output_shape, decoder.output_shape, whole.output_shape)
weights = [rng.normal(0, 0.4, w.shape) if w.ndim > 1 else w for w in whole.get_weights()]
whole.set_weights(weights)

whole.compile(tf.keras.optimizers.Adam(lr=0.01), "binary_crossentropy")
before = whole.evaluate(images, images, batch_size=24, verbose=0)
whole.fit(images, images, batch_size=8, epochs=4, shuffle=False, verbose=0)
after = whole.evaluate(images, images, batch_size=24, verbose=0)
print("%.2f -> %.2f" % (before, after))
print(encoder.predict(images[:3]).shape, decoder.predict(np.zeros((1, 6))).shape)

# What is in either, in both, and in one only.
both = [shown, whole(shown)]
either, common = Maximum()(both), Minimum()(both)
differ = Subtract()([either, common])
total = Lambda(lambda image: tf.reduce_sum(image, axis=[1, 2, 3]))
judged = Model(shown, [total(add([either, common])), total(differ)])
sums, differences = judged.predict(images)
print(np.allclose(sums, (images + whole.predict(images)).sum(axis=(1, 2, 3)), rtol=1e-4))
print(differences.shape, (differences > 0).all(), differences.max() < 32)

# A trained encoder that is frozen, under a new head.
encoder.trainable = False
probe = Model(shown, Dense(1, kernel_initializer="zeros", name="probe")(encoder(shown)))
probe.compile("sgd", "mse")
kept = encoder.get_weights()
loss = probe.train_on_batch(images, images.mean(axis=(1, 2)))
print(len(probe.trainable_weights), len(probe.non_trainable_weights), "%.3f" % loss)
print(all(np.array_equal(a, b) for a, b in zip(kept, encoder.get_weights())))
