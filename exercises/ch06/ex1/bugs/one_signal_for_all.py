# loses: everybody runs, in any schedule
import tinytf as tf


def build_race(runners):
    arrived = tf.FIFOQueue(-1, tf.bool, shapes=[[]])
    signals = tf.FIFOQueue(-1, tf.bool, shapes=[[]])
    with tf.control_dependencies([arrived.enqueue(True)]):
        arrive = signals.dequeue().op
    with tf.control_dependencies([arrived.dequeue_many(runners)]):
        start = signals.enqueue(True)
    return arrive, start
