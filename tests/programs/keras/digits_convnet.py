"""A convolutional net for small drawings of lines, as in the books, with callbacks."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.callbacks import Callback, EarlyStopping, LearningRateScheduler

rng = np.random.RandomState(3)


def drawings(number):
    """Horizontal, vertical and diagonal lines of 8 by 8, with noise."""
    images = rng.uniform(0, 0.4, (number, 8, 8, 1)).astype(np.float32)
    kinds = rng.randint(0, 3, number)
    for image, kind in zip(images, kinds):
        at = rng.randint(1, 7)
        if kind == 0:
            image[at, :, 0] += 1
        elif kind == 1:
            image[:, at, 0] += 1
        else:
            image[range(8), np.roll(range(8), at - 4), 0] += 1
    return images, kinds


class Diary(Callback):
    """Counts what it is told of, and keeps what an epoch ends with."""

    def on_train_begin(self, logs=None):
        self.lines, self.batches = [], 0

    def on_batch_end(self, batch, logs=None):
        self.batches += 1

    def on_epoch_end(self, epoch, logs=None):
        self.lines.append("%d after %d batches: %s" % (epoch, self.batches, sorted(logs)))


x_train, y_train = drawings(64)
x_test, y_test = drawings(48)
y_train = tf.keras.utils.to_categorical(y_train, 3)
y_test = tf.keras.utils.to_categorical(y_test, 3)
print(x_train.shape, y_train[:3].tolist())

model = tf.keras.Sequential()
model.add(layers.ZeroPadding2D((1, 1), input_shape=(8, 8, 1)))
model.add(layers.Conv2D(6, (3, 3), kernel_initializer="zeros", name="edges"))
model.add(layers.BatchNormalization())
model.add(layers.Activation("relu"))
model.add(layers.MaxPooling2D(pool_size=(2, 2)))
model.add(layers.Conv2D(8, (3, 3), activation="relu", padding="same"))
model.add(layers.AveragePooling2D())
model.add(layers.Flatten())
model.add(layers.Dropout(0.0))
model.add(layers.Dense(3, activation="softmax"))
model.set_weights([rng.normal(0, 0.3, w.shape) if w.ndim > 1 else w for w in model.get_weights()])
for layer in model.layers:
    print(layer.name, layer.output_shape, layer.count_params())

model.compile(
    optimizer=tf.keras.optimizers.SGD(lr=0.05, momentum=0.9),
    loss="categorical_crossentropy",
    metrics=["accuracy"],
)
diary = Diary()
history = model.fit(
    x_train,
    y_train,
    batch_size=32,
    epochs=8,
    verbose=0,
    shuffle=False,
    validation_data=(x_test, y_test),
    callbacks=[
        diary,
        LearningRateScheduler(lambda epoch: 0.05 if epoch < 4 else 0.0),
        EarlyStopping(monitor="loss", min_delta=0.05, patience=1),
    ],
)
print(isinstance(history, tf.keras.callbacks.History), history.epoch)
print(diary.lines[0])
print(diary.lines[-1])
print(["%.2f" % loss for loss in history.history["loss"]])
loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
print("test: %.2f %.2f" % (loss, accuracy))
moving = model.layers[2].get_weights()[2]
print("moving means", ["%.3f" % mean for mean in moving])
