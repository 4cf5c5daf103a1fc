# loses: no cell waits longer than it has to: the wave
import tinytf as tf


def build_pipeline(sequence, layers, devices):
    for layer, device in zip(layers, devices, strict=True):
        with tf.device(device):
            state, states = None, []
            for value in sequence:
                state = layer(value, state)
                states.append(state)
            sequence = tf.unstack(tf.stack(states))
    return sequence
