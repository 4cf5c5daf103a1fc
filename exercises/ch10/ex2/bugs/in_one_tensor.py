# loses: a state crosses for each step, and nothing else
import tinytf as tf


def build_pipeline(sequence, layers, devices):
    together = None
    for layer, device in zip(layers, devices, strict=True):
        with tf.device(device):
            values = sequence if together is None else tf.unstack(together)
            state, states = None, []
            for value in values:
                state = layer(value, state)
                states.append(state)
            together = tf.stack(states)
    return states
