# loses: everybody runs, in any schedule
import tinytf as tf


def build_race(runners):
    arrived = tf.FIFOQueue(-1, tf.bool, shapes=[[]])
    signals = tf.FIFOQueue(-1, tf.bool, shapes=[[]])
    with tf.control_dependencies([signals.dequeue().op]):  # who arrives waits before saying so
        arrive = arrived.enqueue(True)
    with tf.control_dependencies([arrived.dequeue_many(runners)]):
        start = signals.enqueue_many([tf.fill([runners], True)])
    return arrive, start
