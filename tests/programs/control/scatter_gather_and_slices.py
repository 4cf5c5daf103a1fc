"""Gathering, scattering, slicing and strided assignment, dynamic partition and stitch."""

import numpy as np
import tensorflow as tf

t = tf.constant(np.arange(24).reshape(2, 3, 4))
v = tf.Variable([1.0, 2.0, 3.0, 4.0])
with tf.Session() as sess:
    sess.run(v.initializer)
    print(sess.run(t[0, ::2, -1]), sess.run(t[..., tf.newaxis, 0]).shape, sess.run(t[1][2]))
    print(
        sess.run(tf.gather(t, [1, 0], axis=1)).shape,
        sess.run(tf.gather_nd(t, [[0, 1], [1, 2]])).tolist(),
    )
    print(
        sess.run(tf.slice(t, [0, 1, 1], [1, 2, -1])).tolist(),
        sess.run(tf.boolean_mask([1, 2, 3], [True, False, True])),
    )
    print(
        sess.run(tf.scatter_update(v, [0, 2], [9.0, 8.0])), sess.run(tf.scatter_add(v, [0], [1.0]))
    )
    print(sess.run(v[1:3].assign([0.0, 0.0])), sess.run(tf.scatter_nd([[1], [3]], [5, 6], [5])))
    parts = tf.dynamic_partition([10, 20, 30, 40], [0, 1, 0, 1], 2)
    print([p.tolist() for p in sess.run(parts)])
    print(
        sess.run(tf.dynamic_stitch([[0, 2], [1, 3]], parts)),
        sess.run(tf.invert_permutation([2, 0, 1])),
    )
    print(
        sess.run(tf.segment_sum([1, 2, 3], [0, 0, 1])),
        sess.run(tf.sequence_mask([1, 3], 4)).tolist(),
    )
    print(
        [x.tolist() for x in sess.run(tf.split([[1, 2, 3, 4]], [1, 3], 1))],
        sess.run(tf.tile([1, 2], [2])),
    )
    print(
        sess.run(tf.pad([[1, 2]], [[1, 0], [0, 1]])).tolist(), sess.run(tf.reverse([1, 2, 3], [0]))
    )
    print(
        sess.run(tf.setdiff1d([1, 2, 3, 4], [2, 4])).out,
        sess.run(tf.confusion_matrix([0, 1, 1], [0, 0, 1])).tolist(),
    )
    print(
        sess.run(tf.meshgrid([1, 2], [3, 4]))[0].tolist(),
        sess.run(tf.space_to_depth(np.arange(16).reshape(1, 4, 4, 1), 2)).shape,
    )
