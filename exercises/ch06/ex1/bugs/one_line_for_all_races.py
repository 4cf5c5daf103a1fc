# loses hidden: two races in one graph have nothing to do with each other
import tinytf as tf


def build_race(runners):
    arrived = tf.FIFOQueue(-1, tf.bool, shapes=[[]], shared_name="arrived")
    signals = tf.FIFOQueue(-1, tf.bool, shapes=[[]], shared_name="signals")
    with tf.control_dependencies([arrived.enqueue(True)]):
        arrive = signals.dequeue().op
    with tf.control_dependencies([arrived.dequeue_many(runners)]):
        start = signals.enqueue_many([tf.fill([runners], True)])
    return arrive, start
