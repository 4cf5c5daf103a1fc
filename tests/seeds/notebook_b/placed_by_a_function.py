"""Devices by a function of the operation; the name of a variable's type is no longer "Variable"."""

import tensorflow as tf


def processor_for_variables(op):
    return "/cpu:0" if op.type == "Variable" else "/gpu:0"


with tf.device(processor_for_variables):
    a = tf.Variable(3.0)
    b = tf.constant(4.0)
    c = a * b
print([(t.op.type, t.device) for t in (a, b, c)])
