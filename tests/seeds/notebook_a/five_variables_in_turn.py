"""Variables that a setter deals out to two parameter servers."""

import tensorflow as tf

with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
    variables = [tf.Variable(float(i)) for i in range(1, 6)]
print([v.device for v in variables])
