"""embedding_lookup and embedding_lookup_sparse: ids, weights, combiners, and sparse gradients."""

import numpy as np
import tensorflow as tf

params = tf.Variable(np.arange(10, dtype=np.float32).reshape(5, 2), name="params")
ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 2]], tf.constant([1, 3, 0, 4], tf.int64), [3, 3])
weights = tf.SparseTensor(ids.indices, [1.0, 3.0, 0.5, 2.0], ids.dense_shape)
looked_up = tf.nn.embedding_lookup(params, [[4, 0], [1, 1]])
(grad,) = tf.gradients(tf.reduce_sum(looked_up**2), [params])
train = tf.train.AdagradOptimizer(0.5).minimize(tf.reduce_sum(looked_up))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(looked_up).tolist())
    for combiner in ("mean", "sum", "sqrtn"):
        combined = tf.nn.embedding_lookup_sparse(params, ids, weights, combiner=combiner)
        print(combiner, np.round(sess.run(combined), 3).tolist())
    print(type(grad).__name__, sess.run(grad).indices, sess.run(grad).values[:, 1])
    sess.run(train)
    print(np.round(sess.run(params), 2).tolist())
    clipped = tf.nn.embedding_lookup(params, [4], max_norm=1.0)
    print(np.round(np.linalg.norm(sess.run(clipped)), 3))
