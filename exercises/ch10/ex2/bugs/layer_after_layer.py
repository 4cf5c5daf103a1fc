# loses: no cell waits longer than it has to: the wave
import tinytf as tf


def build_pipeline(sequence, layers, devices):
    done = []
    for layer, device in zip(layers, devices, strict=True):
        with tf.device(device), tf.control_dependencies(done):
            state, states = None, []
            for value in sequence:
                state = layer(value, state)
                states.append(state)
            done = [states[-1]]
        sequence = states
    return sequence
