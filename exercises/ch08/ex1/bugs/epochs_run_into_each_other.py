# loses: an epoch begins when the one before is over
import tinytf as tf


def build_lines(names, read, together, turn, epochs):
    files = tf.data.Dataset.from_tensor_slices(names).repeat(epochs)
    return files.interleave(lambda name: read(name).skip(1), together, turn)
