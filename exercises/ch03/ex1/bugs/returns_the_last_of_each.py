# loses: one operation writes every text, once
import tinytf as tf


def build_log(parts, write):
    last = None
    for part in parts:
        before = []
        for text in part:
            with tf.control_dependencies(before):
                last = write(text)
                before = [last]
    return last
