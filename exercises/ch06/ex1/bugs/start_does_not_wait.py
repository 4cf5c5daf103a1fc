# loses: the start waits for everybody
import tinytf as tf


def build_race(runners):
    signals = tf.FIFOQueue(-1, tf.bool, shapes=[[]])
    return signals.dequeue().op, signals.enqueue_many([tf.fill([runners], True)])
