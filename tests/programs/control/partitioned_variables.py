"""Variables in parts: partitioners, their slices, embedding lookups by two strategies."""

import numpy as np
import tensorflow as tf

with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(3)):
    table = tf.get_variable("table", [7, 2], initializer=tf.ones_initializer())
small = tf.get_variable(
    "small", [8, 2], partitioner=tf.min_max_variable_partitioner(max_partitions=2, min_slice_size=8)
)
print([v.name for v in tf.global_variables()], len(list(table)), table.get_shape())
print([v._save_slice_info.spec for v in table])
by_mod = tf.nn.embedding_lookup(table, [0, 6, 3])
by_div = tf.nn.embedding_lookup(
    [tf.constant([[0.0], [1.0]]), tf.constant([[2.0]])], [0, 1, 2], "div"
)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run([part.assign(np.full(part.shape, i, np.float32)) for i, part in enumerate(table)])
    print(
        sess.run(tf.convert_to_tensor(table))[:, 0], sess.run(by_mod)[:, 0], sess.run(by_div)[:, 0]
    )
    tf.train.Saver({"whole": table}).save(sess, "./parts")
print(tf.train.load_variable("./parts", "whole")[:, 1])
