"""Sparse tensors: dense and back, placeholders, products, reductions, and lookups."""

import numpy as np
import tensorflow as tf

s = tf.SparseTensor(indices=[[0, 1], [2, 0], [2, 3]], values=[1.0, 2.0, 3.0], dense_shape=[3, 4])
given = tf.sparse_placeholder(tf.float32)
dense = tf.sparse_tensor_to_dense(s)
with tf.Session() as sess:
    print(sess.run(dense).tolist())
    value = sess.run(s)
    print(type(value).__name__, value.indices.tolist(), value.dense_shape)
    print(sess.run(tf.sparse_tensor_dense_matmul(s, np.eye(4, 2, dtype=np.float32))).tolist())
    print(sess.run(tf.sparse_reduce_sum(s, 1)), sess.run(tf.sparse_add(s, s)).values)
    print(sess.run(tf.sparse_tensor_to_dense(given, -1.0), {given: value}).tolist())
    print(sess.run(tf.sparse_to_dense([[0, 0], [1, 1]], [2, 2], [5, 6])).tolist())
    print(sess.run(tf.sparse_retain(s, [True, False, True])).values)
    both = tf.sparse_concat(1, [s, s])
    print(both.get_shape(), sess.run(tf.sparse_slice(both, [0, 4], [3, 4])).values)
    print(sess.run(tf.sparse_softmax(s)).values.round(3), sess.run(tf.sparse_transpose(s)).values)
    filled, empty = tf.sparse_fill_empty_rows(s, 0.0)
    print(sess.run(empty), sess.run(filled.values))
