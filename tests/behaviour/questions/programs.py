"""Programs as learners write them: whole ones, from the imports to what is printed."""

import collections

import numpy as np

from tests.behaviour.asking import question


def close(values, decimals=4):
    """Values without the digits in which two libraries' arithmetic may differ."""
    return [(np.round(np.asarray(value, np.float64), decimals) + 0.0).tolist() for value in values]


def running(tf, *fetches, feed_dict=None):
    """The values in a session of their own, variables initialised."""
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return [sess.run(fetch, feed_dict) for fetch in fetches]


@question
def greeting(tf):
    hello = tf.constant("Hello, TensorFlow!")
    value = tf.Session().run(hello)
    return {"tensor": hello, "value": value, "type": type(value).__name__, "text": value.decode()}


@question
def first_session(tf):
    x, y = tf.Variable(3, name="x"), tf.Variable(4, name="y")
    f = x * x * y + y + 2
    with tf.Session() as sess:
        x.initializer.run()
        y.initializer.run()
        value = f.eval()
    init = tf.global_variables_initializer()
    with tf.Session() as again:
        again.run(init)
        both = again.run([f, x])
    return {"f": f, "value": value, "again": both, "other": again is sess, "init": init}


@question
def lifetimes(tf):
    w = tf.constant(3)
    x = w + 2
    y, z = x + 5, x * 3
    with tf.Session() as sess:
        apart = [y.eval(), z.eval()]
        together = sess.run([y, z])
    return {"apart": apart, "together": together, "tensors": [x, y, z]}


@question
def operators(tf):
    a, b = tf.constant(7, name="a"), tf.constant(3, name="b")
    x, flag = tf.constant(2.5), tf.constant(True)
    results = {
        "+": a + b,
        "-": a - b,
        "*": a * b,
        "/": a / b,
        "//": a // b,
        "%": a % b,
        "**": a**b,
        "neg": -a,
        "abs": abs(-a),
        "<": a < b,
        ">=": a >= b,
        "left": 1 + a,
        "right": 10 - b,
        "float": x / 2,
        "power": 2.0**x,
        "not": ~flag,
        "and": flag & False,
        "xor": flag ^ True,
        "matrices": tf.constant([[1, 2]]) @ tf.constant([[3], [4]]),
    }
    values = tf.Session().run(results)
    return {key: [tensor, values[key]] for key, tensor in results.items()}


@question
def functions_in_scopes(tf):
    def relu(x):
        with tf.name_scope("relu"):
            w = tf.Variable(tf.ones([int(x.get_shape()[1]), 1]), name="weights")
            b = tf.Variable(0.0, name="bias")
            z = tf.add(tf.matmul(x, w), b, name="z")
            return tf.maximum(z, 0.0, name="relu")

    x = tf.placeholder(tf.float32, shape=(None, 3), name="X")
    relus = [relu(x) for _ in range(3)]
    output = tf.add_n(relus, name="output")
    names = [op.name for op in tf.get_default_graph().get_operations()]
    return {
        "relus": relus,
        "output": output,
        "names": names,
        "values": running(tf, output, feed_dict={x: [[1, 2, -1], [-1, 0, 0]]}),
    }


@question
def shared_threshold(tf):
    def relu(x):
        with tf.variable_scope("relu", reuse=tf.AUTO_REUSE):
            threshold = tf.get_variable("threshold", [], initializer=tf.zeros_initializer())
        return tf.maximum(x, threshold, name="max")

    x = tf.constant([-1.0, 2.0])
    outputs = [relu(x), relu(-x)]
    return {"outputs": outputs, "variables": tf.global_variables(), "values": running(tf, outputs)}


@question
def nested_fetches(tf):
    pair = collections.namedtuple("Pair", "x y")
    a, b, v = tf.constant(1.5), tf.constant([1, 2]), tf.Variable(5, name="v")
    with tf.Session() as sess:
        nothing = sess.run(v.initializer)
        return {
            "nothing": nothing,
            "dictionary": sess.run({"a": a, "deep": [b, (v,)]}),
            "named": sess.run(pair(a, b)),
            "empty": [sess.run([]), sess.run({}), sess.run(())],
            "names": sess.run(["Const:0", "v:0"]),
            "an operation among tensors": sess.run([a, v.initializer]),
        }


@question
def counting(tf):
    state = tf.Variable(0, name="counter")
    update = tf.assign(state, tf.add(state, 1))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return {"counts": [sess.run(update) for _ in range(3)], "update": update}


@question
def older_names(tf):
    v = tf.Variable(1.0, name="v")
    init = tf.initialize_all_variables()
    with tf.Session() as sess:
        sess.run(init)
        value = sess.run(v)
    return {
        "names": [init.name, tf.initialize_local_variables().name],
        "some": tf.initialize_variables([v]).name,
        "variables": tf.all_variables(),
        "value": value,
        "static": tf.get_static_value(tf.constant([1, 2])),
        "v1": [tf.compat.v1.Session is tf.Session, tf.executing_eagerly()],
    }


@question
def verbosity(tf):
    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.INFO)
    during = tf.logging.get_verbosity()
    tf.logging.set_verbosity(before)
    levels = tf.logging
    return {
        "levels": [levels.DEBUG, levels.INFO, levels.WARN, levels.ERROR, levels.FATAL],
        "set": during,
        "returns": tf.logging.debug("not shown %d", 1),
    }


@question
def several_graphs(tf):
    graph, other = tf.Graph(), tf.Graph()
    with graph.as_default():
        a = tf.constant(1, name="a")
    with other.as_default():
        b = tf.constant(2, name="a")
    with tf.Session(graph=graph) as sess:
        first = [sess.run("a:0"), tf.get_default_graph() is graph]
    with tf.Session(graph=other) as sess:
        second = sess.run(other.get_tensor_by_name("a:0"))
    return {
        "first": first,
        "second": second,
        "graphs": [a.graph is graph, b.graph is graph],
        "names": [a.name, b.name],
    }


@question
def walking_the_graph(tf):
    a = tf.placeholder(tf.float32, [None, 2], name="in")
    b = tf.nn.softmax(a, name="softmax")
    with tf.control_dependencies([b]):
        c = tf.identity(a, name="out")
    graph = tf.get_default_graph()
    return {
        "nodes": [[n.name, n.op, list(n.input)] for n in graph.as_graph_def().node],
        "values": [op.values() for op in graph.get_operations()],
        "controls": [c.op.control_inputs, b.op.control_inputs],
        "consumers": a.consumers(),
        "outputs": [b.op.outputs, c.op.get_attr("T")],
    }


@question
def interactive(tf):
    sess = tf.InteractiveSession()
    x = tf.Variable([1.0, 2.0])
    x.initializer.run()
    found = {"x": x.eval(), "twice": (x * 2).eval(), "is default": tf.get_default_session() is sess}
    sess.close()
    return {**found, "afterwards": tf.get_default_session()}


@question
def callables_and_partial_runs(tf):
    a, b, c = (tf.placeholder(tf.float32, shape=[]) for _ in range(3))
    first = a + b
    second = first * c
    with tf.Session() as sess:
        add = sess.make_callable(first, [a, b])
        handle = sess.partial_run_setup([first, second], [a, b, c])
        partial = sess.partial_run(handle, first, feed_dict={a: 1, b: 2})
        rest = sess.partial_run(handle, second, feed_dict={c: partial})
        return {"callable": add(1, 5), "partial": partial, "rest": rest}


@question
def resetting(tf):
    v = tf.Variable(1.0)
    sess = tf.Session()
    sess.run(v.initializer)
    answers = {"returns": tf.Session.reset("")}
    try:
        sess.run(v)
    except tf.errors.CancelledError as error:
        answers["run"] = "Session has been closed." in str(error)
    return answers


@question
def export_and_import(tf):
    x = tf.placeholder(tf.float32, [], name="x")
    tf.multiply(x, 2.0, name="y")
    text = tf.get_default_graph().as_graph_def().SerializeToString()
    with tf.Graph().as_default():
        definition = tf.GraphDef()
        definition.ParseFromString(text)
        (y,) = tf.import_graph_def(definition, {"x:0": tf.constant(4.0)}, ["y:0"])
        (named,) = tf.import_graph_def(definition, return_elements=["y:0"], name="copy")
        with tf.Session() as sess:
            values = sess.run([y, named], {"copy/x:0": 5.0})
    return {"tensors": [y, named], "values": values, "nodes": [n.name for n in definition.node]}


@question
def control_dependencies(tf):
    v = tf.Variable(0, name="v")
    step = tf.assign_add(v, 1)
    with tf.control_dependencies([step]):
        after, done = tf.identity(v.read_value()), tf.no_op("done")
        with tf.control_dependencies(None):
            free = tf.constant(1)
    with tf.Session() as sess:
        sess.run(v.initializer)
        values = [sess.run(after), sess.run(done), sess.run(v), sess.run(tf.group(step, done))]
    return {
        "values": values,
        "done": done.control_inputs,
        "free": free.op.control_inputs,
        "group": tf.group(step, done, name="both"),
    }


@question
def python_functions(tf):
    y = tf.py_func(np.sinh, [tf.constant([0.0, 1.0])], tf.float32)
    z = tf.py_func(lambda a, b: (a + b, a * b), [2, 3], [tf.int32, tf.int32])
    s = tf.py_func(lambda text: text.upper(), ["abc"], tf.string, stateful=False, name="upper")
    values = tf.Session().run([y, z, s])
    return {"tensors": [y, z, s], "values": [close(values[0]), values[1:]]}


@question
def slices(tf):
    x = tf.constant(np.arange(24).reshape(2, 3, 4))
    parts = [
        x[0],
        x[0, 1],
        x[0, 1, 2],
        x[:, 1],
        x[..., 0],
        x[:, ::2],
        x[-1],
        x[:, :, ::-1],
        x[:, tf.newaxis],
        x[0, 0, 1:3],
        tf.slice(x, [0, 1, 0], [1, 2, 2]),
        tf.gather(x, [1, 0]),
        tf.boolean_mask(tf.constant([1, 2, 3]), [True, False, True]),
        x[tf.constant(1), 0, 0],
    ]
    return {"tensors": parts, "values": tf.Session().run(parts)}


@question
def joining_and_splitting(tf):
    a, b = tf.constant([1, 2]), tf.constant([3, 4])
    parts = [
        tf.stack([a, b]),
        tf.stack([a, b], axis=1),
        tf.concat([a, b], 0),
        tf.convert_to_tensor([a, b]),
        *tf.split(tf.range(6), 3),
        *tf.split(tf.range(6), [2, 4]),
        *tf.unstack(tf.stack([a, b])),
        tf.one_hot([0, 2], 3),
        tf.one_hot([1], 2, on_value=5, off_value=-1),
        tf.pad([[1, 2]], [[1, 0], [0, 1]]),
        tf.tile(a, [2]),
        tf.expand_dims(a, 0),
    ]
    return {"tensors": parts, "values": tf.Session().run(parts)}


@question
def reductions(tf):
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = [
        tf.reduce_sum(x),
        tf.reduce_mean(x, 0),
        tf.reduce_max(x, axis=1, keepdims=True),
        tf.reduce_min(x, [0, 1]),
        tf.reduce_prod(x, -1),
        tf.reduce_sum(x, reduction_indices=1),
        tf.argmax(x, 1),
        tf.argmin(x, axis=0),
        tf.reduce_all(x > 0),
        tf.reduce_any(x > 5, 1),
        tf.cumsum([1, 2, 3]),
        tf.count_nonzero(x),
        tf.reduce_mean([1, 2]),
    ]
    return {"tensors": found, "values": tf.Session().run(found)}


@question
def casts(tf):
    x = tf.constant([1.8, -1.8])
    found = [
        tf.cast(x, tf.int32),
        tf.to_int64(x),
        tf.to_float(tf.constant(3)),
        tf.cast(x, tf.bool),
        tf.cast([True], tf.float32),
        tf.round(x),
        tf.floor(x),
        tf.ceil(x),
        tf.cast(x, "float64"),
    ]
    same = tf.cast(x, tf.float32) is x
    return {"tensors": found, "values": tf.Session().run(found), "same": same}


@question
def static_and_dynamic_shapes(tf):
    x = tf.placeholder(tf.float32, [None, 3])
    rows = tf.shape(x)[0]
    y = tf.reshape(x, [rows, 3, 1])
    return {
        "static": [x.shape, x.get_shape().as_list(), int(x.shape[1]), x.shape[0].value],
        "tensors": [rows, y, tf.size(x), tf.rank(x), tf.squeeze(y, [2]), tf.transpose(x)],
        "values": tf.Session().run([rows, tf.shape(y), tf.rank(x)], {x: np.zeros((2, 3))}),
    }


@question
def seeded_numbers(tf):
    tf.set_random_seed(1234)
    a, b = tf.random_uniform([2], seed=1), tf.random_normal([2])
    c, d = tf.truncated_normal([2], seed=5), tf.random_uniform([3], 0, 10, tf.int32, seed=3)
    with tf.Session() as sess:
        first = close(sess.run([a, b, c, d]))
        second = close(sess.run([a, b]))
    with tf.Session() as sess:
        return {"first": first, "second": second, "again": close(sess.run([a, b]))}
