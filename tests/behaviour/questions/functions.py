"""Functions: what calls give, what a definition says about itself, whose the variables are."""

from tests.behaviour.asking import question, says
from tests.conformance.nodes import function_module


def plus(tf, **settings):
    @function_module(tf).Defun(tf.float32, tf.float32, func_name="Plus", **settings)
    def plus(x, y):
        return x + y

    return plus


@question
def calls(tf):
    f = plus(tf)
    with tf.name_scope("scope"):
        inside = f(1.0, 2.0)
    first, second, named = f(1.0, 2.0), f(1.0, 2.0), f(1.0, 2.0, name="mine")

    @function_module(tf).Defun(tf.float32, func_name="Two")
    def two(x):
        return [x, x]

    @function_module(tf).Defun(tf.float32, func_name="Nothing")
    def nothing(x):
        tf.identity(x)

    return {
        "a result": first,
        "names": [t.name for t in (inside, first, second, named)],
        "type": first.op.type,
        "inputs": [t.name for t in second.op.inputs],
        "several results": two(1.0),
        "no result": nothing(1.0),
        "attributes": sorted(first.op.node_def.attr),
        "attributes of another": sorted(f(1.0, 2.0, noinline=True).op.node_def.attr),
        "unknown setting": says("Unknown keyword arguments", f, 1.0, 2.0, colour="red"),
        "too few": says("Expected 2 arguments, got 1.", f, 1.0),
        "a result of an unknown shape": first.shape,
        "operations": [op.name for op in tf.get_default_graph().get_operations()],
    }


@question
def facts(tf):
    outside = tf.constant(1.0, name="outside")

    @function_module(tf).Defun(tf.float32, func_name="F")
    def f(x):
        """What it says of itself."""
        tf.random_uniform([], name="chance")
        return x * outside

    @function_module(tf).Defun(tf.float32, tf.float32, func_name="G")
    def g(x, dy):
        return dy

    f.set_grad_func(g)
    before = [op.name for op in tf.get_default_graph().get_operations()]
    f.add_to_graph(tf.get_default_graph())
    return {
        "name": f.name,
        "types": f.declared_input_types,
        "captured": [t.name for t in f.captured_inputs],
        "stateful": f.stateful_ops,
        "gradient": [f.grad_func_name, g.grad_func_name, f.python_grad_func],
        "description": f.definition.signature.description,
        "is stateful": [f.definition.signature.is_stateful, g.definition.signature.is_stateful],
        "library": [
            d.signature.name for d in tf.get_default_graph().as_graph_def().library.function
        ],
        "versions": tf.get_default_graph().as_graph_def().versions.min_consumer,
        "is a function": [tf.get_default_graph()._is_function(n) for n in ("F", "H")],
        "nothing was built": before,
    }


@question
def variables(tf):
    @function_module(tf).Defun(tf.float32, func_name="Layer")
    def layer(x):
        with tf.variable_scope("inner"):
            w = tf.get_variable("w", [], initializer=tf.ones_initializer())
        return x * w

    with tf.variable_scope("first"):
        y = layer(1.0)
    with tf.variable_scope("second"):
        z = layer(1.0)

    def again():
        with tf.variable_scope("first/inner"):
            return tf.get_variable("w", [])

    return {
        "one variable": [v.name for v in tf.global_variables()],
        "trainable": [v.name for v in tf.trainable_variables()],
        "passed to both": [y.op.inputs[1].name, z.op.inputs[1].name],
        "a second one": says("Variable first/inner/w already exists, disallowed.", again),
    }


@question
def gradients(tf):
    f = plus(tf)
    x, y = tf.constant(1.0), tf.constant([1.0, 2.0])
    result = f(x, y)
    slopes = tf.gradients(result, [x, y])
    given = plus(tf, python_grad_func=lambda op, dy: [dy * 2.0, None])
    return {
        "names": [t.name for t in slopes],
        "shapes": [t.shape for t in slopes],
        "of an argument that is not used": tf.gradients(result, tf.constant(1.0)),
        "by Python": [t if t is None else t.op.type for t in tf.gradients(given(x, x), x)],
    }


@question
def overloads(tf):
    @function_module(tf).Defun(func_name="Any")
    def anything(x, y):
        return x

    calls = [anything(1.0, 2), anything(1.0, "a"), anything(2.0, 3), anything(True, 1.0)]
    return {
        "names": [t.name for t in calls],
        "types": [t.dtype for t in calls],
        "too many": says("", anything, 1.0, 2.0, 3.0),
    }
