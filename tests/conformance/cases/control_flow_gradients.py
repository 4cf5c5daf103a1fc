"""Gradients of conditionals and loops."""

import numpy as np

from tests.conformance.registry import Program, case


def both_ways(tf, fetches, pred):
    return Program(fetches, feed=[{pred: True}, {pred: False}])


@case("Switch", "Merge")
def gradients_of_cond(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    x, y = tf.constant(2.0), tf.constant(3.0)
    result = tf.cond(pred, lambda: tf.square(x), lambda: tf.multiply(x, y))
    return both_ways(tf, [result, *tf.gradients(result, [x, y])], pred)


@case("Switch", "Shape", "Fill")
def gradients_of_cond_of_unknown_shape(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    x = tf.placeholder(tf.float32, [None], name="x")
    result = tf.cond(pred, lambda: tf.multiply(x, x), lambda: tf.square(x))
    (dx,) = tf.gradients(result, [x])
    return Program([result, dx], feed=[{pred: p, x: [1.0, 2.0]} for p in (True, False)])


@case("StackV2", "StackPushV2", "StackPopV2", "ControlTrigger")
def gradients_of_while(tf):
    x = tf.constant(2.0)
    n = tf.placeholder(tf.int32, [], name="n")
    _, result = tf.while_loop(
        lambda i, s: i < n,
        lambda i, s: (i + 1, tf.multiply(s, x)),
        [tf.constant(0), tf.constant(1.0)],
    )
    return Program([result, *tf.gradients(result, [x])], feed=[{n: 0}, {n: 1}, {n: 5}])


@case("StackV2")
def gradients_of_while_with_two_variables(tf):
    x, y = tf.constant(2.0), tf.constant(1.5)
    _, result, _ = tf.while_loop(
        lambda i, s, q: i < 3,
        lambda i, s, q: (i + 1, tf.multiply(s, q), tf.square(q)),
        [tf.constant(0), x, y],
    )
    return [result, *tf.gradients(result, [x, y])]


@case("StackV2")
def gradients_of_while_of_unknown_shape(tf):
    x = tf.placeholder(tf.float32, [None], name="x")
    _, result = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, tf.multiply(s, x)), [tf.constant(0), x]
    )
    return Program([result, *tf.gradients(result, [x])], feed={x: [1.0, 2.0]})


@case("StackV2")
def gradients_of_cond_in_while(tf):
    x = tf.constant(1.5)

    def body(i, s):
        return i + 1, tf.cond(s > 3.0, lambda: s + x, lambda: tf.multiply(s, x))

    _, result = tf.while_loop(lambda i, s: i < 5, body, [tf.constant(0), tf.constant(1.0)])
    return [result, *tf.gradients(result, [x])]


@case("StackV2")
def gradients_of_cond_in_while_of_unknown_shape(tf):
    x = tf.placeholder(tf.float32, [None], name="x")
    pred = tf.placeholder(tf.bool, [], name="pred")

    def body(i, s):
        return i + 1, tf.cond(pred, lambda: tf.multiply(s, x), lambda: tf.identity(s))

    _, result = tf.while_loop(lambda i, s: i < 3, body, [tf.constant(0), x])
    fetches = [result, *tf.gradients(result, [x])]
    return Program(fetches, feed=[{x: [1.0, 2.0], pred: p} for p in (True, False)])


@case("StackV2")
def gradients_of_while_in_while(tf):
    x = tf.constant(1.5)

    def body(i, s):
        _, inner = tf.while_loop(
            lambda j, t: j < i, lambda j, t: (j + 1, tf.multiply(t, x)), [tf.constant(0), s]
        )
        return i + 1, tf.multiply(inner, x)

    _, result = tf.while_loop(lambda i, s: i < 4, body, [tf.constant(0), tf.constant(1.0)])
    return [result, *tf.gradients(result, [x])]


@case("StackV2", "Merge")
def gradients_of_while_in_cond(tf):
    x = tf.constant(1.5)
    pred = tf.placeholder(tf.bool, [], name="pred")

    def loop():
        return tf.while_loop(
            lambda i, s: i < 3, lambda i, s: (i + 1, tf.multiply(s, x)), [tf.constant(0), x]
        )[1]

    result = tf.cond(pred, loop, lambda: tf.square(x))
    return both_ways(tf, [result, *tf.gradients(result, [x])], pred)


@case("Enter")
def gradients_of_a_variable_that_forgets_itself(tf):
    x = tf.constant(1.5)
    _, result = tf.while_loop(
        lambda i, s: i < 4, lambda i, s: (i + 1, tf.square(x)), [tf.constant(0), x]
    )
    return [result, *tf.gradients(result, [x])]


# TensorFlow's optimiser, left alone, finds no value for the second result; of its own graph, too.
@case("Enter", travels=False)
def gradients_inside_a_loop(tf):
    x = tf.constant(3.0)

    def body(i, s):
        y = tf.multiply(x, s)
        return i + 1, s + tf.gradients(y, [x])[0]

    return tf.while_loop(lambda i, s: i < 3, body, [tf.constant(0), tf.constant(1.0)])


@case("Enter")
def no_gradients_without_back_prop(tf):
    x = tf.constant(2.0)
    _, result = tf.while_loop(
        lambda i, s: i < 3,
        lambda i, s: (i + 1, tf.multiply(s, x)),
        [tf.constant(0), tf.constant(1.0)],
        back_prop=False,
    )
    y = tf.multiply(result, x)
    return [y, *tf.gradients(y, [x])]


@case("StackV2", "GatherV2")
def gradients_of_rows_in_a_loop(tf):
    table = tf.constant(np.arange(8.0).reshape(4, 2), tf.float32)
    _, result = tf.while_loop(
        lambda i, s: i < 3,
        lambda i, s: (i + 1, s + tf.reduce_sum(tf.gather(table, [i, 0]))),
        [tf.constant(0), tf.constant(0.0)],
    )
    (rows,) = tf.gradients(result, [table])
    return [result, tf.convert_to_tensor(rows)]


@case("Enter", error="Second-order gradient for while loops not supported")
def gradients_of_gradients_of_a_loop(tf):
    x = tf.constant(2.0)
    _, result = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, tf.multiply(s, x)), [tf.constant(0), x]
    )
    (dx,) = tf.gradients(result, [x])
    return tf.gradients(dx, [x])


@case("StackV2")
def gradients_of_three_loops(tf):
    x = tf.constant(1.1)

    def twice(inner):
        def body(i, s):
            return i + 1, inner(s)

        return lambda s: tf.while_loop(lambda i, s: i < 2, body, [tf.constant(0), s])[1]

    result = twice(twice(twice(lambda s: s * x)))(x)
    return [result, *tf.gradients(result, [x])]


@case("StackV2")
def gradients_past_an_unused_variable_of_an_inner_loop(tf):
    x = tf.placeholder_with_default([1.0, 2.0], [None])

    def body(i, s):
        _, a, _ = tf.while_loop(
            lambda j, a, b: j < 2, lambda j, a, b: (j + 1, a * b, b + x), [tf.constant(0), s, x]
        )
        return i + 1, a

    result = tf.while_loop(lambda i, s: i < 2, body, [tf.constant(0), x])[1]
    return [result, *tf.gradients(result, [x])]


@case("VarHandleOp", "StackV2")
def gradients_of_a_resource_variable_in_a_loop(tf):
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
    _, y = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, s * v), [tf.constant(0), tf.ones([2])]
    )
    return Program([y, *tf.gradients(y, [v])], setup=[v.initializer])


@case("VarHandleOp", "VariableShape")
def gradients_of_a_resource_variable_in_a_branch(tf):
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
    pred = tf.placeholder(tf.bool, [], name="pred")
    y = tf.cond(pred, lambda: tf.reduce_sum(v * v), lambda: tf.constant(0.0))
    return Program(
        [y, *tf.gradients(y, [v])], feed=[{pred: True}, {pred: False}], setup=[v.initializer]
    )


@case("VariableV2", "StackV2")
def gradients_of_a_reference_variable_in_a_loop(tf):
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
    _, y = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, s * v), [tf.constant(0), tf.ones([2])]
    )
    return Program([y, *tf.gradients(y, [v])], setup=[v.initializer])


@case("Switch", "ApplyGradientDescent")
def a_training_step_in_a_branch(tf):
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
    pred = tf.placeholder(tf.bool, [], name="pred")
    optimizer = tf.train.GradientDescentOptimizer(0.25)
    step = tf.cond(pred, lambda: optimizer.minimize(tf.reduce_sum(v * v)), tf.no_op)
    with tf.control_dependencies([step]):
        after = v.read_value()
    return Program(after, feed=[{pred: True}, {pred: False}], setup=[v.initializer])


@case("Enter")
def gradients_beside_their_operations(tf):
    x = tf.constant(1.0)
    _, y = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * x), [tf.constant(0), x])
    return tf.gradients(y, [x], colocate_gradients_with_ops=True)


@case("Enter")
def gated_gradients_of_a_loop(tf):
    x, y = tf.constant(1.5), tf.constant(2.0)
    _, z = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * x * y), [tf.constant(0), x])
    return tf.gradients(z, [x, y], gate_gradients=True)


@case("Enter")
def while_of_indexed_slices(tf):
    start = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([4, 2]))

    def body(i, s):
        return i + 1, tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape)

    i, result = tf.while_loop(lambda i, s: i < 3, body, [tf.constant(0), start])
    return [i, result.values, result.indices, result.dense_shape]


@case("Enter")
def control_flow_on_a_device(tf):
    x = tf.constant(1.0)
    with tf.device("/cpu:0"):
        y = tf.cond(x < 2.0, lambda: x + 1.0, lambda: x * 2.0)
        return [y, tf.while_loop(lambda i: i < 3.0, lambda i: i + x, [x])]
