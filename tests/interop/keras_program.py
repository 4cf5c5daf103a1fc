"""A real TensorFlow trains the models of keras_model.py, and prints what became of them."""

import json

import tensorflow.compat.v1 as tf

from tests.interop.keras_model import train

tf.disable_v2_behavior()
print(json.dumps(train(tf)))
