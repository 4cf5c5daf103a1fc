# loses: one transfer moves the money
import tinytf as tf


def build_transfer(giver, taker, amount):
    return tf.group(tf.assign_add(giver, amount), tf.assign_sub(taker, amount))
