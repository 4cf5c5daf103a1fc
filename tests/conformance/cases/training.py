"""Optimizers: the graphs they build, and where some steps lead."""

import numpy as np

from tests.conformance.registry import Program, case

KINDS = [False, True]
TARGET = np.array([[1.0, -2.0], [0.5, 3.0]], np.float32)


def loss_of(tf, use_resource):
    """A loss with two variables, of which one is used twice."""
    w = tf.Variable(
        np.array([[0.5, 1.0], [-1.0, 2.0]], np.float32), name="w", use_resource=use_resource
    )
    b = tf.Variable(np.array([0.1, -0.1], np.float32), name="b", use_resource=use_resource)
    error = tf.matmul(w, w) + b - TARGET
    return tf.reduce_mean(tf.square(error), name="loss"), w, b


def steps(tf, optimizer, use_resource, **settings):
    """Five steps, each followed by a look at the variables (and the step counter)."""
    loss, w, b = loss_of(tf, use_resource)
    train = optimizer.minimize(loss, **settings)
    with tf.control_dependencies([train]):
        seen = [v.read_value() for v in (w, b, *optimizer.variables())]
        if "global_step" in settings:
            seen.append(settings["global_step"].read_value())
    return Program(seen, setup=[tf.global_variables_initializer()], runs=5)


@case("ApplyGradientDescent")
def gradient_descent_on_references(tf):
    return steps(tf, tf.train.GradientDescentOptimizer(0.1), False)


@case("ResourceApplyGradientDescent")
def gradient_descent_on_handles(tf):
    return steps(tf, tf.train.GradientDescentOptimizer(0.1), True)


@case("ApplyMomentum", each=KINDS)
def momentum_on_references(tf, use_nesterov):
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=use_nesterov)
    return steps(tf, optimizer, False)


@case("ResourceApplyMomentum", each=KINDS)
def momentum_on_handles(tf, use_nesterov):
    optimizer = tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=use_nesterov)
    return steps(tf, optimizer, True)


@case("ApplyAdam")
def adam_on_references(tf):
    return steps(tf, tf.train.AdamOptimizer(0.1), False)


@case("ResourceApplyAdam")
def adam_on_handles(tf):
    return steps(tf, tf.train.AdamOptimizer(0.1), True)


@case("ApplyAdam")
def adam_in_float64_with_parameters(tf):
    v = tf.Variable(np.array([1.0, -2.0, 3.0]), name="v", use_resource=False)
    optimizer = tf.train.AdamOptimizer(0.2, beta1=0.8, beta2=0.95, epsilon=1e-3, use_locking=True)
    train = optimizer.minimize(tf.reduce_sum(v * v * v))
    with tf.control_dependencies([train]):
        seen = v.read_value()
    return Program(seen, setup=[tf.global_variables_initializer()], runs=4)


@case("ApplyAdam", "ResourceApplyAdam", each=KINDS)
def nesterovs_adam_alone(tf, use_resource):
    graph = tf.get_default_graph()
    start = [[1.0, 2.0], [0.1, -0.2], [0.3, 0.4]]
    states = [tf.Variable(value, use_resource=use_resource) for value in start]
    numbers = [0.9, 0.99, 0.1, 0.9, 0.99, 1e-6]
    inputs = [s.handle if use_resource else s._ref() for s in states]
    inputs += [tf.constant(n) for n in (*numbers, [0.5, -0.5])]
    nesterov = True
    if "tensorflow" in tf.__name__:
        nesterov = tf.AttrValue(b=True)
    kind = "ResourceApplyAdam" if use_resource else "ApplyAdam"
    outputs = [] if use_resource else [tf.as_dtype("float32_ref")]
    step = graph.create_op(kind, inputs, outputs, attrs={"use_nesterov": nesterov})
    with tf.control_dependencies([step]):
        seen = [s.read_value() for s in states]
    both = loss_of(tf, not use_resource)[0]
    other = tf.train.AdamOptimizer().minimize(both)
    with tf.control_dependencies([other]):
        after = tf.identity(both)
    return Program([seen, after], setup=[tf.global_variables_initializer()], runs=2)


@case("ApplyGradientDescent", "AssignAdd")
def a_global_step_counts(tf):
    step = tf.train.get_or_create_global_step()
    return steps(tf, tf.train.GradientDescentOptimizer(0.1), False, global_step=step)


@case(each=KINDS)
def another_global_step(tf, use_resource):
    step = tf.Variable(10, name="steps", trainable=False, use_resource=use_resource)
    optimizer = tf.train.AdamOptimizer(0.1)
    return steps(tf, optimizer, use_resource, global_step=step, name="improve")


@case(each=[0, 1, 2])
def gates(tf, gate):
    return steps(tf, tf.train.GradientDescentOptimizer(0.1), False, gate_gradients=gate)


@case()
def gradients_with_the_ops_they_belong_to(tf):
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    return steps(tf, optimizer, False, colocate_gradients_with_ops=True)


@case(each=KINDS)
def two_halves_of_minimize(tf, use_resource):
    loss, w, b = loss_of(tf, use_resource)
    optimizer = tf.train.MomentumOptimizer(tf.placeholder_with_default(0.1, []), 0.5, name="Mine")
    pairs = optimizer.compute_gradients(loss, [w])
    pairs = [(gradient * 2.0, v) for gradient, v in pairs] + [(None, b)]
    train = optimizer.apply_gradients(pairs)
    with tf.control_dependencies([train]):
        seen = [w.read_value(), b.read_value(), optimizer.get_slot(w, "momentum").read_value()]
    return Program(seen, setup=[tf.global_variables_initializer()], runs=2)


@case(each=KINDS)
def two_optimizers_of_one_name(tf, use_resource):
    loss, w, _ = loss_of(tf, use_resource)
    first, second = tf.train.MomentumOptimizer(0.1, 0.9), tf.train.MomentumOptimizer(0.2, 0.5)
    trained = [first.minimize(loss, var_list=[w]), second.minimize(loss)]
    names = [v.name for v in (*first.variables(), *second.variables())]
    names += [op.name for op in trained] + [first.get_name(), *second.get_slot_names()]
    return Program(tf.constant(names, name="names"))


@case(each=KINDS)
def a_constraint(tf, use_resource):
    v = tf.Variable(
        [0.2, -0.1],
        name="v",
        use_resource=use_resource,
        constraint=lambda value: tf.maximum(value, 0.0),
    )
    train = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(v * v * 0.4 + v * 0.1))
    with tf.control_dependencies([train]):
        seen = v.read_value()
    return Program(seen, setup=[v.initializer], runs=2)


@case("ApplyGradientDescent", error="var and delta do not have the same shape[2] [3]")
def a_gradient_of_another_shape(tf):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=False)
    p = tf.placeholder(tf.float32, name="p")
    train = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(p, v)])
    return Program(train, feed={p: [1.0, 2.0, 3.0]}, setup=[v.initializer])


@case("ApplyGradientDescent", error="alpha is not a scalar: [2]")
def a_learning_rate_that_is_no_number(tf):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=False)
    p = tf.placeholder(tf.float32, name="p")
    train = tf.train.GradientDescentOptimizer(p).minimize(tf.reduce_sum(v))
    return Program(train, feed={p: [1.0, 2.0]}, setup=[v.initializer])


@case("ApplyMomentum", error="Attempting to use uninitialized value v/Momentum")
def a_slot_without_a_value(tf):
    v = tf.Variable([1.0, 2.0], name="v", use_resource=False)
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(v))
    return Program(train, setup=[v.initializer])


@case(error="No variables to optimize.")
def nothing_to_optimize(tf):
    return tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))


@case(error="No gradients provided for any variable, check your graph for ops that do not support")
def a_loss_that_depends_on_nothing(tf):
    tf.Variable(1.0, use_resource=False)
    return tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))


@case(
    error="Invalid type tf.int32 for mul:0, expected: [tf.float32, tf.float64, tf.float16, tf.bfl"
)
def a_loss_of_integers(tf):
    v = tf.Variable(1, use_resource=False)
    return tf.train.GradientDescentOptimizer(0.1).minimize(v * 2)


@case(error='"global_step" already exists.')
def a_second_global_step(tf):
    tf.train.create_global_step()
    return tf.train.create_global_step()


@case(error='Existing "global_step" does not have integer type:')
def a_global_step_that_is_no_integer(tf):
    tf.add_to_collection("global_step", tf.Variable(1.0))
    return tf.train.get_global_step()
