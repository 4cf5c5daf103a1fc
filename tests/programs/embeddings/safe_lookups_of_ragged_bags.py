"""Bags of words of which some are empty or unknown: safe lookups, weighted and averaged."""

import numpy as np
import tensorflow as tf

table = np.arange(12, dtype=np.float32).reshape(6, 2) / 2
# five documents; the second is empty, the fourth has a word of weight 0, the last an unknown word
rows = [[0, 0], [0, 1], [2, 0], [3, 0], [3, 1], [4, 0], [4, 1]]
ids = tf.SparseTensor(rows, tf.constant([1, 3, 5, 2, 4, -1, 0], tf.int64), [5, 2])
weights = tf.SparseTensor(rows, tf.constant([1.0, 3.0, 2.0, 0.0, 1.0, 1.0, 2.0]), [5, 2])

embeddings = tf.get_variable("embeddings", initializer=table)
parts = tf.get_variable(
    "parts",
    shape=[6, 2],
    initializer=tf.random_uniform_initializer(-1, 1, seed=3),
    partitioner=tf.fixed_size_partitioner(3, axis=0),
)
bags = [
    ("mean", tf.nn.safe_embedding_lookup_sparse(embeddings, ids)),
    ("sum", tf.nn.safe_embedding_lookup_sparse([embeddings], ids, combiner="sum")),
    ("weighted", tf.nn.safe_embedding_lookup_sparse(embeddings, ids, weights, "mean")),
    ("sqrtn", tf.nn.safe_embedding_lookup_sparse(embeddings, ids, weights, "sqrtn")),
    ("default", tf.nn.safe_embedding_lookup_sparse(embeddings, ids, default_id=5)),
    ("short", tf.nn.safe_embedding_lookup_sparse(embeddings, ids, max_norm=1.0)),
    (
        "in parts",
        tf.nn.safe_embedding_lookup_sparse(list(parts), ids, weights, partition_strategy="div"),
    ),
]

# documents learn to say how often they were read
readers = tf.constant([[1.0], [0.0], [2.0], [0.5], [1.5]])
logits = tf.layers.dense(bags[2][1], 1, kernel_initializer=tf.zeros_initializer(), name="readers")
loss = tf.losses.mean_squared_error(readers, logits)
optimizer = tf.train.GradientDescentOptimizer(0.02)
gradients = optimizer.compute_gradients(loss, [embeddings] + tf.trainable_variables("readers"))
dense = [tf.convert_to_tensor(g) for g, _ in gradients]
with tf.control_dependencies(dense):
    train = optimizer.apply_gradients([(tf.identity(g), v) for g, (_, v) in zip(dense, gradients)])

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for name, bag in bags:
        print("%-9s" % name, bag.shape, np.round(np.float64(sess.run(bag)), 3).tolist())
    for step in range(21):
        if step % 10 == 0:
            print(step, np.round(float(sess.run(loss)), 2))
        sess.run(train)
    print(np.round(np.float64(sess.run(embeddings)[1]), 2).tolist())
    print([v.shape.as_list() for v in parts], [v.op.name for v in tf.trainable_variables()])
