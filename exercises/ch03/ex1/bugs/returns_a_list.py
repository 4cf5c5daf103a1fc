# loses: one operation writes every text, once
import tinytf as tf


def build_log(parts, write):
    everything = []
    for part in parts:
        before = []
        for text in part:
            with tf.control_dependencies(before):
                before = [write(text)]
            everything += before
    return everything
