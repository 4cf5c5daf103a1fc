# loses hidden: other programs share another card
import tinytf as tf


def configure(name, needs, card):
    if needs[name] > card:
        return tf.ConfigProto(device_count={"GPU": 0})
    share = {"training": 0.47, "evaluation": 0.29, "notebook": 0.13}.get(name, 0.3)
    return tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=share))
