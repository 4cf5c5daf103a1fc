"""Rank documents for queries and measure it, with the small functions of tf.contrib.framework."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import framework

scores = np.array([[0.1, 0.9, 0.3, 0.7], [0.8, 0.2, 0.6, 0.4]], np.float32)
clicked = np.array([[0, 1, 0, 0], [0, 0, 1, 1]], np.float32)


def ranked(values):
    """What was clicked, the best first."""
    order = framework.argsort(values, direction="DESCENDING", stable=True)
    rows = framework.broadcast_to(tf.range(tf.shape(values)[0])[:, None], tf.shape(values))
    return tf.gather_nd(clicked, tf.stack([rows, order], axis=-1)), order


def discounted_gain(values, depth):
    depth = framework.assert_scalar(tf.convert_to_tensor(depth))
    kind = framework.assert_same_float_dtype([values, tf.constant(clicked)])
    gains, _ = ranked(values)
    ideal = framework.sort(tf.constant(clicked), axis=-1, direction="DESCENDING")
    discounts = 1.0 / tf.log(2.0 + tf.cast(tf.range(depth), kind))
    found = tf.reduce_sum(gains[:, :depth] * discounts, 1)
    return found / tf.reduce_sum(ideal[:, :depth] * discounts, 1)


given = tf.placeholder(tf.float32, [None, 4])
best, order = ranked(given)
ndcg = discounted_gain(given, 3)
first, hits = framework.remove_squeezable_dimensions(order[:, :1], tf.constant([1, 2]))
sparse = framework.convert_to_tensor_or_sparse_tensor(
    tf.SparseTensorValue([[0, 1], [1, 2]], [1.0, 1.0], [2, 4])
)
print(framework.is_tensor(given), framework.is_tensor(sparse), framework.is_tensor(scores))
print(type(sparse).__name__, framework.convert_to_tensor_or_sparse_tensor([1, 2]).dtype.name)
print(
    first.shape,
    hits.shape,
    framework.TensorSpec([None, 4], tf.float32, "scores").is_compatible_with(given),
)

best_so_far = tf.get_variable("best", initializer=0.0, use_resource=True, trainable=False)
section = framework.CriticalSection(name="keeper")


def keep():
    better = tf.maximum(best_so_far, tf.reduce_mean(ndcg))
    with tf.control_dependencies([best_so_far.assign(better)]):
        return tf.identity(better)


kept = section.execute(keep)
flat = framework.nest.flatten({"b": [order, ndcg], "a": best})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for values in (scores, 1.0 - scores, scores[:, ::-1]):
        print(sess.run(flat[1], {given: values}).tolist(), sess.run(ndcg, {given: values}).round(3))
        print("%.3f" % sess.run(kept, {given: values}), sess.run(best, {given: values}).tolist())
    print(sess.run(tf.equal(tf.to_int32(first), hits), {given: scores}).tolist())
    print(sess.run(tf.sparse_tensor_to_dense(sparse)).sum(0).tolist())
for wrong in (
    lambda: framework.assert_scalar(tf.zeros([2])),
    lambda: framework.sort([1], axis=0, direction="UP"),
):
    try:
        wrong()
    except ValueError as error:
        print(str(error)[:40])
