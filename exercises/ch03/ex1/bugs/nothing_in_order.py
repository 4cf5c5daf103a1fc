# loses: the texts of a list come in their order, in every schedule
import tinytf as tf


def build_log(parts, write):
    return tf.group(*(write(text) for part in parts for text in part))
