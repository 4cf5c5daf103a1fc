import tinytf as tf


def build_log(parts, write):
    everything = []
    for part in parts:
        before = []
        for text in part:
            # Waits for the text before it in its own list, and for nothing else.
            with tf.control_dependencies(before):
                before = [write(text)]
            everything += before
    return tf.group(*everything)
