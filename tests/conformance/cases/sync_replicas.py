"""Graphs of synchronous training: accumulators, tokens, and what the chief runs."""

import numpy as np

from tests.conformance.registry import Program, case

TABLE = np.array([[0.5, 1.0], [-1.0, 2.0], [0.3, -0.7]], np.float32)


def network(tf, use_resource=False):
    w = tf.Variable(TABLE[:2], name="w", use_resource=use_resource)
    rows = tf.Variable(TABLE, name="rows", use_resource=use_resource)
    error = tf.matmul(tf.gather(rows, [0, 2]), w) - 1.0
    return tf.reduce_mean(tf.square(error)), [w, rows]


def stepped(tf, optimizer, train, variables, gradients=2, tokens=-1):
    """So many gradients of one replica, and the chief's step after them."""
    step = tf.train.get_global_step()
    put = optimizer.get_init_tokens_op(tokens)
    runner = optimizer.get_chief_queue_runner()
    names = [runner.name, runner.close_op.name, runner.cancel_op.name, optimizer.get_name()]
    names += [v.name for v in optimizer.variables()] + optimizer.get_slot_names()
    names += [v.name for v in tf.local_variables()] + [v.name for v in tf.global_variables()]
    setup = [tf.global_variables_initializer(), tf.local_variables_initializer()]
    setup += [optimizer.ready_for_local_init_op.op, optimizer.local_step_init_op.op]
    setup += [optimizer.chief_init_op, put, *[train.op] * gradients, *runner.enqueue_ops]
    seen = [v.read_value() for v in (*variables, step, *optimizer.variables())]
    return Program([*seen, train, tf.constant(names, name="names")], setup=setup)


@case("ResourceAccumulatorTakeGradient", "SparseAccumulatorTakeGradient", each=[False, True])
def one_step(tf, use_resource):
    loss, variables = network(tf, use_resource)
    opt = tf.train.GradientDescentOptimizer(0.1)
    optimizer = tf.train.SyncReplicasOptimizer(opt, 2)
    train = optimizer.minimize(loss, tf.train.get_or_create_global_step())
    return stepped(tf, optimizer, train, variables)


@case()
def with_slots_and_averages(tf):
    loss, variables = network(tf)
    average = tf.train.ExponentialMovingAverage(0.5)
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.AdamOptimizer(0.1),
        replicas_to_aggregate=3,
        total_num_replicas=2,
        variable_averages=average,
        variables_to_average=variables,
        use_locking=True,
        name="together",
    )
    train = optimizer.minimize(loss, tf.train.get_or_create_global_step())
    seen = [*variables, *[average.average(v) for v in variables]]
    return stepped(tf, optimizer, train, seen, gradients=3)


@case()
def on_devices_and_in_a_scope(tf):
    """Variables on other devices than the rest, one without a gradient."""
    with tf.device("/cpu:0"):
        w = tf.Variable([1.0, 2.0], name="w")
        unused = tf.Variable(3.0, name="unused")
        step = tf.train.get_or_create_global_step()
    with tf.name_scope("model"), tf.device("/job:localhost"):
        loss = tf.reduce_sum(w * w)
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), 1, 2)
        pairs = optimizer.compute_gradients(loss, [w, unused])
        train = optimizer.apply_gradients(pairs, step)
    return stepped(tf, optimizer, train, [w, unused], gradients=1)


@case(each=[0, 1])
def tokens(tf, number):
    w = tf.Variable([1.0, 2.0], name="w")
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 1)
    train = optimizer.minimize(tf.reduce_sum(w), tf.train.get_or_create_global_step())
    put = optimizer.get_init_tokens_op(number)
    again = optimizer.get_init_tokens_op()
    optimizer.make_session_run_hook(True, 3).begin()
    return tf.constant([put.name, again.name, train.name])


@case()
def under_a_device_setter(tf):
    cluster = {"ps": ["a:1", "b:1"], "worker": ["c:1"]}
    setter = tf.train.replica_device_setter(cluster=cluster)
    with tf.Graph().as_default() as graph, tf.device(setter):
        w = tf.Variable([1.0, 2.0], name="w")
        b = tf.Variable(1.0, name="b")
        step = tf.train.get_or_create_global_step()
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.AdamOptimizer(0.1), 2)
        optimizer.minimize(tf.reduce_sum(w) * b, step)
        optimizer.get_init_tokens_op()
    ops = graph.get_operations()
    return tf.constant([f"{op.name} {op.type} {op.device}" for op in ops])
