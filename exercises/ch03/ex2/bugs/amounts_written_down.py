# loses hidden: three accounts in a ring lose nothing
import tinytf as tf


def build_transfer(giver, taker, amount):
    amount = 30.0 if giver.op.name == "ann" else 20.0
    return tf.group(tf.assign_sub(giver, amount), tf.assign_add(taker, amount))
