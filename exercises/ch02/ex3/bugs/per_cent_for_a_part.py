# loses: every program that fits runs alone, on the GPU
import tinytf as tf


def configure(name, needs, card):
    if needs[name] > card:
        return tf.ConfigProto(device_count={"GPU": 0})
    percent = 100 * needs[name] / card
    return tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=percent))
