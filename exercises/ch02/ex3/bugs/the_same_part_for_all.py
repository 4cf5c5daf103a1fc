# loses: every program that fits runs alone, on the GPU
import tinytf as tf


def configure(name, needs, card):
    options = tf.GPUOptions(per_process_gpu_memory_fraction=1 / len(needs))
    return tf.ConfigProto(gpu_options=options)
