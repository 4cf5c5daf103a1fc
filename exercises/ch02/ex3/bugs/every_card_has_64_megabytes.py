# loses hidden: other programs share another card
import tinytf as tf


def configure(name, needs, card):
    if needs[name] > 64:
        return tf.ConfigProto(device_count={"GPU": 0})
    share = needs[name] / 64
    return tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=share))
