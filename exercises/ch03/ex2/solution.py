import tinytf as tf


def build_transfer(giver, taker, amount):
    # Each is one operation: nobody comes between its reading and its writing.
    return tf.group(tf.assign_sub(giver, amount), tf.assign_add(taker, amount))
