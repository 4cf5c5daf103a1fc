# loses: texts of different lists wait for nothing of each other
import tinytf as tf


def build_log(parts, write):
    everything, lists = [], []
    for part in parts:
        before = lists[-1:]
        for text in part:
            with tf.control_dependencies(before):
                before = [write(text)]
            everything += before
        lists.append(tf.group(*everything))
    return tf.group(*everything)
