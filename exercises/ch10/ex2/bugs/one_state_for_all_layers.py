# loses: the states are right
import tinytf as tf


def build_pipeline(sequence, layers, devices):
    state, result = None, []
    for value in sequence:
        for layer, device in zip(layers, devices, strict=True):
            with tf.device(device):
                value = state = layer(value, state)
        result.append(value)
    return result
