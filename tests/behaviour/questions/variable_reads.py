"""Reads of reference variables: which are the variable's memory, and which writes show in them.

`then(i, u)` fetches what was read together with a write that comes after it, and what is computed
from the read later still: the memory shows the write, a value does not.
"""

import numpy as np

from tests.behaviour.asking import question

_ROWS = np.arange(256, dtype=np.float32).reshape([16, 16])  # rows begin where memory is shared
_SHORT = np.arange(64, dtype=np.float32).reshape([16, 4])  # and here they do not


def _variable(tf, value, **settings):
    return tf.Variable(value, use_resource=False, **settings)


def _session(tf):
    config = tf.ConfigProto(device_count={"CPU": 2})
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return tf.Session(config=config)


def _run(tf, *fetches, runs=1, feed=None):
    with _session(tf) as session:
        session.run(tf.global_variables_initializer())
        found = [session.run(list(fetches), feed) for _ in range(runs)]
        return found if runs > 1 else found[0]


def _twice(tf, body, x):
    return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, body(y)), [0, x])[1]


def _forms(tf):
    taken = tf.placeholder_with_default(True, [])
    return {
        "identity": tf.identity,
        "reshape": lambda x: tf.reshape(x, [-1]),
        "squeeze": lambda x: tf.squeeze(tf.expand_dims(x, 1)),
        "some rows": lambda x: x[4:8],
        "one row": lambda x: x[1],
        "every second row": lambda x: x[::2],
        "rows backwards": lambda x: x[::-1],
        "a column": lambda x: x[:, 0],
        "all of it": lambda x: x[:, :],
        "tf.slice of all": lambda x: tf.slice(x, [0, 0], [-1, -1]),
        "tf.slice of rows": lambda x: tf.slice(x, [4, 0], [4, -1]),
        "tf.slice of columns": lambda x: tf.slice(x, [0, 0], [4, 2]),
        "split": lambda x: tf.split(x, 4)[1],
        "split into columns": lambda x: tf.split(x, 2, axis=1)[0],
        "split into one": lambda x: tf.split(x, 1)[0],
        "split by sizes": lambda x: tf.split(x, [3, 13])[1],
        "unstack": lambda x: tf.unstack(x)[4],
        "unstack columns": lambda x: tf.unstack(x, axis=1)[0],
        "stop_gradient": tf.stop_gradient,
        "transpose nothing": lambda x: tf.transpose(x, [0, 1]),
        "transpose": tf.transpose,
        "transpose an axis of one": lambda x: tf.transpose(tf.reshape(x, [1, -1])),
        "stack one": lambda x: tf.stack([x]),
        "concat one": lambda x: tf.concat([x], 0),
        "concat two": lambda x: tf.concat([x, x], 0),
        "bitcast": lambda x: tf.bitcast(tf.bitcast(x, tf.int32), tf.float32),
        "check_numerics": lambda x: tf.check_numerics(x, "bad"),
        "sum over nothing": lambda x: tf.reduce_sum(x, axis=[]),
        "max over one": lambda x: tf.reduce_max(tf.expand_dims(x, 0), axis=0),
        "tile once": lambda x: tf.tile(x, [1, 1]),
        "pad by nothing": lambda x: tf.pad(x, [[0, 0], [0, 0]]),
        "broadcast to its own shape": lambda x: tf.broadcast_to(x, x.shape),
        "identity_n": lambda x: tf.identity_n([x, x])[1],
        "tuple": lambda x: tf.tuple([x])[0],
        "ensure_shape": lambda x: tf.ensure_shape(x, x.shape),
        "add_n of one": lambda x: tf.add_n([x]),
        "placeholder_with_default": lambda x: tf.placeholder_with_default(x, x.shape),
        "cond": lambda x: tf.cond(taken, lambda: tf.identity(x), lambda: x + 1.0),
        "cond computing": lambda x: tf.cond(taken, lambda: x * 1.0, lambda: x + 1.0),
        "loop variable": lambda x: _twice(tf, lambda y: y, x),
        "gather": lambda x: tf.gather(x, list(range(16))),
        "reverse": lambda x: tf.reverse(x, [0]),
        "+ 0": lambda x: x + 0.0,
        "* 1": lambda x: x * 1.0,
        "two negations": lambda x: tf.negative(-x),
        "relu": tf.nn.relu,
        "clip": lambda x: tf.clip_by_value(x, -1e9, 1e9),
    }


@question
def forms(tf):
    """Each form of a read: what a write after it shows, in a fetch and in what is computed."""
    answers = {}
    for rows, value in (("long rows", _ROWS), ("short rows", _SHORT)):
        for name, form in _forms(tf).items():
            with tf.Graph().as_default():
                form = _forms(tf)[name]
                v = _variable(tf, value)
                read = form(tf.convert_to_tensor(v))
                with tf.control_dependencies([read]):
                    written = tf.assign_add(v, np.ones_like(value))
                with tf.control_dependencies([written]):
                    later = read + 0.5
                before = _run(tf, read)[0]
                fetched, _, late = _run(tf, read, written, later)
                alone = _run(tf, later)[0]
                answers[f"{name}, {rows}"] = "memory" if np.any(fetched != before) else "a value"
                assert np.array_equal(late, fetched + 0.5), name
                assert np.array_equal(late, alone), name
    return answers


@question
def writes(tf):
    """What a write after a read leaves of it."""

    def then(write, value=(1.0, 2.0)):
        with tf.Graph().as_default():
            v = _variable(tf, list(value))
            read = tf.identity(v)
            with tf.control_dependencies([read]):
                written = write(v)
            if isinstance(written, tf.Operation):
                with tf.control_dependencies([written]):
                    written = tf.zeros([])
            with tf.control_dependencies([written]):
                late = read * 1.0
            return [x.tolist() for x in _run(tf, read, written, late)]

    gradient = lambda v: [(tf.constant([1.0, 1.0]), v)]  # noqa: E731
    sparse = lambda v: [(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])), v)]  # noqa: E731
    computed = lambda: tf.placeholder_with_default([3.0, 4.0], [2]) * 2.0  # noqa: E731
    optimizers = {
        "gradient descent": tf.train.GradientDescentOptimizer(1.0),
        "momentum": tf.train.MomentumOptimizer(1.0, 0.5),
    }
    answers = {
        "assign": then(lambda v: tf.assign(v, [3.0, 4.0])),
        "assign computed": then(lambda v: tf.assign(v, computed())),
        "assign_sub": then(lambda v: tf.assign_sub(v, [3.0, 4.0])),
        "another shape": then(lambda v: tf.assign(v, [[3.0, 4.0]], validate_shape=False)),
        "another size": then(lambda v: tf.assign(v, [3.0, 4.0, 5.0], validate_shape=False)),
        "scatter_update": then(lambda v: tf.scatter_update(v, [0], [9.0])),
        "scatter_nd_update": then(lambda v: tf.scatter_nd_update(v, [[0]], [9.0])),
        "assign a slice": then(lambda v: v[0:1].assign([9.0])),
    }
    for name, optimizer in optimizers.items():
        answers[name] = then(lambda v, o=optimizer: o.apply_gradients(gradient(v)))
        answers[f"{name}, sparse"] = then(lambda v, o=optimizer: o.apply_gradients(sparse(v)))
    return answers


@question
def idioms(tf):
    """What programs write."""
    v, b = _variable(tf, 0), _variable(tf, 0)
    with tf.control_dependencies([tf.assign_add(v, 1)]):
        reads = [tf.identity(v), v + 0, tf.assign_add(b, v)]
    answers = {f"{read.op.type} after a write": _run(tf, read, runs=3) for read in reads}
    u = tf.assign_add(v, 1)
    with tf.control_dependencies([tf.identity(u) + 1]):
        w = tf.assign_add(v, 10)
    answers["what a write gives, behind another write"] = _run(tf, u + tf.identity(w) * 0)
    count = v.count_up_to(10)
    with tf.control_dependencies([count]):
        counted = v + 0
    answers["behind count_up_to"] = _run(tf, count, counted)
    taken = tf.placeholder_with_default(True, [])
    with tf.control_dependencies([tf.assign_add(v, 1)]):
        chosen = tf.cond(taken, lambda: v * 1, lambda: v * 2)
    answers["in a branch"] = _run(tf, chosen, runs=3)
    write = tf.cond(taken, lambda: tf.assign_add(v, 1), lambda: v * 2)
    with tf.control_dependencies([write]):
        behind = tf.identity(v)
    answers["behind a branch that writes"] = _run(tf, behind, runs=2)
    flag = _variable(tf, True)
    with tf.control_dependencies([tf.assign(flag, False)]):
        turned = tf.identity(flag)
    answers["as a predicate"] = _run(tf, tf.cond(turned, lambda: 1, lambda: 2))
    return answers


@question
def training(tf):
    """Behind a step of an optimizer."""
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=5.0, use_resource=False)
    train = tf.train.GradientDescentOptimizer(0.25).minimize(w * w, global_step=step)
    with tf.control_dependencies([train]):
        seen = [tf.identity(step), tf.identity(w), w * w]
    average = tf.train.ExponentialMovingAverage(0.5)
    v = _variable(tf, 1.0)
    with tf.control_dependencies([tf.assign_add(v, 1.0)]):
        kept = average.apply([v])
    with tf.control_dependencies([kept]):
        mean = tf.identity(average.average(v))
    return {
        "seen": [_run(tf, one, runs=3) for one in seen],
        "with the step": _run(tf, step, *seen, runs=2),
        "average": _run(tf, mean, runs=2),
    }


@question
def loops(tf):
    """Variables that are written in loops."""
    v, i32 = _variable(tf, 2.0), _variable(tf, 0)

    def newton(i):
        with tf.control_dependencies([tf.assign(v, 0.5 * (v + 2.0 / v))]):
            return i + 1

    def counts(i):
        with tf.control_dependencies([tf.assign_add(i32, 1)]):
            return i + 1

    three = lambda i, x: i < 3  # noqa: E731
    begin = [0, tf.constant(1.0)]
    rows = _variable(tf, [1.0, 2.0])
    root = tf.while_loop(lambda i: i < 20, newton, [0])
    with tf.control_dependencies([root]):
        value = tf.identity(v)
    updates = {
        "the result of assign_add": lambda i, x: (i + 1, tf.assign_add(v, 1.0)),
        "computed with it": lambda i, x: (i + 1, tf.assign_add(v, x) + x),
        "an assignment": lambda i, x: (i + 1, tf.assign(v, x + 1.0)),
    }
    answers = {
        "Newton's method": [round(float(x), 5) for x in _run(tf, root, value)],
        "a variable in the condition": _run(tf, tf.while_loop(lambda i: i32 < 3, counts, [0])),
        "scatter_add": _run(
            tf,
            *tf.while_loop(
                three,
                lambda i, x: (i + 1, tf.scatter_add(rows, [0], [1.0])),
                [0, tf.constant([1.0, 1.0])],
            ),
        ),
    }
    for name, body in updates.items():
        answers[f"a loop variable: {name}"] = _run(tf, *tf.while_loop(three, body, begin))
    return answers


@question
def places(tf):
    """On two devices, in parts, in pieces."""
    with tf.device("/cpu:0"):
        v = _variable(tf, 1.0)
        update = tf.assign_add(v, 1.0)
    with tf.device("/cpu:1"), tf.control_dependencies([update]):
        there = [tf.identity(v), v * 1.0]
    parts = tf.get_variable(
        "parts",
        [4],
        initializer=tf.ones_initializer(),
        use_resource=False,
        partitioner=tf.fixed_size_partitioner(2),
    )
    with tf.control_dependencies([tf.assign_add(part, [1.0, 1.0]) for part in parts]):
        read = [tf.identity(part) for part in parts]
        looked_up = tf.nn.embedding_lookup(list(parts), [0, 1])
    return {
        "another device": [_run(tf, one, runs=2) for one in there],
        "parts of a variable": [x.tolist() for x in _run(tf, *read, looked_up)],
    }


@question
def feeding(tf):
    """What is fed is a value."""
    v = _variable(tf, 1.0)
    read = v.read_value()
    with tf.control_dependencies([tf.assign_add(v, 1.0)]):
        after = read + 0.0
    return {"a read": _run(tf, after, feed={read: 7.0}), "after it": _run(tf, after)}


@question
def what_keeps_values(tf):
    """What is kept beyond the operation."""
    v = _variable(tf, [1.0])
    queue = tf.FIFOQueue(3, tf.float32, shapes=[[1]])
    with tf.control_dependencies([queue.enqueue(v)]):
        with tf.control_dependencies([tf.assign_add(v, [1.0])]):
            taken = queue.dequeue()
    array = tf.TensorArray(tf.float32, 1).write(0, v)
    with tf.control_dependencies([array.flow]):
        with tf.control_dependencies([tf.assign_add(v, [1.0])]):
            element = array.read(0)
    return {"a queue": _run(tf, taken), "a TensorArray": _run(tf, element)}


_OWN = "what is kept for later owns its value: docs/differences.md"
DIFFERENCES = {
    ("what_keeps_values", "a queue"): ("[float32[1] [1.0]]", _OWN),
    ("what_keeps_values", "a TensorArray"): ("[float32[1] [1.0]]", _OWN),
}
