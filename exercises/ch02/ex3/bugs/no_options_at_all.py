# loses: these programs run together, the smallest started first
import tinytf as tf


def configure(name, needs, card):
    if needs[name] > card:
        return tf.ConfigProto(device_count={"GPU": 0})
    return tf.ConfigProto()
