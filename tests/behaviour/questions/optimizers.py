"""Optimizers, schedules, moving averages and clipping, as programs use (and misuse) them."""

import numpy as np

from tests.behaviour.asking import question, says
from tests.behaviour.questions.programs import close


def trained(tf, step, fetches, steps=20, feed_dict=None):
    """Values after some steps."""
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            sess.run(step, feed_dict)
        return close(sess.run(fetches, feed_dict))


def bowl(tf, use_resource=False):
    v = tf.Variable([5.0, 3.0], name="v", use_resource=use_resource)
    return tf.reduce_sum(tf.square(v - [1.0, -2.0]), name="loss"), v


OPTIMIZERS = {
    "Adagrad": lambda tf: tf.train.AdagradOptimizer(0.5),
    "Adadelta": lambda tf: tf.train.AdadeltaOptimizer(1.0),
    "RMSProp": lambda tf: tf.train.RMSPropOptimizer(0.1, momentum=0.1),
    "centred": lambda tf: tf.train.RMSPropOptimizer(0.1, centered=True),
    "Ftrl": lambda tf: tf.train.FtrlOptimizer(0.5, l1_regularization_strength=0.1),
    "proximal": lambda tf: tf.train.ProximalGradientDescentOptimizer(0.1, 0.1),
    "proximal Adagrad": lambda tf: tf.train.ProximalAdagradOptimizer(0.5),
    "Adam": lambda tf: tf.train.AdamOptimizer(0.1),
    "Momentum": lambda tf: tf.train.MomentumOptimizer(0.1, 0.5, use_nesterov=True),
}


@question
def names_in_a_checkpoint(tf):
    """Variables of a program with scopes, several optimizers and a resource variable."""
    answers = {}
    for name, make in OPTIMIZERS.items():
        with tf.Graph().as_default():
            with tf.variable_scope("model"):
                w = tf.get_variable("w", [2, 2], initializer=tf.ones_initializer())
                b = tf.get_variable("b", [2], use_resource=True, initializer=tf.ones_initializer())
            loss = tf.reduce_sum(tf.matmul(w, w) + b)
            optimizer = make(tf)
            with tf.name_scope("train"):
                train = optimizer.minimize(loss)
            second = make(tf).minimize(loss)
            answers[name] = [
                [v.name for v in tf.global_variables()],
                optimizer.get_slot_names(),
                [v.name for v in optimizer.variables()],
                optimizer.get_name(),
                train,
                second,
                [optimizer.get_slot(w, slot) for slot in optimizer.get_slot_names()],
            ]
    return answers


@question
def where_they_lead(tf):
    answers = {}
    for name, make in OPTIMIZERS.items():
        with tf.Graph().as_default():
            loss, v = bowl(tf)
            answers[name] = trained(tf, make(tf).minimize(loss), [v, loss])
    return answers


@question
def embeddings_that_learn(tf):
    """Rows of a table, some of them several times in a batch."""
    answers = {}
    for name, make in OPTIMIZERS.items():
        with tf.Graph().as_default():
            table = tf.Variable(np.linspace(-1, 1, 12, dtype=np.float32).reshape(6, 2), name="e")
            ids = tf.placeholder(tf.int32, [None], name="ids")
            loss = tf.reduce_mean(tf.square(tf.gather(table, ids) - 0.3))
            train = make(tf).minimize(loss)
            feed = {ids: [0, 3, 3, 5, 0, 0]}
            answers[name] = trained(tf, train, [table, loss], steps=5, feed_dict=feed)
    return answers


@question
def halves_of_minimize(tf):
    loss, v = bowl(tf)
    other = tf.Variable(1.0, name="other")
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(loss, [v, other])
    weighted = optimizer.compute_gradients(loss, [v], grad_loss=tf.constant(0.5))
    of_tensor = optimizer.compute_gradients(loss, [v.value()])
    nested = optimizer.compute_gradients(loss, {"a": v, "b": [other]})
    scalar = optimizer.compute_gradients(loss, v)
    train = optimizer.apply_gradients(weighted, name="half")
    return {
        "pairs": pairs,
        "of a tensor": of_tensor,
        "nested": [variable for _, variable in nested],
        "one": scalar,
        "applied": train,
        "trained": trained(tf, train, v, steps=3),
        "listed": tf.get_collection(tf.GraphKeys.TRAIN_OP),
    }


@question
def mistakes(tf):
    loss, v = bowl(tf)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    constant = tf.constant(1.0)

    class Bare(tf.train.Optimizer):
        def __init__(self):
            super().__init__(False, "Bare")

    handle = tf.Variable([1.0], name="h", use_resource=True)
    return {
        "no name": says("Must specify the optimizer name", tf.train.AdamOptimizer, name=""),
        "gate": says(
            "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, ",
            optimizer.compute_gradients,
            loss,
            gate_gradients=7,
        ),
        "nothing": says("No variables provided.", optimizer.apply_gradients, []),
        "none": says(
            "No gradients provided for any variable: ", optimizer.apply_gradients, [(None, v)]
        ),
        "no variables": says("No variables to optimize.", optimizer.minimize, loss, var_list=[]),
        "unconnected": says(
            "No gradients provided for any variable, check your graph for ops that do not support",
            optimizer.minimize,
            loss,
            var_list=[handle],
        ),
        "text": says(
            "Gradient must be convertible to a Tensor or IndexedSlices, or None",
            optimizer.apply_gradients,
            [(object(), v)],
        ),
        "a tensor": says(
            "Trying to update a Tensor ", optimizer.apply_gradients, [(constant, constant)]
        ),
        "not implemented": says("", Bare().minimize, loss, var_list=[v]),
        "sums": says(
            "initial_accumulator_value must be positive: -1.0", tf.train.AdagradOptimizer, 0.1, -1.0
        ),
    }


@question
def a_rate_that_falls(tf):
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.1, step, decay_steps=3, decay_rate=0.5, staircase=True)
    loss, v = bowl(tf)
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)
    rates = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(7):
            rates.append(close(sess.run([rate, step])))
            sess.run(train)
        final = close(sess.run([v, rate, step]))
        counted = tf.train.global_step(sess, step)
    return {"rates": rates, "final": final, "counted": counted, "tensors": [rate, train]}


@question
def averages_after_training(tf):
    """The averages in place of the values, as programs use them for evaluation."""
    loss, v = bowl(tf, use_resource=True)
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    average = tf.train.ExponentialMovingAverage(0.9, step)
    with tf.control_dependencies([train]):
        both = average.apply(tf.trainable_variables())
    use = tf.assign(v, average.average(v))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(5):
            sess.run(both)
        values = [close(sess.run([v, average.average(v), loss]))]
        sess.run(use)
        values.append(close(sess.run([v, loss])))
    return {
        "values": values,
        "names": sorted(average.variables_to_restore()),
        "variables": [average.average(v), tf.moving_average_variables()],
        "unknown": average.average(tf.Variable(1.0, name="late")),
        "ops": [both, average.name],
    }


@question
def clipping(tf):
    loss, v = bowl(tf)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    [(gradient, _)] = optimizer.compute_gradients(loss, [v])
    clipped, norm = tf.clip_by_global_norm([gradient], 1.0)
    train = optimizer.apply_gradients([(clipped[0], v)])
    return {
        "tensors": [gradient, clipped, norm, tf.clip_by_norm(gradient, 2.0)],
        "trained": trained(tf, train, [v, norm, clipped], steps=3),
        "values": says("are incompatible", tf.clip_by_value, [1.0], [0.0, 1.0], 2.0),
    }


@question
def parts_of_variables(tf):
    v = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2), name="v")
    h = tf.Variable(np.arange(4, dtype=np.float32), name="h", use_resource=True)
    written = {
        "update": tf.scatter_update(v, [1], [[9.0, 9.0]]),
        "add": tf.scatter_add(h, [0, 0], [1.0, 1.0]),
        "nd": tf.scatter_nd_update(h, [[3]], [7.0]),
        "slice": v[2:, 0].assign([-1.0, -2.0]),
        "slice of a handle": h[1:3].assign(5.0),
        "method": v.scatter_sub(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([3]))),
        "count": tf.Variable(3, name="n").count_up_to(5),
    }
    answers = {name: tensor for name, tensor in written.items() if hasattr(tensor, "eval")}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for name, tensor in written.items():
            answers[f"{name} runs"] = sess.run(tensor)
        answers["last"] = sess.run([v, h])
    answers["a tensor"] = says(
        "no attribute 'assign'", lambda: tf.constant([1.0])[0:1].assign([2.0])
    )
    return answers


@question
def derivatives(tf):
    x = tf.constant([1.0, 2.0], name="x")
    y = x[0] ** 2 * x[1]
    by_hand = tf.custom_gradient(lambda x: (tf.sign(x), lambda dy: dy))(x)
    with tf.Session() as sess:
        values = close(
            sess.run([tf.hessians(y, x)[0], tf.gradients(by_hand, x)[0], tf.gradients(y, [x])[0]])
        )
        jacobians = tf.test.compute_gradient(
            x, [2], tf.square(x), [2], x_init_value=np.array([1.0, 2.0], np.float32)
        )
        error = tf.test.compute_gradient_error(x, [2], tf.square(x), [2]) < 1e-2
    return {"values": values, "jacobian": close(jacobians[0]), "small": bool(error)}
