# loses: texts of different lists wait for nothing of each other
import tinytf as tf


def build_log(parts, write):
    done = []
    for part in parts:
        for text in part:
            with tf.control_dependencies(done[-1:]):
                done.append(write(text))
    return tf.group(*done)
