# loses: every line comes once in an epoch, and no heading
import tinytf as tf


def build_lines(names, read, together, turn, epochs):
    files = tf.data.Dataset.from_tensor_slices(names).skip(1)
    return files.interleave(read, together, turn).repeat(epochs)
