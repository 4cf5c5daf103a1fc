"""A Sequential model: compiled, fitted without shuffling, evaluated, used, its weights kept."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(0)
x = rng.randn(60, 4).astype(np.float32)
y = (x[:, 0] + x[:, 1] > 0).astype(np.int32)
tf.set_random_seed(7)
model = tf.keras.Sequential(
    [
        tf.keras.layers.Dense(8, activation="relu", input_shape=(4,)),
        tf.keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(optimizer="sgd", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, batch_size=20, epochs=3, shuffle=False, verbose=0)
print(np.round(history.history["loss"], 2))
loss, accuracy = model.evaluate(x, y, batch_size=60, verbose=0)
print("%.2f %.2f" % (loss, accuracy), model.predict(x[:2]).shape, model.count_params())
print([w.shape for w in model.get_weights()], [layer.name for layer in model.layers])
