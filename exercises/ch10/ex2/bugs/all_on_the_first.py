# loses: each layer is on its device, with its weights
import tinytf as tf


def build_pipeline(sequence, layers, devices):
    with tf.device(devices[0]):
        for layer in layers:
            state, states = None, []
            for value in sequence:
                state = layer(value, state)
                states.append(state)
            sequence = states
    return sequence
