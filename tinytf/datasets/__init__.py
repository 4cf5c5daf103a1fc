"""The data sets of TensorFlow's tutorials: their files, read where they are already.

files          where they may be, and what to do if they are nowhere
idx            the format of MNIST's four files
course_digits  the digits of the course, in MNIST's shapes
mnist          as `tensorflow.examples.tutorials.mnist.input_data` gives it
keras          as `tf.keras.datasets` gives it and others

Nothing is fetched from a network, and nothing is unpickled.
"""
