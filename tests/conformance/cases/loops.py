"""Loops."""

from tests.conformance.registry import Program, case


def both_ways(tf, fetches, pred):
    return Program(fetches, feed=[{pred: True}, {pred: False}])


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
        lambda i: i < 3,
        lambda i: i + 1,
        [tf.constant(0)],
        parallel_iterations=1,
        back_prop=False,
        swap_memory=True,
        name="counting",
    )


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


@case("Enter", "ReadVariableOp")
def while_from_a_variable(tf):
    v = tf.get_variable("v", [], initializer=tf.ones_initializer(), use_resource=True)
    i, w = tf.while_loop(lambda i, w: i < 3, lambda i, w: (i + 1, w * 2.0), (0, v))
    return Program([i, w, *tf.gradients(w, v)], setup=[v.initializer])


@case("Enter", "ConcatV2", each=[True, False])
def while_of_slices(tf, with_shape):
    rest = [tf.constant([10, 2])] if with_shape else []
    start = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([3]), *rest)

    def body(i, slices):
        values = tf.concat([slices.values, slices.values], 0)
        indices = tf.concat([slices.indices, slices.indices], 0)
        return i + 1, tf.IndexedSlices(values, indices, *rest)

    _, slices = tf.while_loop(
        lambda i, _: i < 3,
        body,
        (0, start),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 2])),
    )
    return [slices.values, slices.indices]


@case("Enter", "LogicalAnd")
def while_of_structures_with_everything(tf):
    invariants = (tf.TensorShape([]), {"i": tf.TensorShape([]), "x": [tf.TensorShape(None)]})
    i, state = tf.while_loop(
        lambda i, state: state["i"] < 30,
        lambda i, state: (i + 1, {"i": state["i"] + 1, "x": [state["x"][0] * 2.0]}),
        (0, {"i": 0, "x": [1.0]}),
        shape_invariants=invariants,
        maximum_iterations=2,
    )
    return [i, state["i"], state["x"][0]]


@case("Enter", error="The two structures don't have the same nested structure")
def while_with_a_list_for_a_shape(tf):
    return tf.while_loop(
        lambda i, v: i < 3,
        lambda i, v: (i + 1, v),
        (0, tf.ones([2])),
        shape_invariants=(tf.TensorShape([]), [2]),
    )


@case("Enter", "Switch", each=[True, False])
def while_in_cond_in_while(tf, differentiate):
    x = tf.constant([1.5, 2.0])

    def step(i, y):
        def inner():
            return tf.while_loop(lambda j, _: j < i, lambda j, z: (j + 1, z * x), (0, y))[1]

        return i + 1, tf.cond(tf.reduce_sum(y) < 5.0, inner, lambda: y - x)

    y = tf.while_loop(lambda i, _: i < 5, step, (0, x))[1]
    return [y, *tf.gradients(y, x)] if differentiate else y


@case("Enter")
def a_gradient_inside_a_loop(tf):
    x = tf.constant(2.0)

    def body(i, y):
        z = y * y * x
        return i + 1, y + tf.gradients(z, y)[0]

    y = tf.while_loop(lambda i, _: i < 3, body, (0, 1.0))[1]
    return [y, *tf.gradients(y, x)]


@case("Enter", "ConcatV2")
def while_of_sparse_tensors(tf):
    start = tf.SparseTensor([[0, 1]], [1.0], [2, 3])

    def body(i, x):
        indices = tf.concat([x.indices, x.indices], 0)
        return i + 1, tf.SparseTensor(indices, tf.concat([x.values] * 2, 0), x.dense_shape)

    _, x = tf.while_loop(
        lambda i, _: i < 3,
        body,
        (0, start),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([2])),
    )
    return [x.indices, x.values, x.dense_shape]


@case("Enter", error="Expected a shape with 1 dimension. Obtained: (2, 3) which has 2 dimensions.")
def while_of_sparse_tensors_of_another_shape(tf):
    start = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    return tf.while_loop(
        lambda x: x.values[0] < 9.0,
        lambda x: [x],
        [start],
        shape_invariants=[tf.TensorShape([2, 3])],
    )


@case("Switch", "Merge")
def cond_of_sparse_tensors(tf):
    pred = tf.placeholder(tf.bool, [], name="pred")
    x = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    result = tf.cond(pred, lambda: x, lambda: tf.SparseTensor([[1, 1]], [2.0], [2, 3]))
    return both_ways(tf, [result.indices, result.values], pred)
