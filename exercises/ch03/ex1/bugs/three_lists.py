# loses hidden: other lists, one of them empty: each in its order
import tinytf as tf


def build_log(parts, write):
    first, second, third = parts
    everything = []
    for part in (first, second, third):
        before = []
        for text in part:
            with tf.control_dependencies(before):
                before = [write(text)]
            everything += before
    return tf.group(*everything)
