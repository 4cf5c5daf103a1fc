"""Conditionals, ordering, and the primitives below them."""

from tests.conformance.registry import Program, case


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
        "StackV2",
        [tf.constant(-1)],
        [tf.resource],
        attrs={"elem_type": elem_type, "stack_name": tf.AttrValue(s=b"mine")},
    ).outputs[0]
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


def few_some_many(tf, **options):
    x = tf.placeholder(tf.int32, [], name="x")
    pairs = [(x < 1, lambda: tf.constant(1)), (x < 2, lambda: x + 10)]
    return Program(tf.case(pairs, **options), feed=[{x: 0}, {x: 1}, {x: 7}])


@case("Switch", "Merge")
def case_with_a_default(tf):
    return few_some_many(tf, default=lambda: tf.constant(3))


@case("Assert")
def case_of_one_at_most(tf):
    x = tf.placeholder(tf.int32, [], name="x")
    pairs = [(tf.equal(x, n), lambda n=n: [tf.constant(n)]) for n in range(3)]
    result = tf.case(pairs, lambda: [x], exclusive=True, strict=True, name="chosen")
    return Program(result, feed=[{x: 0}, {x: 2}, {x: 5}])


@case("Assert")
def case_without_a_default(tf):
    x = tf.placeholder(tf.int32, [], name="x")
    pairs = [(tf.equal(x, n), lambda n=n: tf.constant(n)) for n in range(3)]
    return Program(tf.case(pairs), feed=[{x: 0}, {x: 1}, {x: 2}])


@case("Merge")
def case_of_a_dictionary(tf):
    x = tf.placeholder(tf.int32, [], name="x")
    pairs = {
        tf.less(x, 2, name="z"): lambda: tf.constant(2),
        tf.less(x, 1, name="b"): lambda: tf.constant(1),
    }
    return Program(tf.case(pairs, default=lambda: x), feed=[{x: 0}, {x: 1}, {x: 7}])


@case("Switch", "Merge")
def gradients_of_case(tf):
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.case([(x < 1.0, lambda: x * x), (x < 2.0, lambda: 3.0 * x)], lambda: tf.exp(x))
    return Program([y, *tf.gradients(y, x)], feed=[{x: 0.5}, {x: 1.5}, {x: 2.5}])


@case("Assert", error="None of conditions evaluated as True")
def case_without_an_answer(tf):
    x = tf.placeholder(tf.int32, [], name="x")
    pairs = [(tf.equal(x, n), lambda n=n: tf.constant(n)) for n in range(3)]
    return Program(tf.case(pairs), feed={x: 9})


@case("Assert", error="Input error: exclusive=True: more than 1 conditions")
def case_with_two_answers(tf):
    x = tf.placeholder(tf.int32, [], name="x")
    pairs = [(x < n, lambda n=n: tf.constant(n)) for n in range(1, 4)]
    return Program(tf.case(pairs, lambda: x, exclusive=True), feed={x: 0})


@case("Merge", error="'pred_fn_pairs' must be a list, tuple, or dict. Received: <class 'int'>")
def case_of_a_number(tf):
    return tf.case(3)


@case("Merge", error="Each entry in 'pred_fn_pairs' must be a 2-tuple. Received 3.")
def case_of_numbers(tf):
    return tf.case([3])


@case("Merge", error="pred must be a Tensor, got: True")
def case_of_a_python_bool(tf):
    return tf.case([(True, lambda: tf.constant(1))])


@case("Merge", error="pred must be Tensor of type bool: Const:0")
def case_of_an_integer(tf):
    return tf.case([(tf.constant(1), lambda: tf.constant(1))])


@case("Merge", error="fn for pred Const:0 must be callable.")
def case_of_no_function(tf):
    return tf.case([(tf.constant(True), 1)])
