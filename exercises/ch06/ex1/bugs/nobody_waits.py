# loses: nobody runs before the start
import tinytf as tf


def build_race(runners):
    arrived = tf.FIFOQueue(-1, tf.bool, shapes=[[]])
    return arrived.enqueue(True), arrived.dequeue_many(runners).op
