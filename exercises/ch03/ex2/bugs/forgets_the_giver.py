# loses: one transfer moves the money
import tinytf as tf


def build_transfer(giver, taker, amount):
    tf.assign_sub(giver, amount)
    return tf.assign_add(taker, amount)
