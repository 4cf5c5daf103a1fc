# loses: the states are right
import tinytf as tf


def build_pipeline(sequence, layers, devices):
    kept = None
    for layer, device in zip(layers, devices, strict=True):
        with tf.device(device):
            state, states = None, []
            for value in sequence:
                state = layer(value, state)
                states.append(state)
        sequence = states
        kept = kept or states
    return kept
