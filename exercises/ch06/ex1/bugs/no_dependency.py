# loses: the start waits for everybody
import tinytf as tf


def build_race(runners):
    arrived = tf.FIFOQueue(-1, tf.bool, shapes=[[]])
    signals = tf.FIFOQueue(-1, tf.bool, shapes=[[]])
    everybody = arrived.dequeue_many(runners)
    arrive = tf.group(arrived.enqueue(True), signals.dequeue())
    start = tf.group(everybody, signals.enqueue_many([tf.fill([runners], True)]))
    return arrive, start
