"""Sentences of numbered words: an embedding trained with momentum, at a rate that falls."""

import numpy as np
import tensorflow as tf

layers = tf.keras.layers
WORDS, LENGTH = 30, 8
rng = np.random.RandomState(1)
sentences = rng.randint(0, WORDS // 2, (48, LENGTH))
moods = (sentences < 5).sum(axis=1) > 2

model = tf.keras.models.Sequential()
model.add(layers.Embedding(WORDS, 4, input_length=LENGTH, embeddings_initializer="zeros"))
model.add(layers.GlobalAveragePooling1D())
model.add(layers.Dense(8, activation="tanh"))
model.add(layers.Dense(1, activation="sigmoid"))
print([layer.output_shape for layer in model.layers])
model.set_weights([rng.normal(0, 0.5, weights.shape) for weights in model.get_weights()])
start = model.get_weights()[0]

rates = {}


def rate_of(epoch):
    rates[epoch] = 0.4 / 2**epoch
    return rates[epoch]


for nesterov in (False, True):
    optimizer = tf.keras.optimizers.SGD(lr=1.0, momentum=0.9, nesterov=nesterov)
    model.compile(optimizer=optimizer, loss="binary_crossentropy", metrics=["acc"])
    history = model.fit(
        sentences[:32],
        moods[:32],
        batch_size=8,
        epochs=4,
        shuffle=False,
        verbose=0,
        validation_split=0.25,
        callbacks=[tf.keras.callbacks.LearningRateScheduler(rate_of)],
    )
    for name in sorted(history.history):
        print(name, ["%.3f" % value for value in history.history[name]])
print(rates)

moved = np.abs(model.get_weights()[0] - start).sum(axis=1)
print("words never seen stay where they were:", (moved[WORDS // 2 :] == 0).all())
print("%.3f %.3f" % (moved.min(), moved.max()))
weighted = model.evaluate(sentences[32:], moods[32:], sample_weight=moods[32:] + 1.0, verbose=0)
print(["%.3f" % value for value in weighted])
