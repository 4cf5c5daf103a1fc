# loses: the states are right
import tinytf as tf


def build_pipeline(sequence, layers, devices):
    for layer, device in zip(layers, devices, strict=True):
        with tf.device(device):
            sequence = [layer(value, None) for value in sequence]
    return sequence
