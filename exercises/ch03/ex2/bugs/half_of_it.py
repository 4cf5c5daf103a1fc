# loses: two transfers at the same time lose nothing, in any schedule
import tinytf as tf


def build_transfer(giver, taker, amount):
    return tf.group(tf.assign_sub(giver, amount), taker.assign(taker + amount))
