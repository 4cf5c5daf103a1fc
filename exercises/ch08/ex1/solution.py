import tinytf as tf


def build_lines(names, read, together, turn, epochs):
    files = tf.data.Dataset.from_tensor_slices(names)
    lines = files.interleave(
        lambda name: read(name).skip(1), cycle_length=together, block_length=turn
    )
    return lines.repeat(epochs)
