"""Gradients through gathers, conditionals and loops; hessians; gradients given by hand."""

import contextlib

import numpy as np

from tests.conformance.registry import Program, case

KINDS = [False, True]
TABLE = np.array([[0.5, 1.0], [-1.0, 2.0], [0.3, -0.7], [1.5, 0.2]], np.float32)
X = np.array([[-3.0, 0.5], [2.0, -0.1]], np.float32)


def parts(gradient):
    """An IndexedSlices as what it is made of; a tensor as it is."""
    if hasattr(gradient, "indices"):
        found = [gradient.values, gradient.indices]
        return found if gradient.dense_shape is None else [*found, gradient.dense_shape]
    return [gradient]


def table(tf, use_resource):
    return tf.Variable(TABLE, name="w", use_resource=use_resource)


def run(tf, fetches):
    return Program(fetches, setup=[tf.global_variables_initializer()])


# Slices -------------------------------------------------------------------------------------------


@case(each=KINDS)
def slices_from_two_gathers(tf, use_resource):
    w = table(tf, use_resource)
    y = tf.gather(w, [1, 3]) * tf.gather(w, np.array([0, 1], np.int64))
    gradient = tf.gradients(y, w)[0]
    return run(tf, [*parts(gradient), tf.convert_to_tensor(gradient)])


@case(each=KINDS)
def a_gather_of_a_gather(tf, use_resource):
    w = table(tf, use_resource)
    gradient = tf.gradients(tf.square(tf.gather(tf.gather(w, [1, 3, 1]), [0, 2, 2])), w)[0]
    return run(tf, parts(gradient))


@case(each=KINDS)
def slices_given_as_gradients(tf, use_resource):
    w = table(tf, use_resource)
    above = tf.IndexedSlices(tf.constant(X), tf.constant([2, 0]), tf.constant([4, 2]))
    return run(tf, tf.gradients(w * 2.0, [w], grad_ys=[above]))


@case(each=KINDS)
def the_second_derivative_of_a_gather(tf, use_resource):
    w = table(tf, use_resource)
    rows = tf.gather(w, [1, 1, 2])
    first = tf.gradients(rows * rows * rows, w)[0]
    second = tf.gradients(first.values, w)[0]
    third = tf.gradients(tf.convert_to_tensor(first), w)[0]
    return run(tf, [*parts(second), *parts(third)])


@case(each=KINDS)
def slices_scaled_by_clipping(tf, use_resource):
    w = table(tf, use_resource)
    gradient = tf.gradients(tf.square(tf.gather(w, [1, 1])), w)[0]
    return run(tf, [*parts(tf.clip_by_norm(gradient, 0.5)), *parts(-gradient)])


@case(each=KINDS)
def a_gather_in_a_conditional(tf, use_resource):
    w = table(tf, use_resource)
    p = tf.placeholder_with_default(True, [])
    y = tf.cond(p, lambda: tf.gather(w, [1, 1, 2]), lambda: tf.gather(w, [0, 3, 3]) * 2.0)
    gradient = tf.gradients(tf.square(y), w)[0]
    return Program(
        [tf.convert_to_tensor(gradient)],
        feed=[{p: True}, {p: False}],
        setup=[w.initializer],
        runs=2,
    )


@case(each=KINDS)
def a_gather_of_a_constant_in_a_loop(tf, from_placeholder):
    x = tf.placeholder_with_default(TABLE, [4, 2]) if from_placeholder else tf.constant(TABLE)
    total = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, total: (i + 1, total + tf.reduce_sum(tf.square(tf.gather(x, [i, 0])))),
        [tf.constant(0), tf.constant(0.0)],
    )[1]
    return [tf.convert_to_tensor(tf.gradients(total, x)[0])]


@case(each=KINDS)
def a_gather_of_a_variable_in_a_loop(tf, use_resource):
    w = table(tf, use_resource)
    total = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, total: (i + 1, total + tf.reduce_sum(tf.square(tf.gather(w, [i, 0])))),
        [tf.constant(0), tf.constant(0.0)],
    )[1]
    return run(tf, tf.convert_to_tensor(tf.gradients(total, w)[0]))


@case()
def a_result_of_slices(tf):
    x = tf.constant(X)
    slices = tf.IndexedSlices(x * x, tf.constant([2, 0]), tf.constant([4, 2]))
    return tf.gradients(tf.convert_to_tensor(slices), x)


# Ways to call it ----------------------------------------------------------------------------------


@case(each=["none", "zero"])
def several_of_everything(tf, unconnected):
    x, y, z = tf.constant(X, name="x"), tf.constant([1.0, 2.0]), tf.constant([[1.0]])
    ys = [x * y, tf.exp(y), tf.reduce_sum(x)]
    given = [None, tf.constant([3.0, 4.0]), tf.constant(2.0)]
    found = tf.gradients(
        ys,
        [x, y, z],
        grad_ys=given,
        name="mine",
        stop_gradients=[y],
        unconnected_gradients=tf.UnconnectedGradients(unconnected),
    )
    return [g for g in found if g is not None]


@case(each=[0, 1, 2])
def ways_to_add_slices(tf, method):
    w = table(tf, True)
    y = tf.reduce_sum(tf.gather(w, [1])) + tf.reduce_sum(tf.gather(w, [2, 1])) * 2.0
    dense = tf.gradients(y + tf.reduce_sum(w), w, aggregation_method=method)[0]
    return run(tf, [*parts(tf.gradients(y, w, aggregation_method=method)[0]), *parts(dense)])


def attributes(tf, **values):
    """Attributes of a node, in the form that each library takes."""
    if "tensorflow" not in tf.__name__:
        return values
    field = {int: "i", bytes: "s"}
    return {
        name: tf.AttrValue(**{field[type(value)]: value})
        if type(value) in field
        else tf.AttrValue(shape=value.as_proto())
        for name, value in values.items()
    }


@case("AccumulateNV2")
def another_op_for_sums(tf):
    x, y = tf.constant(X), tf.constant(X * 2)
    attrs = attributes(tf, N=3, shape=tf.TensorShape([2, 2]))
    node = tf.get_default_graph().create_op("AccumulateNV2", [x, y, x], [tf.float32], attrs=attrs)
    total = node.outputs[0]
    return [total, *tf.gradients(total * total, [x, y])]


@case("PreventGradient", error="Gradient explicitly disabled. Reason: ")
def a_gradient_that_must_not_be_asked_for(tf):
    x = tf.constant([[1.0, 2.0]])
    attrs = attributes(tf, message=b"it is wrong")
    node = tf.get_default_graph().create_op("PreventGradient", [x], [tf.float32], attrs=attrs)
    return tf.gradients(node.outputs[0], x)


@case("PreventGradient")
def a_gradient_that_nobody_asks_for(tf):
    attrs = attributes(tf, message=b"it is wrong")
    x = tf.constant([[1.0, 2.0]])
    return tf.get_default_graph().create_op("PreventGradient", [x], attrs=attrs).outputs[0]


@case()
def a_registered_gradient_for_lists(tf):
    """An op with as many inputs as it is given."""
    name = "OfLists"

    def of_lists(op, *gradients):
        total = tf.add_n([tf.reduce_sum(g) for g in gradients])
        return [total * float(i + 1) for i in range(len(op.inputs))]

    with contextlib.suppress(KeyError):  # the case is built several times
        tf.RegisterGradient(name)(of_lists)

    x, y, z = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    with tf.get_default_graph().gradient_override_map({"IdentityN": name, "AddN": name}):
        a, b = tf.identity_n([x, y])
        total = tf.add_n([a, b, z])
    return tf.gradients([total * 5.0], [x, y, z])


# Hessians -----------------------------------------------------------------------------------------


@case()
def hessians_of_a_vector(tf):
    x = tf.constant([1.0, 2.0, -1.0])
    return tf.hessians(tf.reduce_sum(x * x * x) + x[0] * x[1], x)


@case()
def hessians_of_matrices(tf):
    x, y = tf.constant(X), tf.constant(X.T * 0.5)
    z = tf.reduce_sum(tf.square(tf.matmul(x, y)))
    return tf.hessians(z, [x, y])


@case(each=KINDS)
def hessians_of_variables(tf, use_resource):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=use_resource)
    value = tf.identity(v)
    return run(tf, tf.hessians(tf.reduce_prod(value) * tf.reduce_sum(value), value))


@case(each=KINDS)
def hessians_of_what_a_variable_holds(tf, use_resource):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=use_resource)
    return run(tf, tf.hessians(v[0] ** 3 * v[1], v))


# Gradients given by hand --------------------------------------------------------------------------

# The name of the gradient is numbered differently: the nodes' attribute is not the same.


@case("IdentityN", graph="types", travels=False)
def a_gradient_by_hand(tf):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)

        def grad(dy):
            return dy * (1 - 1 / (1 + e))

        return tf.log(1 + e), grad

    x = tf.constant([0.0, 1.0, 100.0])
    y = log1pexp(x)
    first = tf.gradients(y, x)[0]
    return [y, first, tf.gradients(first, x)[0]]


@case(graph="types", travels=False)
def several_results_by_hand(tf):
    @tf.custom_gradient
    def both(x, y):
        def grad(dx, dy):
            return dx * 10.0, {"unused": None}.get("x", dy + dx)

        return (x + y, {"product": x * y}), grad

    x, y = tf.constant(2.0), tf.constant(3.0)
    total, more = both(x, y)
    return [total, more["product"], *tf.gradients(total * more["product"], [x, y])]


@case(graph="types", travels=False)
def no_gradient_for_one_argument(tf):
    @tf.custom_gradient
    def first(x, y):
        return x * y, lambda dy: (dy * 7.0, None)

    x, y = tf.constant(2.0), tf.constant(3.0)
    found = tf.gradients(first(x, y), [x, y])
    return [found[0], tf.constant(str(found[1]), name="second")]


@case(graph="types", travels=False)
def a_method_by_hand(tf):
    class Scale:
        factor = 3.0

        @tf.custom_gradient
        def apply(self, x):
            return x * self.factor, lambda dy: dy * self.factor * 2.0

    x = tf.constant([1.0, 2.0])
    return tf.gradients(Scale().apply(x), x)


@case(graph="types", travels=False)
def variables_by_hand(tf):
    with tf.variable_scope("", use_resource=True):
        w = tf.get_variable("w", initializer=tf.constant([1.0, 2.0]))
        fixed = tf.get_variable("fixed", initializer=tf.constant(5.0), trainable=False)

    @tf.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            return dy * w, [dy * 100.0 + float(len(variables))]

        return x * w * fixed, grad

    x = tf.constant([3.0, 4.0])
    y = scaled(x)
    return run(tf, [y, *tf.gradients(y * y, [x, w])])


@case(error="grad_fn must accept keyword argument 'variables', since function uses variables")
def variables_that_are_not_expected(tf):
    w = tf.Variable([1.0, 2.0], use_resource=True)

    @tf.custom_gradient
    def scaled(x):
        return x * w, lambda dy: dy

    return scaled(tf.constant([3.0, 4.0]))


@case(error="must be `ResourceVariable`s")
def reference_variables_made_inside(tf):
    @tf.custom_gradient
    def scaled(x):
        w = tf.get_variable("w", [], use_resource=False)
        return x * w, lambda dy, variables=None: (dy, [None])

    return scaled(tf.constant([3.0, 4.0]))


@case(error="custom_gradient decorator currently supports keywords arguments only when")
def keyword_arguments(tf):
    @tf.custom_gradient
    def same(x):
        return x, lambda dy: dy

    return same(x=tf.constant(1.0))


@case(graph="types", travels=False)
def a_gradient_passed_through(tf):
    x = tf.constant([0.4, 1.6])
    y = tf.grad_pass_through(tf.round)(x)
    return [y, *tf.gradients(y * 3.0, x)]


@case(graph="types", travels=False)
def a_gradient_by_hand_in_a_conditional(tf):
    @tf.custom_gradient
    def doubled(x):
        return x * 2.0, lambda dy: dy * 20.0

    x, p = tf.constant(3.0), tf.placeholder_with_default(True, [])
    y = tf.cond(p, lambda: doubled(x), lambda: x)
    return Program(tf.gradients(y, x), feed=[{p: True}, {p: False}], runs=2)
