"""Partitioned variables: read, assigned to, differentiated and trained."""

import numpy as np

from tests.conformance.registry import Program, case

VALUE = np.arange(10.0, dtype=np.float32).reshape(5, 2) / 4
DATA = np.array([[1.0, 2.0, -1.0, 0.5, 3.0], [0.0, 1.0, 1.0, 2.0, -2.0]], np.float32)


def partitioned(tf, name="w", shards=3, axis=0, **settings):
    settings.setdefault("initializer", VALUE)
    partitioner = tf.fixed_size_partitioner(shards, axis=axis)
    return tf.get_variable(name, [5, 2], tf.float32, partitioner=partitioner, **settings)


KINDS = [False, True]


@case("ConcatV2", each=KINDS)
def read(tf, resource):
    rows = partitioned(tf, use_resource=resource)
    columns = partitioned(tf, "columns", 2, axis=1, use_resource=resource)
    one = partitioned(tf, "one", 1, use_resource=resource)
    setup = [part.initializer for whole in (rows, columns, one) for part in whole]
    results = [rows.as_tensor(), tf.convert_to_tensor(columns), one.as_tensor()]
    results += [tf.matmul(DATA, rows), tf.identity(columns, name="c"), rows.as_tensor() * 2.0]
    return Program(results + [part.read_value() for part in rows], setup=setup)


@case("Slice", "RandomUniform", each=KINDS)
def initial_values(tf, resource):
    settings = {"use_resource": resource, "partitioner": tf.fixed_size_partitioner(2)}
    tensor = tf.get_variable("t", initializer=tf.constant([1.0, 2.0, 3.0]), **settings)
    drawn = tf.get_variable(
        "d", [3, 2], initializer=tf.random_uniform_initializer(seed=3), **settings
    )
    numbers = tf.get_variable("i", [3], tf.int32, **settings)

    def twos(shape, dtype):
        return tf.fill(shape, tf.cast(2.0, dtype))

    function = tf.get_variable("f", [3], initializer=twos, **settings)
    wholes = [tensor, drawn, numbers, function]
    setup = [part.initializer for whole in wholes for part in whole]
    return Program([whole.as_tensor() for whole in wholes], setup=setup)


@case("Slice")
def created(tf):
    parts = tf.create_partitioned_variables([5, 2], [3, 1], tf.ones_initializer(), name="v")
    parts += tf.create_partitioned_variables([4], [2], tf.constant([1, 2, 3, 4]), tf.int32)
    return Program([part.read_value() for part in parts], setup=[tf.global_variables_initializer()])


@case("Assign", "SplitV")
def assigned(tf):
    whole, other = partitioned(tf), partitioned(tf, "other", initializer=tf.ones_initializer())
    assignments = [whole.assign(VALUE * 2, name="whole"), whole.assign_add(VALUE[::-1].copy())]
    assignments += [whole.assign_sub(other), whole.assign(list(other))]
    programs = [part for assignment in assignments for part in assignment]
    setup = [part.initializer for variable in (whole, other) for part in variable]
    setup += [change.op for change in whole.assign(VALUE + 1)]
    with tf.control_dependencies(programs[:3]):
        first = [tf.add(part.read_value(), 0.0) for part in whole]
    return Program(first, setup=setup)


@case("AssignVariableOp", "SplitV")
def assigned_resources(tf):
    whole = partitioned(tf, use_resource=True)
    setup = [part.initializer for part in whole]
    changes = whole.assign(VALUE * 2) + whole.assign_add(VALUE) + whole.assign_sub(VALUE * 0.5)
    setup += [change.op for change in changes]
    return Program(whole.as_tensor(), setup=setup)


@case("SplitV", error="can't split axis of size 4 into pieces of size [2,2,1]")
def assigned_of_a_wrong_shape(tf):
    return [part.op for part in partitioned(tf).assign(np.zeros([4, 2], np.float32))]


@case("Slice", "Sum", each=KINDS)
def differentiated(tf, resource):
    whole = partitioned(tf, use_resource=resource)
    loss = tf.reduce_sum(tf.square(tf.matmul(DATA, whole)))
    gradients = tf.gradients(loss, list(whole))
    return Program([loss, *gradients], setup=[part.initializer for part in whole])


def _trained(tf, optimizer, resource):
    whole = partitioned(tf, use_resource=resource)
    bias = tf.get_variable("b", [2], initializer=tf.zeros_initializer(), use_resource=resource)
    loss = tf.reduce_sum(tf.square(tf.matmul(DATA, whole) + bias - 1.0))
    step = optimizer.minimize(loss)
    slot_names = optimizer.get_slot_names()
    slots = [optimizer.get_slot(part, name) for part in whole for name in slot_names]
    state = [slot.read_value() for slot in slots]
    values = [part.read_value() for part in whole]
    initialize = tf.global_variables_initializer()
    return Program([loss, *values, *state], setup=[initialize, step, step, step])


@case("ConcatV2", each=KINDS)
def trained_by_gradient_descent(tf, resource):
    return _trained(tf, tf.train.GradientDescentOptimizer(0.01), resource)


@case("ConcatV2", each=KINDS)
def trained_with_momentum(tf, resource):
    return _trained(tf, tf.train.MomentumOptimizer(0.01, 0.9), resource)


@case("ConcatV2", each=KINDS)
def trained_by_adam(tf, resource):
    return _trained(tf, tf.train.AdamOptimizer(0.05), resource)


@case("ConcatV2")
def a_cached_one(tf):
    with tf.variable_scope("s", caching_device="/cpu:0", partitioner=tf.fixed_size_partitioner(2)):
        whole = tf.get_variable("v", [5, 2], initializer=tf.ones_initializer())
    return Program(whole.as_tensor() + 1.0, setup=[part.initializer for part in whole])


# TensorFlow 2 builds each loss twice.
@case("L2Loss", graph="any")
def regularized(tf):
    with tf.variable_scope("s", regularizer=tf.nn.l2_loss):
        whole = partitioned(tf)
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    return Program(tf.add_n(losses), setup=[part.initializer for part in whole])
