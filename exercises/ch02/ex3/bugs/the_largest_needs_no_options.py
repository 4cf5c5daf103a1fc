# loses: they run together in any other order as well
import tinytf as tf


def configure(name, needs, card):
    if needs[name] > card:
        return tf.ConfigProto(device_count={"GPU": 0})
    if needs[name] == max(need for need in needs.values() if need <= card):
        return tf.ConfigProto()
    options = tf.GPUOptions(per_process_gpu_memory_fraction=needs[name] / card)
    return tf.ConfigProto(gpu_options=options)
