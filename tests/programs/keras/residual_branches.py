"""A small residual and inception-like net by functions: layers that join others, one by one."""

import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import (
    Activation,
    Add,
    Average,
    BatchNormalization,
    Concatenate,
    Conv2D,
    Dense,
    GlobalAveragePooling2D,
    GlobalMaxPooling2D,
    Input,
    LeakyReLU,
    ReLU,
    SeparableConv2D,
    Softmax,
    average,
    concatenate,
    maximum,
    minimum,
    multiply,
    subtract,
)


def shown(values):
    return ["%.3f" % value for value in values]


def residual(x, filters):
    """Two convolutions, and what they were given added again."""
    shortcut = Conv2D(filters, 1, use_bias=False)(x)
    x = Conv2D(filters, 3, padding="same")(x)
    x = BatchNormalization(momentum=0.9)(x)
    x = ReLU(max_value=6.0)(x)
    x = SeparableConv2D(filters, 3, padding="same")(x)
    return Activation("relu")(Add()([x, shortcut]))


def squeeze(x):
    """Channels scaled by what all of the image says of them."""
    channels = int(x.shape[-1])
    scale = Dense(2)(GlobalAveragePooling2D()(x))
    scale = Dense(channels, activation="sigmoid")(LeakyReLU(alpha=0.2)(scale))
    return multiply([x, tf.keras.layers.Reshape((1, 1, channels))(scale)])


image = Input(shape=(6, 6, 3), name="image")
x = squeeze(residual(image, 4))
wide = Conv2D(4, 5, padding="same", activation="tanh")(x)
narrow = Conv2D(4, 1, activation="tanh")(x)
parts = [maximum([wide, narrow]), minimum([wide, narrow]), subtract([wide, narrow])]
x = concatenate(parts + [average([wide, narrow])])
pooled = Concatenate(name="pooled")([GlobalMaxPooling2D()(x), GlobalAveragePooling2D()(x)])
heads = [Softmax()(Dense(3)(pooled)) for _ in range(2)]
model = tf.keras.Model(inputs=image, outputs=Average(name="vote")(heads))

rng = np.random.RandomState(0)
model.set_weights([rng.normal(0.1, 0.3, w.shape) ** 2 for w in model.get_weights()])
for layer in model.layers:
    print("%-28s %s" % (layer.name, layer.output_shape))
print(len(model.trainable_weights), len(model.non_trainable_weights), model.count_params())

images = rng.uniform(-1, 1, (4, 6, 6, 3)).astype(np.float32)
votes = model.predict(images)
print(votes.shape, shown(votes.sum(axis=1)))
print(shown(votes[0]))
middle = tf.keras.Model(model.input, model.get_layer("pooled").output)
print(shown(middle.predict(images)[0, ::4]))

model.compile(
    "adam", loss="sparse_categorical_crossentropy", metrics=["sparse_categorical_accuracy"]
)
labels = np.array([0, 1, 2, 1])
losses = [model.train_on_batch(images, labels)[0] for _ in range(6)]
print(losses[0] > losses[-1], model.metrics_names)
