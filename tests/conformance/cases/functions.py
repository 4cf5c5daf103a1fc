"""Functions: definitions, calls, gradients, and the ops that call functions."""

from tests.conformance.nodes import Function, function_module, node
from tests.conformance.registry import Program, case


def functions(tf):
    """Some functions to call, by their names in the graph."""
    defun = function_module(tf).Defun

    @defun(tf.float32, func_name="Double")
    def double(x):
        return x * 2.0

    @defun(tf.float32, func_name="Negated")
    def negated(x):
        return -x

    @defun(tf.float32, func_name="IsSmall")
    def is_small(x):
        return x < 100.0

    for function in (double, negated, is_small):
        function.add_to_graph(tf.get_default_graph())


@case("AddV2", "Split")
def definition_with_several_results(tf):
    @function_module(tf).Defun(tf.float32, tf.float32, func_name="MyFunction")
    def function(x, y):
        """What it is for."""
        left, right = tf.split(x, 2)
        return left + y, right * 2.0

    return function(tf.constant([1.0, 2.0]), tf.constant(3.0), name="my_call")


@case("AddV2")
def results_that_are_arguments(tf):
    @function_module(tf).Defun(tf.float32, tf.float32, func_name="Swap")
    def swap(x, y):
        return y, x, y

    return swap(tf.constant(1.0), tf.constant(2.0) + 3.0)


@case("AddV2")
def names_that_are_taken(tf):
    """Arguments and results take the names of nodes, which then get others."""

    @function_module(tf).Defun(tf.float32, tf.float32, func_name="Names")
    def function(X, add):
        first = tf.add(X, add)
        second = tf.add(first, 1.0, name="Upper/Case-Name")
        third = tf.add(second, 1.0, name="x")
        return first, second, third

    return function(tf.constant(1.0), tf.constant(2.0))


@case("Mul")
def results_with_names(tf):
    @function_module(tf).Defun(tf.float32, func_name="Named", out_names=["a", "b"])
    def function(x):
        return x * x, x

    return function(tf.constant(3.0))


@case("Const")
def function_without_arguments(tf):
    @function_module(tf).Defun(func_name="Answer")
    def function():
        return tf.constant(42)

    return [function(), tf.placeholder_with_default(1, [])]


@case("Mul", "AddV2")
def captured_tensors(tf):
    outside = tf.constant([1.0, 2.0], name="outside")
    factor = tf.placeholder_with_default(4.0, [], name="factor")

    @function_module(tf).Defun(tf.float32, func_name="Captures")
    def function(x):
        return outside * x + outside, tf.identity(factor)

    return function(tf.constant(3.0))


@case("Mul")
def captured_by_value(tf):
    outside = tf.constant([1.0, 2.0], name="outside") + 1.0

    @function_module(tf).Defun(tf.float32, func_name="Copies", capture_by_value=True)
    def function(x):
        return outside * x

    return function(tf.constant(3.0))


@case("Identity", each=[True, False])
def variables_of_a_function_are_outside(tf, use_resource):
    @function_module(tf).Defun(tf.float32, func_name="Layer")
    def layer(x):
        w = tf.get_variable(
            "w", [2], initializer=tf.constant_initializer([2.0, 3.0]), use_resource=use_resource
        )
        return tf.identity(x * w)

    with tf.variable_scope("net"):
        y = layer(tf.constant([1.0, 10.0]))
    z = layer(y)
    setup = [v.initializer for v in tf.global_variables()]
    return Program([y, z, *tf.gradients(z, tf.trainable_variables())], setup=setup)


@case("AssignAddVariableOp")
def variable_changed_in_a_function(tf):
    v = tf.get_variable("v", initializer=1.0, use_resource=True)

    @function_module(tf).Defun(tf.float32, func_name="Count")
    def count(x):
        with tf.control_dependencies([v.assign_add(x, read_value=False)]):
            return v.read_value()

    return Program(count(tf.constant(2.0)), setup=[v.initializer], runs=3)


@case("AssignAddVariableOp")
def effects_that_no_result_needs(tf):
    v = tf.get_variable("v", initializer=1.0, use_resource=True)

    @function_module(tf).Defun(tf.float32, func_name="Silent")
    def function(x):
        v.assign_add(x, read_value=False)
        return x * 2.0

    y = function(tf.constant(2.0))
    with tf.control_dependencies([y]):
        after = v.read_value()
    return Program([y, after], setup=[v.initializer], runs=2)


@case("Mul", "Sub")
def nested_calls(tf):
    defun = function_module(tf).Defun
    factor = tf.constant(10.0, name="factor")

    @defun(tf.float32, func_name="Inner")
    def inner(x):
        return x * factor

    @defun(tf.float32, func_name="Outer")
    def outer(x):
        return inner(x) - inner(x + 1.0, name="other")

    return outer(tf.constant(2.0))


@case("Switch", "Merge", "Exit")
def control_flow_inside(tf):
    @function_module(tf).Defun(tf.float32, func_name="Flow")
    def function(x):
        chosen = tf.cond(x > 0.0, lambda: x * 2.0, lambda: x - 1.0)
        shapes = [tf.TensorShape(None)]
        return chosen, tf.while_loop(lambda i: i < 10.0, lambda i: i + 4.0, [x], shapes)

    x = tf.placeholder(tf.float32, [], name="x")
    return Program(function(x), feed=[{x: 3.0}, {x: -3.0}])


# create_op names the Switch inside a conditional otherwise than the public functions do.
@case("Switch", graph="types")
def call_in_a_conditional_and_in_a_loop(tf):
    functions(tf)
    x = tf.placeholder(tf.float32, [], name="x")

    def double(value):
        (result,) = node(
            tf,
            "PartitionedCall",
            [value],
            Tin=("float32",),
            Tout=("float32",),
            f=Function("Double"),
        )
        result.set_shape([])
        return result

    chosen = tf.cond(x > 0.0, lambda: double(x), lambda: x - 1.0)
    counted = tf.while_loop(lambda i: i < 10.0, double, [tf.abs(x)])
    return Program([chosen, counted], feed=[{x: 3.0}, {x: -3.0}])


@case("PartitionedCall")
def partitioned_call(tf):
    functions(tf)
    return node(
        tf,
        "PartitionedCall",
        [tf.constant([1.0, 2.0])],
        Tin=("float32",),
        Tout=("float32",),
        f=Function("Double"),
    )


@case("StatefulPartitionedCall")
def stateful_partitioned_call(tf):
    functions(tf)
    return node(
        tf,
        "StatefulPartitionedCall",
        [tf.placeholder_with_default([3.0], [None])],
        Tin=("float32",),
        Tout=("float32",),
        f=Function("Negated"),
    )


@case("If", "StatelessIf", each=["If", "StatelessIf"])
def if_with_functions(tf, op_type):
    functions(tf)
    condition = tf.placeholder(tf.bool, [], name="condition")
    result = node(
        tf,
        op_type,
        [condition, tf.constant(5.0)],
        Tcond=tf.bool,
        Tin=("float32",),
        Tout=("float32",),
        then_branch=Function("Double"),
        else_branch=Function("Negated"),
    )
    return Program(result, feed=[{condition: True}, {condition: False}])


@case("StatelessIf", each=["int32", "float32", "string"])
def if_on_other_types(tf, dtype):
    functions(tf)
    condition = tf.placeholder(dtype, [], name="condition")
    result = node(
        tf,
        "StatelessIf",
        [condition, tf.constant(5.0)],
        Tcond=tf.as_dtype(dtype),
        Tin=("float32",),
        Tout=("float32",),
        then_branch=Function("Double"),
        else_branch=Function("Negated"),
    )
    true, false = (b"yes", b"") if dtype == "string" else (2, 0)
    return Program(result, feed=[{condition: true}, {condition: false}])


@case("Case", "StatelessCase", each=["Case", "StatelessCase"])
def case_with_functions(tf, op_type):
    functions(tf)
    index = tf.placeholder(tf.int32, [], name="index")
    branches = [Function("Double"), Function("Negated")]
    result = node(
        tf,
        op_type,
        [index, tf.constant(5.0)],
        Tin=("float32",),
        Tout=("float32",),
        branches=branches,
    )
    return Program(result, feed=[{index: 0}, {index: 1}, {index: 7}, {index: -1}])


@case("While", "StatelessWhile", each=["While", "StatelessWhile"])
def while_with_functions(tf, op_type):
    functions(tf)
    start = tf.placeholder(tf.float32, [], name="start")
    result = node(
        tf, op_type, [start], T=("float32",), cond=Function("IsSmall"), body=Function("Double")
    )
    return Program(result, feed=[{start: 3.0}, {start: 200.0}])


@case("SymbolicGradient", "Mul")
def gradient_of_a_call(tf):
    @function_module(tf).Defun(tf.float32, tf.float32, func_name="Product")
    def function(x, y):
        return tf.tanh(x * y), x + tf.exp(y)

    x, y = tf.constant([0.5, 2.0]), tf.constant([1.0, -1.0])
    a, b = function(x, y)
    return tf.gradients([a, b], [x, y]) + tf.gradients(a, y)


@case("SymbolicGradient")
def gradient_of_an_argument_that_counts_not(tf):
    @function_module(tf).Defun(tf.float32, tf.float32, func_name="First")
    def function(x, y):
        return x * 3.0

    x, y = tf.constant([0.5, 2.0]), tf.constant([[1.0, -1.0]])
    return tf.gradients(function(x, y), [x, y])


@case("SymbolicGradient", "Square")
def gradient_of_nested_calls(tf):
    defun = function_module(tf).Defun

    @defun(tf.float32, func_name="Inner")
    def inner(x):
        return tf.square(x)

    @defun(tf.float32, func_name="Outer")
    def outer(x):
        return inner(x) * x

    x = tf.constant(3.0)
    return tf.gradients(outer(x), x)


@case("SymbolicGradient")
def gradient_function_that_was_given(tf):
    defun = function_module(tf).Defun

    @defun(tf.float32, tf.float32, func_name="WrongOnPurpose")
    def gradient(x, dy):
        return dy * 100.0

    @defun(tf.float32, func_name="Cube", grad_func=gradient)
    def cube(x):
        return x * x * x

    x = tf.constant(2.0)
    return [cube(x), *tf.gradients(cube(x), x)]


@case("Mul")
def python_gradient(tf):
    def gradient(op, dy):
        return dy * 3.0 * tf.square(op.inputs[0])

    @function_module(tf).Defun(tf.float32, func_name="Cube", python_grad_func=gradient)
    def cube(x):
        return x * x * x

    x = tf.constant(2.0)
    first = tf.gradients(cube(x), x)
    return first + tf.gradients(first, x)


@case("Mul")
def overloaded(tf):
    @function_module(tf).Defun(func_name="Twice")
    def twice(x):
        return x + x

    return [twice(tf.constant(1.0)), twice(tf.constant(2)), twice(tf.constant(3.0)) * 1.0]


@case("AddV2")
def shape_function(tf):
    def shapes(op):
        return [op.inputs[0].shape]

    @function_module(tf).Defun(tf.float32, func_name="Shaped", shape_func=shapes, noinline=True)
    def function(x):
        return x + 1.0

    return function(tf.ones([2, 3]), noinline=True)


# Which numbers depends on whether TensorFlow inlines the calls, as it does when it is not told
# otherwise; the recordings are made without. tests/ops/functions/test_functions.py has them.
@case("RandomUniform", "RandomStandardNormal", random=True)
def random_numbers_of_a_function(tf):

    @function_module(tf).Defun(func_name="Chance")
    def chance():
        return tf.random_uniform([2], seed=3), tf.random_normal([2], seed=4)

    @function_module(tf).Defun(func_name="Outer")
    def outer():
        return chance()

    return Program([*chance(), *chance(), *outer(), tf.random_uniform([2], seed=3)], runs=3)


# Mistakes -------------------------------------------------------------------------------------
