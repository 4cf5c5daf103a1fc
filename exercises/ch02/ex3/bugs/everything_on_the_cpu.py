# loses: every program that fits runs alone, on the GPU
import tinytf as tf


def configure(name, needs, card):
    return tf.ConfigProto(device_count={"GPU": 0})
