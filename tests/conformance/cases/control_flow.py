"""Conditionals, loops, their gradients, and the primitives below them."""

import numpy as np

from tests.conformance.registry import Program, case

# Conditionals -------------------------------------------------------------------------------------


def both_ways(tf, fetches, pred):
    return Program(fetches, feed=[{pred: True}, {pred: False}])


@case("Switch", "Merge", "Identity")
def cond_takes_one_branch(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    x, y = tf.constant(2.0), tf.constant(3.0)
    return both_ways(tf, tf.cond(pred, lambda: tf.add(x, y), lambda: tf.square(y)), pred)


@case("Switch", "Merge")
def cond_of_structures(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    x = tf.constant([1.0, 2.0])
    three, four = tf.constant(3), tf.constant(4)
    result = tf.cond(
        pred,
        lambda: {"a": x, "b": [x, (three,)]},
        lambda: {"a": tf.negative(x), "b": [tf.constant([7.0]), (four,)]},
    )
    return both_ways(tf, [result["a"], result["b"][0], result["b"][1][0]], pred)


@case("Merge")
def cond_unpacks_a_single_result(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    loose = tf.cond(pred, lambda: [tf.constant(1)], lambda: [tf.constant(2)])
    strict = tf.cond(pred, lambda: [tf.constant(1)], lambda: [tf.constant(2)], strict=True)
    return both_ways(tf, [loose, *strict], pred)


@case("NoOp", "Merge")
def cond_of_operations(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    x = tf.constant(2.0)
    return both_ways(tf, tf.cond(pred, lambda: tf.no_op(), lambda: tf.group(x)), pred)


@case("Switch")
def cond_passes_on_what_is_outside(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    x, y = tf.constant(2.0, name="x"), tf.constant(3.0, name="y")
    return both_ways(tf, tf.cond(pred, lambda: [x, y], lambda: [y, y], name="chosen"), pred)


@case("Switch", "Merge")
def cond_in_cond(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    other = tf.placeholder(tf.bool, [], name="other")
    x, y = tf.constant(2.0), tf.constant(3.0)
    result = tf.cond(
        pred,
        lambda: tf.cond(other, lambda: tf.add(x, y), lambda: tf.multiply(x, y)),
        lambda: tf.subtract(x, y),
    )
    feeds = [{pred: a, other: b} for a in (True, False) for b in (True, False)]
    return Program(result, feed=feeds)


@case("Merge")
def cond_merges_shapes(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    result = tf.cond(pred, lambda: tf.zeros([2, 3]), lambda: tf.zeros([4, 3]))
    other = tf.cond(pred, lambda: tf.zeros([2, 3]), lambda: tf.zeros([3]))
    return both_ways(tf, [result, other], pred)


@case("Switch")
def cond_with_control_dependencies(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    x, first = tf.constant(2.0), tf.constant(5.0, name="first")

    def branch():
        with tf.control_dependencies([first]):
            return tf.negative(x)

    return both_ways(tf, tf.cond(pred, branch, lambda: tf.constant(1.0)), pred)


@case("RefSwitch")
def cond_assigns_to_a_variable(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    v = tf.Variable(1.0, use_resource=False, name="v")
    result = tf.cond(pred, lambda: tf.assign_add(v, 10.0), lambda: tf.assign(v, 0.5))
    return Program(result, feed=[{pred: True}, {pred: True}, {pred: False}], setup=[v.initializer])


@case("Switch", "ReadVariableOp")
def cond_reads_a_resource_variable(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    v = tf.Variable([1.0, 2.0], use_resource=True, name="v")
    result = tf.cond(pred, lambda: tf.multiply(v, 2.0), lambda: tf.zeros([2]))
    return Program(result, feed=[{pred: True}, {pred: False}], setup=[v.initializer])


@case("Merge", error="must have the same type(s). Received float32 from 'true_fn' and int32")
def cond_of_two_types(tf):
    return tf.cond(tf.placeholder(tf.bool, []), lambda: tf.constant(1.0), lambda: tf.constant(1))


@case("Merge", error="The two structures don't have the same nested structure")
def cond_of_two_structures(tf):
    x = tf.constant(1.0)
    return tf.cond(tf.placeholder(tf.bool, []), lambda: x, lambda: [x, x])


@case("Merge", error="don't have the same sequence type")
def cond_of_list_and_tuple(tf):
    x = tf.constant(1.0)
    return tf.cond(tf.placeholder(tf.bool, []), lambda: [x, x], lambda: (x, x))


@case("Merge", error="'true_fn' must be callable")
def cond_of_a_tensor(tf):
    x = tf.constant(1.0)
    return tf.cond(tf.placeholder(tf.bool, []), x, lambda: x)


@case("Merge", error="'pred' must not be a Python bool")
def cond_of_a_python_bool(tf):
    return tf.cond(True, lambda: tf.constant(1), lambda: tf.constant(2))


@case("Merge", error="'true_fn' must have a return value")
def cond_of_nothing(tf):
    return tf.cond(tf.placeholder(tf.bool, []), lambda: None, lambda: tf.constant(2))


@case("Switch", error="Shape must be rank 0 but is rank 1")
def cond_of_a_vector(tf):
    return tf.cond(tf.placeholder(tf.bool, [2]), lambda: tf.constant(1), lambda: tf.constant(2))


# A GraphDef does not say what is inside of a branch.
@case("Merge", error="has been marked as not fetchable", travels=False)
def fetch_inside_a_branch(tf):
    inside = []

    def branch():
        inside.append(tf.negative(tf.constant(1.0)))
        return inside[0]

    tf.cond(tf.placeholder(tf.bool, [], name="pred"), branch, lambda: tf.constant(2.0))
    return inside[0]


@case("Switch", error="Retval[0] does not have value")
def fetch_a_dead_value(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    inside = []

    def branch():
        inside.append(tf.negative(tf.constant(1.0)))
        return inside[0]

    tf.cond(pred, branch, lambda: tf.constant(2.0))
    return Program(tf.negative(inside[0]), feed={pred: False})


# Loops --------------------------------------------------------------------------------------------


@case("Enter", "Merge", "LoopCond", "Switch", "NextIteration", "Exit")
def while_counts(tf):
    i, n = tf.constant(0), tf.placeholder(tf.int32, [], name="n")
    result = tf.while_loop(lambda i: tf.less(i, n), lambda i: tf.add(i, 1), [i])
    return Program(result, feed=[{n: 0}, {n: 1}, {n: 10}])


@case("Enter", "Exit")
def while_of_structures(tf):
    start = (tf.constant(0), {"x": tf.constant([1.0, 1.0]), "y": (tf.constant(2.0),)})

    def body(i, state):
        return i + 1, {"x": state["x"] * 2.0, "y": (state["y"][0] + state["x"][0],)}

    i, state = tf.while_loop(lambda i, state: i < 5, body, start)
    return [i, state["x"], state["y"][0]]


@case("LogicalAnd")
def while_with_maximum_iterations(tf):
    short = tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0], maximum_iterations=3)
    two = tf.while_loop(
        lambda i, j: i < 10, lambda i, j: [i + 1, j + i], [0, 0], maximum_iterations=100
    )
    return [short, *two]


@case("Enter")
def while_keeps_its_structure(tf):
    kept = tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [0], return_same_structure=True)
    return [*kept, tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [0])]


@case("Enter")
def while_with_options(tf):
    return tf.while_loop(
        lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], parallel_iterations=1,
        back_prop=False, swap_memory=True, name="counting",
    )  # fmt: skip


@case("Enter", "ConcatV2")
def while_grows_a_tensor(tf):
    i, rows = tf.while_loop(
        lambda i, rows: i < 3,
        lambda i, rows: (i + 1, tf.concat([rows, rows], axis=0)),
        [tf.constant(0), tf.ones([1, 2])],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])],
    )
    return [i, rows]


@case("Enter")
def while_in_while(tf):
    x = tf.constant(1.0)

    def body(i, total):
        _, inner = tf.while_loop(
            lambda j, t: j < i, lambda j, t: (j + 1, t + x), [tf.constant(0), total]
        )
        return i + 1, inner

    return tf.while_loop(lambda i, total: i < 5, body, [tf.constant(0), tf.constant(0.0)])


@case("Enter", "Merge")
def cond_in_while(tf):
    x = tf.constant(1.0)

    def body(i, s):
        return i + 1, tf.cond(s > 3.0, lambda: s + x, lambda: s * 2.0)

    return tf.while_loop(lambda i, s: i < 6, body, [tf.constant(0), tf.constant(1.0)])


@case("Enter", "Merge")
def while_in_cond(tf):
    pred, n = tf.placeholder(tf.bool, [], name="pred"), tf.constant(3)
    result = tf.cond(
        pred,
        lambda: tf.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)]),
        lambda: tf.constant(7),
    )
    return both_ways(tf, result, pred)


@case("Enter")
def while_under_control_dependencies(tf):
    first, x = tf.constant(9.0, name="first"), tf.constant(1.0)

    def body(i):
        with tf.control_dependencies([first]):
            return i + x

    with tf.control_dependencies([first]):
        return tf.while_loop(lambda i: i < 3.0, body, [tf.constant(0.0)])


@case("Assign", "Enter")
def while_changes_a_variable(tf):
    v = tf.Variable(0, use_resource=False, name="v")

    def body(i):
        with tf.control_dependencies([tf.assign_add(v, 2)]):
            return i + 1

    loop = tf.while_loop(lambda i: i < 4, body, [tf.constant(0)])
    with tf.control_dependencies([loop]):
        after = tf.identity(v.read_value())
    return Program([loop, after], setup=[v.initializer], runs=2)


@case("RefEnter", "RefMerge", "RefSwitch", "RefIdentity", "RefNextIteration", "RefExit")
def while_carries_a_reference(tf):
    v = tf.Variable([1.0, 2.0], use_resource=False, name="v")
    reference = tf.get_default_graph().get_tensor_by_name("v:0")
    i, result = tf.while_loop(lambda i, r: i < 3, lambda i, r: (i + 1, r), [0, reference])
    return Program([i, tf.negative(result)], setup=[v.initializer])


@case("Enter", error="has shape (2,) after one iteration")
def while_changes_a_shape(tf):
    return tf.while_loop(
        lambda x: tf.reduce_sum(x) < 3.0, lambda x: tf.stack([x, x]), [tf.constant(1.0)]
    )


@case("Enter", error="is not compatible with the initial shape of the loop variable")
def while_of_a_wrong_invariant(tf):
    return tf.while_loop(
        lambda x: True, lambda x: x, [tf.zeros([3])], shape_invariants=[tf.TensorShape([2])]
    )


@case("Enter", error="The two structures don't have the same nested structure")
def while_returns_more(tf):
    return tf.while_loop(lambda x: x < 3.0, lambda x: [x, x], [tf.constant(1.0)])


@case("Enter", error="'loop_vars' must be provided")
def while_of_nothing(tf):
    return tf.while_loop(lambda: True, lambda: [], [])


@case("Enter", error="'cond' must be callable")
def while_of_a_tensor(tf):
    return tf.while_loop(tf.constant(True), lambda x: x, [1])


@case("Enter", error="'body' must be callable")
def while_of_a_value(tf):
    return tf.while_loop(lambda x: x < 3, 3, [1])


@case("Enter", error="'parallel_iterations' must be a positive integer")
def while_without_iterations(tf):
    return tf.while_loop(lambda x: x < 3, lambda x: x, [1], parallel_iterations=0)


@case("Enter", error="'maximum_iterations' must be a scalar")
def while_of_several_limits(tf):
    return tf.while_loop(lambda x: x < 3, lambda x: x, [1], maximum_iterations=[1, 2])


@case("LoopCond", error="Shape must be rank 0 but is rank 1")
def while_of_a_vector_condition(tf):
    return tf.while_loop(lambda x: tf.constant([True]), lambda x: x, [1])


@case("Enter", error="because 'while/Add' is in a while loop")
def a_tensor_of_a_loop_outside(tf):
    inside = []

    def body(i):
        inside.append(tf.add(i, 1))
        return inside[0]

    tf.while_loop(lambda i: i < 3, body, [0])
    return tf.negative(inside[0])


@case("Enter", error="because they are in different while loops")
def a_tensor_of_another_loop(tf):
    inside = []

    def body(i):
        inside.append(tf.add(i, 1))
        return inside[0]

    tf.while_loop(lambda i: i < 3, body, [0])
    return tf.while_loop(lambda i: i < 3, lambda i: i + inside[0], [0])


# Gradients ----------------------------------------------------------------------------------------


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
        lambda i, s: i < n, lambda i, s: (i + 1, tf.multiply(s, x)),
        [tf.constant(0), tf.constant(1.0)],
    )  # fmt: skip
    return Program([result, *tf.gradients(result, [x])], feed=[{n: 0}, {n: 1}, {n: 5}])


@case("StackV2")
def gradients_of_while_with_two_variables(tf):
    x, y = tf.constant(2.0), tf.constant(1.5)
    _, result, _ = tf.while_loop(
        lambda i, s, q: i < 3, lambda i, s, q: (i + 1, tf.multiply(s, q), tf.square(q)),
        [tf.constant(0), x, y],
    )  # fmt: skip
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
        lambda i, s: i < 3, lambda i, s: (i + 1, tf.multiply(s, x)),
        [tf.constant(0), tf.constant(1.0)], back_prop=False,
    )  # fmt: skip
    y = tf.multiply(result, x)
    return [y, *tf.gradients(y, [x])]


@case("StackV2", "GatherV2")
def gradients_of_rows_in_a_loop(tf):
    table = tf.constant(np.arange(8.0).reshape(4, 2), tf.float32)
    _, result = tf.while_loop(
        lambda i, s: i < 3, lambda i, s: (i + 1, s + tf.reduce_sum(tf.gather(table, [i, 0]))),
        [tf.constant(0), tf.constant(0.0)],
    )  # fmt: skip
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


# Ordering, and primitives on their own ------------------------------------------------------------


@case("NoOp")
def groups(tf):
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    with tf.device("/cpu:0"):
        c = tf.constant(3.0, name="c")
    return [
        tf.group(a, b),
        tf.group([a, (b,)], name="nested"),
        tf.group(),
        tf.group(a, c, name="devices"),
        tf.no_op(name="nothing"),
    ]


@case("NoOp", "VarHandleOp")
def group_of_variables(tf):
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    w = tf.get_variable("w", initializer=1.0, use_resource=False)
    return Program(tf.group(v, w), setup=[v.initializer, w.initializer])


@case("NoOp", "Identity")
def tuples(tf):
    a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
    gated = tf.tuple([a, None, b], control_inputs=[tf.no_op()])
    return [gated[0], gated[2]]


@case("NoOp", error="Unknown keyword arguments: nme")
def group_of_a_wrong_keyword(tf):
    return tf.group(tf.constant(1), nme="x")


@case("NoOp", error="'inputs' should be zero or more (nested) Tensors")
def group_of_a_number(tf):
    return tf.group(3)


@case("NoOp", error="'tensors' must have at least one Tensor")
def tuple_of_nothing(tf):
    return tf.tuple([None])


@case("ControlTrigger")
def a_control_trigger_runs_when_its_input_is_dead(tf):
    graph = tf.get_default_graph()
    switch = graph.create_op(
        "Switch", [tf.constant(1.0), tf.constant(False)], [tf.float32, tf.float32]
    )
    dead = tf.negative(switch.outputs[1])
    with tf.control_dependencies([dead]):
        trigger = graph.create_op("ControlTrigger", [], [])
    with tf.control_dependencies([trigger]):
        return tf.constant(5)


@case("StackV2", "StackPushV2", "StackPopV2", "StackCloseV2")
def a_stack(tf):
    graph = tf.get_default_graph()
    elem_type = tf.AttrValue(type=1)
    stack = graph.create_op(
        "StackV2", [tf.constant(-1)], [tf.resource],
        attrs={"elem_type": elem_type, "stack_name": tf.AttrValue(s=b"mine")},
    ).outputs[0]  # fmt: skip
    first = graph.create_op("StackPushV2", [stack, tf.constant([1.0, 2.0])], [tf.float32])
    with tf.control_dependencies([first]):
        second = graph.create_op("StackPushV2", [stack, tf.constant([3.0])], [tf.float32])
    with tf.control_dependencies([second]):
        pop = graph.create_op("StackPopV2", [stack], [tf.float32], attrs={"elem_type": elem_type})
    with tf.control_dependencies([pop]):
        close = graph.create_op("StackCloseV2", [stack], [])
    return [pop.outputs[0], close]


@case("StackPopV2", error="is empty when calling Pop()")
def pop_from_an_empty_stack(tf):
    graph = tf.get_default_graph()
    elem_type = tf.AttrValue(type=1)
    stack = graph.create_op(
        "StackV2", [tf.constant(-1)], [tf.resource], attrs={"elem_type": elem_type}
    ).outputs[0]
    pop = graph.create_op("StackPopV2", [stack], [tf.float32], attrs={"elem_type": elem_type})
    return pop.outputs[0]
