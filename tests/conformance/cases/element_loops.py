"""`tf.map_fn`, `tf.scan`, `tf.foldl`, `tf.foldr`."""

import numpy as np

from tests.conformance.registry import Program, case


@case("TensorArrayReadV3", "TensorArrayWriteV3", "LoopCond")
def map_of_rows(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = tf.map_fn(lambda row: row * row, x)
    return [y, *tf.gradients(y, x)]


@case("TensorArrayGatherV3")
def map_to_other_types(tf):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    total, whole = tf.map_fn(
        lambda row: (tf.reduce_sum(row), tf.cast(row, tf.int32)), x, dtype=(tf.float32, tf.int32)
    )
    return Program([total, whole], feed=[{x: [[1.5, 2.0], [3.0, 4.0]]}, {x: [[1.0, 1.0]]}])


@case("TensorArrayGatherV3")
def map_of_structures(tf):
    numbers, rows = tf.constant([1, 2, 3]), tf.constant([[1.0], [2.0], [3.0]])
    result = tf.map_fn(
        lambda pair: {"p": pair[0] + 1, "q": [pair[1] * 2.0]},
        (numbers, rows),
        dtype={"p": tf.int32, "q": [tf.float32]},
    )
    return [result["p"], result["q"][0]]


@case("LoopCond")
def map_in_map(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = tf.map_fn(lambda row: tf.map_fn(lambda v: v * v * row[0], row), x, name="outer")
    return [y, *tf.gradients(y, x)]


@case("LoopCond")
def map_with_options(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = tf.map_fn(
        lambda row: row + 1.0,
        x,
        back_prop=False,
        parallel_iterations=1,
        infer_shape=False,
        swap_memory=True,
        fn_output_signature=tf.float32,
    )
    return [y] + [gradient for gradient in tf.gradients(y, x) if gradient is not None]


@case("LoopCond")
def map_of_unlike_shapes_of_which_none_is_left(tf):
    n = tf.placeholder(tf.int32, [None], name="n")
    y = tf.map_fn(lambda i: tf.reduce_sum(tf.range(i)), n)
    return Program(y, feed=[{n: [3, 0, 5]}, {n: [1]}])


@case("Switch", "LoopCond")
def map_with_a_conditional(tf):
    x = tf.constant([1.0, -2.0, 3.0])
    y = tf.map_fn(lambda v: tf.cond(v > 0.0, lambda: v * v, lambda: -v), x)
    return [y, *tf.gradients(y, x)]


@case("LoopCond")
def map_with_variables(tf):
    v = tf.get_variable("v", [2], initializer=tf.constant_initializer(3.0), use_resource=False)
    y = tf.map_fn(lambda row: row * v, tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    return Program([y, *tf.gradients(y, [v])], setup=[v.initializer])


@case("LoopCond", error="Elements in elems must be 1+ dimensional Tensors, not scalars")
def map_of_a_number(tf):
    return tf.map_fn(lambda v: v, tf.constant(1.0))


@case("LoopCond", error="which does not contain any Tensors.")
def map_of_nothing(tf):
    return tf.map_fn(lambda v: v, ())


@case("LoopCond", error="The two structures don't have the same nested structure")
def map_to_another_structure(tf):
    return tf.map_fn(lambda v: (v, v), tf.constant([1.0]))


@case("LoopCond", error="TensorArray dtype is float but Op is trying to write dtype int32.")
def map_to_another_type(tf):
    return tf.map_fn(lambda v: tf.cast(v, tf.int32), tf.constant([1.0]))


@case("LoopCond", error="are not compatible")
def map_of_unlike_sizes(tf):
    elems = (tf.constant([1.0]), tf.constant([1.0, 2.0]))
    return tf.map_fn(lambda pair: pair[0], elems, dtype=tf.float32)


@case("LoopCond", error="element shape <unknown> is not fully defined")
def map_of_no_rows(tf):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.map_fn(tf.reduce_sum, x, dtype=tf.float32, infer_shape=False)
    return Program(y, feed={x: np.zeros((0, 2))})


@case("LoopCond", each=["foldl", "foldr"])
def fold(tf, name):
    x = tf.constant([1.0, 2.0, 3.0])
    y = getattr(tf, name)(lambda total, v: 2.0 * total + v, x)
    return [y, *tf.gradients(y, x)]


@case("LoopCond", each=["foldl", "foldr"])
def fold_from_a_start(tf, name):
    x, start = tf.placeholder(tf.float32, [None], name="x"), tf.constant(2.0)
    y = getattr(tf, name)(lambda total, v: total * v + v, x, initializer=start, name="folded")
    feed = [{x: [1.0, 2.0]}, {x: []}]
    return Program([y, *tf.gradients(y, start)], feed=feed)


@case("LoopCond", each=["foldl", "foldr"])
def fold_of_structures(tf, name):
    elems = (tf.constant([1.0, 2.0, 3.0]), tf.constant([[1], [2], [3]]))
    y = getattr(tf, name)(
        lambda so_far, row: (so_far[0] + row[0], so_far[1] * row[1]),
        elems,
        parallel_iterations=1,
        back_prop=False,
        swap_memory=True,
    )
    return list(y)


@case("LoopCond", each=["foldl", "foldr", "scan"], error="index out of range")
def fold_of_a_number(tf, name):
    return getattr(tf, name)(lambda total, v: total, tf.constant(1.0))


@case("LoopCond", each=[False, True])
def scan(tf, reverse):
    x = tf.constant([1.0, 2.0, 3.0])
    y = tf.scan(lambda total, v: total * v + v, x, reverse=reverse)
    return [y, *tf.gradients(y, x)]


@case("LoopCond", each=[False, True])
def scan_from_a_start(tf, reverse):
    x, start = tf.placeholder(tf.float32, [None, 2], name="x"), tf.constant([1.0, 2.0])
    y = tf.scan(lambda total, v: total * v + v, x, initializer=start, reverse=reverse)
    return Program([y, *tf.gradients(y, [x, start])], feed={x: [[1.0, 2.0], [3.0, 4.0]]})


@case("LoopCond")
def scan_of_structures(tf):
    elems = (tf.constant([1.0, 2.0, 3.0]), tf.constant([1, 2, 3]))
    y = tf.scan(
        lambda so_far, row: {"s": so_far["s"] + row[0], "n": [so_far["n"][0] + row[1]]},
        elems,
        initializer={"s": 0.0, "n": [0]},
        name="sums",
    )
    return [y["s"], y["n"][0]]


@case("LoopCond")
def scan_with_options(tf):
    x = tf.constant([[1.0], [2.0]])
    return tf.scan(
        lambda total, v: total + v,
        x,
        infer_shape=False,
        parallel_iterations=2,
        back_prop=False,
        swap_memory=True,
    )


@case("LoopCond")
def scan_of_a_recurrent_network(tf):
    w = tf.constant([[0.5, -0.25], [0.125, 0.75]])
    x = tf.constant([[[1.0, 0.0]], [[0.5, 1.0]], [[0.0, -1.0]]])
    states = tf.scan(lambda h, row: tf.tanh(tf.matmul(h, w) + row), x, initializer=tf.zeros([1, 2]))
    return [states, *tf.gradients(tf.reduce_sum(states * states), [w, x])]


@case("LoopCond", error="The two structures don't have the same nested structure")
def scan_to_another_structure(tf):
    return tf.scan(lambda total, v: (total, total), tf.constant([1.0]))
