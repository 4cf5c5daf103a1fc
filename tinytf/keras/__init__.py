"""`tf.keras`: of Keras, what programs for graphs use; layers share what `tf.layers` are made of.

base_layer.py    `Layer`: scopes and names as Keras has them, and who made which tensor
layers.py        layers; merging.py: those of several inputs
models.py        `Model` and `Sequential`; training.py: compile, fit, evaluate, predict
backend.py       the session, the learning phase, and functions by Keras' names
losses.py, metrics.py, optimizers.py, callbacks.py
activations.py, initializers.py, regularizers.py, constraints.py, utils.py
"""
