"""Clipping by value, by norm and by the norm of several tensors; gradients through it."""

import numpy as np

from tests.conformance.registry import Program, case

X = np.array([[-3.0, 0.5], [2.0, -0.1]], np.float32)
TYPES = ["float16", "float32", "float64"]


def slices(tf, values=X):
    return tf.IndexedSlices(tf.constant(values), tf.constant([2, 0]), tf.constant([4, 2]))


def parts(tensor):
    return [tensor.values, tensor.indices, tensor.dense_shape]


@case(each=[*TYPES, "int32", "bfloat16"])
def by_value(tf, dtype):
    x = tf.constant(X * 10, dtype)
    low, high = np.array([-5, 1]), np.array([5, 2])
    return [
        tf.clip_by_value(x, -1, 1, name="here"),
        tf.clip_by_value(x, tf.constant(low, dtype), tf.constant(high, dtype)),
    ]


@case()
def slices_by_value(tf):
    return parts(tf.clip_by_value(slices(tf), -1.0, 1.0))


@case()
def gradients_by_value(tf):
    x, low, high = tf.constant(X), tf.constant(-1.0), tf.constant([[1.0, 0.2]])
    y = tf.clip_by_value(x, low, high)
    first = tf.gradients(y * y, [x, low, high])
    return first + tf.gradients(tf.reduce_sum(first[0] * x), x)


@case(error="are incompatible")
def bounds_of_a_larger_shape(tf):
    return tf.clip_by_value(tf.constant([1.0, 2.0]), tf.zeros([3, 2]), 1.0)


@case("ClipByValue", each=["one_bound", "bounds_of_its_shape"])
def the_op(tf, name):
    low, high = (-1.0, 1.0) if name == "one_bound" else (-np.abs(X), np.full_like(X, 0.7))
    inputs = [tf.constant(X), tf.constant(low, tf.float32), tf.constant(high, tf.float32)]
    y = tf.get_default_graph().create_op("ClipByValue", inputs).outputs[0]
    return [y, *tf.gradients(y * y, inputs)]


@case("ClipByValue", error="clip_value_min and clip_value_max must be either of the same shape as")
def bounds_of_another_shape(tf):
    inputs = [tf.constant(X), tf.constant([1.0, 2.0]), tf.constant(1.0)]
    return tf.get_default_graph().create_op("ClipByValue", inputs).outputs[0]


@case(each=TYPES)
def by_norm(tf, dtype):
    x = tf.constant(X, dtype)
    return [
        tf.clip_by_norm(x, 1.0, name="here"),
        tf.clip_by_norm(x, tf.constant(100.0, dtype)),
        tf.clip_by_norm(x, 1.0, axes=[1]),
        tf.clip_by_norm(x * 0, 1.0),
    ]


@case()
def slices_by_norm(tf):
    return parts(tf.clip_by_norm(slices(tf), 1.0))


@case()
def gradients_by_norm(tf):
    x, limit = tf.constant(X), tf.constant(1.5)
    nothing = tf.constant(np.zeros_like(X))
    y = tf.clip_by_norm(x, limit, axes=[0])
    return tf.gradients(y, [x, limit]) + tf.gradients(tf.clip_by_norm(nothing, 1.0), nothing)


@case()
def by_average_norm(tf):
    x = tf.constant(X)
    y = tf.clip_by_average_norm(x, 0.5, name="here")
    return [y, tf.clip_by_average_norm(x, 100.0), *tf.gradients(y, x)]


@case()
def norms_of_all(tf):
    several = [tf.constant(X), None, slices(tf), tf.constant([3.0])]
    return [tf.global_norm(several), tf.linalg.global_norm([X], name="one")]


@case(each=[1.0, 100.0])
def by_the_norm_of_all(tf, limit):
    several = [tf.constant(X), None, slices(tf), tf.constant([3.0])]
    clipped, norm = tf.clip_by_global_norm(several, limit)
    again, known = tf.clip_by_global_norm([several[0]], limit, use_norm=norm, name="here")
    names = tf.constant([str(clipped[1])], name="names")
    return [clipped[0], *parts(clipped[2]), clipped[3], norm, again, known, names]


@case()
def norms_that_are_not_finite(tf):
    return tf.clip_by_global_norm([tf.constant([1.0, np.inf]), tf.constant([1.0])], 1.0)[0]


@case()
def gradients_by_the_norm_of_all(tf):
    x, y = tf.constant(X), tf.constant([3.0, 1.0])
    clipped, norm = tf.clip_by_global_norm([x, y], 1.0)
    return tf.gradients(clipped, [x, y]) + tf.gradients(norm, [x, y])


@case(error="should be a sequence of tensors. Received")
def norms_of_no_list(tf):
    return tf.global_norm(tf.constant([1.0]))


@case(error="should be a sequence of tensors. Received")
def no_list_to_clip(tf):
    return tf.clip_by_global_norm("x", 1.0)


@case(each=[False, True])
def training_with_clipped_gradients(tf, use_resource):
    w = tf.Variable(X, name="w", use_resource=use_resource)
    table = tf.Variable(X * 2, name="table", use_resource=use_resource)
    loss = tf.reduce_sum(tf.square(tf.matmul(w, w))) + tf.reduce_sum(
        tf.square(tf.gather(table, [1, 1]))
    )
    optimizer = tf.train.AdamOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss)
    gradients, variables = zip(*pairs)
    clipped, norm = tf.clip_by_global_norm(gradients, 5.0)
    train = optimizer.apply_gradients(zip(clipped, variables))
    with tf.control_dependencies([train]):
        seen = [w.read_value(), table.read_value()]
    return Program([*seen, norm], setup=[tf.global_variables_initializer()], runs=3)
