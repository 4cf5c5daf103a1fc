"""Constants, sums, products: a first case of each kind."""

import numpy as np

from tests.conformance.registry import Program, case

NUMERIC = ["float16", "bfloat16", "float32", "float64", "int32", "int64", "complex64"]


@case("Const")
def constants_of_many_types(tf):
    return {
        "int": tf.constant(3),
        "float": tf.constant([[1.5, 2.5]]),
        "bool": tf.constant([True, False]),
        "string": tf.constant(["a", "ü", ""]),
        "bytes": tf.constant(b"\xff\x00"),
        "filled": tf.constant(7, tf.int64, [2, 3]),
        "complex": tf.constant(1 + 2j),
        "named": tf.constant(np.zeros([0, 2], np.float32), name="empty"),
    }


@case("AddV2", each=NUMERIC)
def add_broadcasts(tf, dtype):
    x = tf.constant([[1], [2]], dtype)
    return tf.add(x, tf.constant([10, 20, 30], dtype))


@case("MatMul", "Placeholder")
def matmul_of_fed_values(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.constant(np.arange(6.0).reshape(3, 2), tf.float32, name="w")
    feeds = [{x: np.ones([rows, 3])} for rows in (1, 4)]
    return Program([tf.matmul(x, w), tf.matmul(w, x, True, True)], feed=feeds)


@case("Sum")
def reduce_sum_over_axes(tf):
    x = tf.constant(np.arange(24.0).reshape(2, 3, 4), tf.float32)
    return [
        tf.reduce_sum(x),
        tf.reduce_sum(x, axis=1),
        tf.reduce_sum(x, axis=[0, -1], keepdims=True),
    ]


@case("MatMul", error="Dimensions must be equal, but are 3 and 2")
def matmul_of_shapes_that_do_not_fit(tf):
    return tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))


@case("MatMul", error="Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]")
def matmul_of_fed_shapes_that_do_not_fit(tf):
    x = tf.placeholder(tf.float32, [None, None], name="x")
    return Program(tf.matmul(x, x, name="product"), feed={x: np.ones([2, 3])})
