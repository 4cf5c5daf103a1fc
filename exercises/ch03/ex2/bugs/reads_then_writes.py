# loses: two transfers at the same time lose nothing, in any schedule
import tinytf as tf


def build_transfer(giver, taker, amount):
    return tf.group(giver.assign(giver - amount), taker.assign(taker + amount))
