# loses: configure returns a tf.ConfigProto for every program
import tinytf as tf


def configure(name, needs, card):
    return tf.GPUOptions(per_process_gpu_memory_fraction=min(1, needs[name] / card))
