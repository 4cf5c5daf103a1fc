# loses: the texts of a list come in their order, in every schedule
from itertools import pairwise

import tinytf as tf


def build_log(parts, write):
    everything = []
    for part in parts:
        built = [write(text) for text in part]
        for before, after in pairwise(built):
            with tf.control_dependencies([before]):
                everything.append(after)
        everything.append(built[0])
    return tf.group(*everything)
