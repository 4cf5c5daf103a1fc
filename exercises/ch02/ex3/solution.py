import tinytf as tf


def configure(name, needs, card):
    if needs[name] > card:
        return tf.ConfigProto(device_count={"GPU": 0})
    # What it needs, and no more: then there is room for the others, whoever comes first.
    options = tf.GPUOptions(per_process_gpu_memory_fraction=needs[name] / card)
    return tf.ConfigProto(gpu_options=options)
