"""`tf.keras.datasets`: read from the files that Keras keeps in ~/.keras/datasets.

mnist, fashion_mnist, cifar10, boston_housing: arrays. imdb, reuters: their files hold Python
objects, and reading these would run whatever code somebody put there; only their words are read.
"""
