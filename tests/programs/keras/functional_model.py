"""Inputs and outputs of a model by functions; the model called in a graph of one's own."""

import numpy as np
import tensorflow as tf

inputs = tf.keras.Input(shape=(3,))
ones = tf.keras.initializers.Ones()
hidden = tf.keras.layers.Dense(2, activation="tanh", kernel_initializer=ones)(inputs)
outputs = tf.keras.layers.Dense(1, kernel_initializer=ones)(hidden)
model = tf.keras.Model(inputs=inputs, outputs=outputs)
x = tf.placeholder(tf.float32, [None, 3])
twice = model(x) * 2.0
sess = tf.keras.backend.get_session()
sess.run(tf.global_variables_initializer())
print(np.round(sess.run(twice, {x: np.ones((1, 3)) / 3}), 3))
print([v.name for v in model.trainable_weights], twice.shape, len(model.layers))
