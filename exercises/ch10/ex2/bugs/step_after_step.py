# loses: no cell waits longer than it has to: the wave
import tinytf as tf


def build_pipeline(sequence, layers, devices):
    memory, result = [None] * len(layers), []
    for value in sequence:
        with tf.control_dependencies(result[-1:]):
            for number, layer in enumerate(layers):
                with tf.device(devices[number]):
                    value = memory[number] = layer(value, memory[number])
        result.append(value)
    return result
