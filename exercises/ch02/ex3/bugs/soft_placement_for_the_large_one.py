# loses: a program that needs more than the card runs on the CPU, and takes nothing of the GPU
import tinytf as tf


def configure(name, needs, card):
    if needs[name] > card:
        return tf.ConfigProto(allow_soft_placement=True)
    share = needs[name] / card
    return tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=share))
