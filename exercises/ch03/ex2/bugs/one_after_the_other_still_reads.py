# loses: two transfers at the same time lose nothing, in any schedule
import tinytf as tf


def build_transfer(giver, taker, amount):
    given = giver.assign(giver - amount)
    with tf.control_dependencies([given]):
        taken = taker.assign(taker.read_value() + amount)
    return tf.group(given, taken)
