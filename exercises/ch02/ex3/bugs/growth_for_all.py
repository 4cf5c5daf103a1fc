# loses: they run together in any other order as well
import tinytf as tf


def configure(name, needs, card):
    if needs[name] > card:
        return tf.ConfigProto(device_count={"GPU": 0})
    return tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))
