# loses hidden: other lists, one of them empty: each in its order
import tinytf as tf


def build_log(parts, write):
    everything = []
    for part in parts:
        before = [write(part[0])]
        everything += before
        for text in part[1:]:
            with tf.control_dependencies(before):
                before = [write(text)]
            everything += before
    return tf.group(*everything)
