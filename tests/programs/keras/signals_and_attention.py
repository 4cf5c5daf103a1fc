"""Series of measurements in one dimension: convolutions, pooling, and attention by Permute."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


def shown(values):
    return ["%.3f" % value for value in values]


STEPS, CHANNELS = 12, 3
rng = np.random.RandomState(12)
x = rng.uniform(-1, 1, (40, STEPS, CHANNELS)).astype(np.float32)
y = (x[:, :6, 0].mean(axis=1) > x[:, 6:, 0].mean(axis=1)).astype(np.float32)

series = layers.Input(shape=(STEPS, CHANNELS))
hidden = layers.Conv1D(6, 3, padding="causal", activation="relu")(series)
hidden = layers.SeparableConv1D(6, 3, padding="same", depth_multiplier=2)(hidden)
hidden = layers.LeakyReLU()(hidden)
coarse = layers.MaxPooling1D(2)(hidden)
smooth = layers.AveragePooling1D(2)(hidden)
joined = layers.concatenate([coarse, smooth], name="both")

# How much each step counts: a softmax along time, for each channel.
turned = layers.Permute((2, 1))(joined)
weights = layers.Dense(STEPS // 2, activation="softmax")(turned)
weights = layers.Permute((2, 1), name="attention")(weights)
attended = layers.Multiply()([joined, weights])
total = layers.Lambda(lambda t, axis: tf.reduce_sum(t, axis), arguments={"axis": 1})(attended)
pooled = [layers.GlobalMaxPooling1D()(hidden), layers.GlobalAveragePooling1D()(hidden)]
features = layers.Concatenate()([total] + pooled)
said = layers.Dense(1, activation="sigmoid", name="said")(features)
model = tf.keras.Model(series, said)

model.set_weights([rng.normal(0, 0.5, w.shape) for w in model.get_weights()])
for layer in model.layers:
    print("%-28s %s" % (layer.name, layer.output_shape))

looked_at = tf.keras.Model(series, model.get_layer("attention").output).predict(x[:2])
print("attention", looked_at.shape, shown(looked_at.sum(axis=1)[0, :3]))
print(shown(looked_at[0, :, 0]))

model.compile(
    loss="binary_crossentropy",
    optimizer=tf.keras.optimizers.RMSprop(lr=0.01),
    metrics=["binary_accuracy", "mae"],
)
before = model.evaluate(x, y, verbose=0, batch_size=40)
history = model.fit(x, y, epochs=5, batch_size=10, shuffle=False, verbose=0)
after = model.evaluate(x, y, verbose=0, batch_size=40)
print(model.metrics_names, sorted(history.history))
print(["%.3f" % v for v in before], "->", ["%.3f" % v for v in after])
print(shown(model.predict_on_batch(x[:3])[:, 0]))
