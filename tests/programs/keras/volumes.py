"""Scans in three dimensions: a model that shrinks a volume, one that blows it up again."""

import numpy as np
import tensorflow as tf


def shown(values):
    return ["%.3f" % value for value in values]


K = tf.keras.backend
L = tf.keras.layers
rng = np.random.RandomState(13)

encoder = tf.keras.Sequential(name="encoder")
encoder.add(L.Conv3D(3, (3, 3, 3), padding="same", activation="elu", input_shape=(4, 6, 6, 1)))
encoder.add(L.MaxPooling3D(pool_size=(1, 2, 2)))
encoder.add(L.Conv3D(2, kernel_size=2, activation="softsign", data_format="channels_last"))
encoder.add(L.AveragePooling3D(pool_size=(3, 1, 1), strides=1))

decoder = tf.keras.Sequential(name="decoder")
decoder.add(L.InputLayer(input_shape=(1, 2, 2, 2), name="code"))
decoder.add(L.Conv3DTranspose(3, 2, activation="selu"))
decoder.add(L.Conv3DTranspose(1, kernel_size=(4, 4, 4), strides=(1, 1, 1), use_bias=False))
decoder.add(L.Activation("hard_sigmoid"))

whole = tf.keras.Sequential([encoder, decoder])
for part in (encoder, decoder):
    part.set_weights([rng.normal(0, 0.4, w.shape) for w in part.get_weights()])
    for layer in part.layers:
        print(part.name, layer.name, K.int_shape(layer.output), layer.count_params())
print(K.int_shape(whole.output), len(whole.weights), K.ndim(whole.output))

volumes = rng.uniform(0, 1, (2, 4, 6, 6, 1)).astype(np.float32)
small = encoder.predict(volumes)
print(small.shape, shown(small[0].ravel()))
print(shown(decoder.predict(small)[1, 2, 2, :, 0]))

x = tf.keras.Input((4, 6, 6, 1))
tops = [L.GlobalMaxPooling3D()(encoder(x)), L.GlobalAveragePooling3D()(encoder(x))]
summary = tf.keras.Model(x, L.subtract(tops))
spread = summary.predict(volumes)
print(shown(spread.ravel()), (spread >= 0).all())

scaled = tf.keras.utils.normalize(volumes.reshape(2, -1), axis=1)
print(shown(np.linalg.norm(scaled, axis=1)))
