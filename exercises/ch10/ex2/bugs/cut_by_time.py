# loses: each layer is on its device, with its weights
import tinytf as tf


def build_pipeline(sequence, layers, devices):
    for layer in layers:
        state, states = None, []
        for step, value in enumerate(sequence):
            with tf.device(devices[step * len(devices) // len(sequence)]):
                state = layer(value, state)
            states.append(state)
        sequence = states
    return sequence
