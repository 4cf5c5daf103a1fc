"""Sessions: fetches, feeds, partial runs, what is refused and how."""

import collections
import threading

import numpy as np

from tests.behaviour.asking import question, says

Pair = collections.namedtuple("Pair", ["first", "second"])


@question
def fetches(tf):
    a, b = tf.constant(1.5, name="a"), tf.constant([2, 3], name="b")
    s = tf.constant("x", name="s")
    op = tf.no_op(name="op")
    with tf.Session() as sess:
        run = sess.run
        ordered = run(collections.OrderedDict([("z", a), ("y", [b, a])]))
        default = run(collections.defaultdict(list, {"k": a}))
        return {
            "a number": run(a),
            "its type": type(run(a)).__name__,
            "an array": run(b),
            "a string": run(s),
            "its kind": type(run(s)).__name__,
            "strings": run(tf.constant(["x", "yz"])),
            "a matrix of strings": run(tf.constant([["x"], ["yz"]])),
            "a truth": [run(tf.constant(True))],
            "a half": run(tf.constant(1.5, tf.float16)),
            "nothing": run(tf.constant([], tf.int64)),
            "a complex number": run(tf.constant(1 + 2j)),
            "an operation": run(op),
            "a name": run("a:0"),
            "an operation's name": run("op"),
            "a list": run([a, b]),
            "a tuple": run((a, b)),
            "a dictionary": run({"x": a, "y": b}),
            "an ordered one": [type(ordered).__name__, list(ordered), ordered["y"]],
            "a default one": [type(default).__name__, default["k"]],
            "a named tuple": run(Pair(a, [b])),
            "nested": run([(a, {"k": [b, Pair("a:0", op)]}), []]),
            "empty": [run([]), run(()), run({})],
            "twice the same": run([a, a, "a:0", [a]]),
            "operations among others": run([op, a, (op,)]),
            "a fed tensor": run([a, b], {a: 7}),
            "a number as key": run({1: a}),
        }


@question
def no_fetches(tf):
    a = tf.constant(1.5, name="a")
    with tf.Graph().as_default():
        foreign = tf.constant(1, name="foreign")
    with tf.Session() as sess:
        none = "cannot be interpreted as a Tensor. ("
        return {
            "none": says("None has invalid type", sess.run, None),
            "none inside": says("None has invalid type", sess.run, [a, None]),
            "a number": says("Can not convert a int into a Tensor or Operation.", sess.run, 3),
            "an array": says(
                "Can not convert a ndarray into a Tensor or Operation.", sess.run, np.array(3)
            ),
            "a set": says("Can not convert a set into a Tensor or Operation.", sess.run, {a}),
            "a generator": says(
                "Can not convert a generator into a Tensor or Operation.",
                sess.run,
                (x for x in [a]),
            ),
            "an unknown name": says(none, sess.run, "b:0"),
            "an unknown operation": says("refers to an Operation not in the graph", sess.run, "b"),
            "an output that is not": says("exists but only has 1 outputs", sess.run, "a:1"),
            "a malformed name": says(
                "looks a like a Tensor name, but is not a valid one", sess.run, "a:0:0"
            ),
            "another graph": says("is not an element of this graph.", sess.run, foreign),
            "another graph's operation": says(
                "is not an element of this graph.", sess.run, foreign.op
            ),
        }


@question
def feeds(tf):
    def placeholder(name, shape=None):
        return tf.placeholder(tf.as_dtype(name), shape)

    def fed(kind, value, shape=None):
        x = placeholder(kind, shape)
        # Through an op: TensorFlow gives a fed tensor back as it was passed.
        with tf.Session() as sess:
            return sess.run(tf.identity(x), {x: value})

    a, b = placeholder("float32"), placeholder("int32")
    c = tf.constant(1, name="c")
    with tf.Session() as sess:
        both = tf.identity(a), tf.identity(b)
        return {
            "a float": fed("float32", 1.5),
            "an int for a float": fed("float32", 3),
            "a truth for a float": fed("float32", True),
            "a list": fed("float32", [1, 2.5]),
            "a tuple": fed("int32", (1, 2)),
            "nested": fed("int32", [[1], [2]], [None, 1]),
            "an array": fed("int32", np.arange(3)),
            "floats for ints": fed("int32", [1.7, -1.7]),
            "a float for an int": fed("int32", 1.7),
            "a number in a string": fed("float32", "1.5"),
            "none for a float": fed("float32", None),
            "a string": fed("string", "ü"),
            "bytes": fed("string", b"\xff"),
            "strings": fed("string", ["a", b"b"]),
            "an array of strings": fed("string", np.array([["a"], ["bc"]])),
            "an array of objects": fed("string", np.array(["a", b"b"], object)),
            "no strings": fed("string", []),
            "bools": fed("bool", [1, 0]),
            "a complex number": fed("complex64", 1.5),
            "bytes of another order": fed("int32", np.array([1, 2], ">i4")),
            "every second": fed("int32", np.arange(6)[::2]),
            "turned round": fed("int32", np.arange(6).reshape(2, 3).T),
            "empty": fed("float32", [], [None]),
            "by name": sess.run(both[0], {"Placeholder:0": 3}),
            "a constant": sess.run(tf.identity(c), {c: 5}),
            "a constant by name": sess.run(tf.identity(c), {"c:0": 6}),
            "tuples as keys": sess.run(both, {(a, b): (1, 2)}),
            "a tuple of one": sess.run(both[0], {(a,): (4,)}),
            "something not needed": sess.run(c, {a: 1}),
            "a mapping": sess.run(both[0], collections.OrderedDict([(a, 8)])),
            "nothing": [sess.run(c, {}), sess.run(c, None)],
        }


@question
def no_feeds(tf):
    f, i = tf.placeholder(tf.float32, name="f"), tf.placeholder(tf.int32, name="i")
    u, s = tf.placeholder(tf.uint8, name="u"), tf.placeholder(tf.float32, [2, None], name="s")
    scalar = tf.placeholder(tf.float32, [], name="scalar")
    op = tf.no_op(name="op")
    with tf.Graph().as_default():
        foreign = tf.placeholder(tf.float32, name="foreign")
    sess = tf.Session()

    def feeding(key, value):
        return sess.run(op, {key: value})

    large = "Try explicitly setting the type of the feed tensor to a larger type (e.g. int64)."
    key = "Cannot interpret feed_dict key as Tensor: "
    return {
        "wrong rank": says(
            "Cannot feed value of shape (1,) for Tensor scalar:0, which has shape ()",
            feeding,
            scalar,
            [1],
        ),
        "wrong size": says(
            "Cannot feed value of shape (1, 1) for Tensor s:0, which has shape (2, ?)",
            feeding,
            s,
            [[1]],
        ),
        "too large": says(large, feeding, i, 2**40),
        "too large for a byte": says(large, feeding, u, 300),
        "negative for a byte": says(large, feeding, u, -1),
        "text": says("could not convert string to float", feeding, f, "x"),
        "an object": says(
            "float() argument must be a string or a real number, not 'object'", feeding, f, object()
        ),
        "a complex number": says(
            "argument must be a string or a real number, not 'complex'", feeding, f, 1j
        ),
        "ragged": says("setting an array element with a sequence", feeding, f, [[1, 2], [3]]),
        "a tensor": says(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values "
            "include Python scalars, strings, lists, numpy ndarrays",
            feeding,
            f,
            i,
        ),
        "a number as key": says(key + "Can not convert a int into a Tensor.", feeding, 3, 1),
        "an operation as key": says(
            key + "Can not convert a Operation into a Tensor.", feeding, op, 1
        ),
        "an operation's name": says(
            key + "The name 'op' refers to an Operation, not a Tensor.", feeding, "op", 1
        ),
        "an unknown name": says(
            key + "The name 'q:0' refers to a Tensor which does not exist.", feeding, "q:0", 1
        ),
        "another graph": says("is not an element of this graph.", feeding, foreign, 1),
        "tuples of two lengths": says(
            "Could not flatten dictionary. Key had 1 elements, but value had 2 elements",
            feeding,
            (f,),
            (1, 2),
        ),
        "the same twice": says(
            "Cannot flatten dict because this key is not unique", feeding, (f, f), (1, 2)
        ),
        "a list for a dictionary": says("", sess.run, op, [(f, 1)]),
    }


@question
def callables(tf):
    a = tf.placeholder(tf.float32, name="a")
    b = tf.identity(a, name="b")
    sess = tf.Session()
    call = sess.make_callable([b, {"x": b}], [a])
    optioned = sess.make_callable(b, [a], accept_options=True)
    metadata = tf.RunMetadata()
    return {
        "result": call(2.5),
        "again": call([1.0]),
        "no feeds": sess.make_callable(tf.constant(3))(),
        "an operation": sess.make_callable(tf.no_op())(),
        "with options": optioned(1.5, options=tf.RunOptions(), run_metadata=metadata),
        "unknown fetch": says("does not exist in the graph", sess.make_callable, "q:0"),
        "no list": says(
            "`feed_list` must be a list or tuple. Received: feed_list=a:0",
            sess.make_callable,
            b,
            "a:0",
        ),
    }


@question
def partial_runs(tf):
    a, b = tf.placeholder(tf.float32, [], name="a"), tf.placeholder(tf.float32, [], name="b")
    c = tf.identity(a, name="c")
    with tf.control_dependencies([c]):
        d = tf.identity(b, name="d")
    sess = tf.Session()

    def one(phrase, *steps, setup=((c, d), (a, b))):
        handle = sess.partial_run_setup(*[list(part) for part in setup])
        for fetches, feed in steps[:-1]:
            sess.partial_run(handle, fetches, feed)
        return says(phrase, sess.partial_run, handle, *steps[-1])

    handle = sess.partial_run_setup([c, d], [a, b])
    answers = {"handle": type(handle).__name__}
    answers["first"] = sess.partial_run(handle, c, {a: 1.5})
    answers["second"] = sess.partial_run(handle, [d], {b: 2.5})
    handle = sess.partial_run_setup([c, d], [a, b])
    answers["nothing fetched"] = sess.partial_run(handle, [], {a: 1.0})
    answers["then all"] = sess.partial_run(handle, {"c": c, "d": [d]}, {b: 2.0})
    handle = sess.partial_run_setup([c, d], [a, b])
    other = sess.partial_run_setup([c], [a])
    answers["two at once"] = [
        sess.partial_run(handle, c, {a: 3.0}),
        sess.partial_run(other, c, {a: 4.0}),
        sess.partial_run(handle, d, {b: 5.0}),
    ]
    answers["names"] = sess.partial_run(
        sess.partial_run_setup(["c:0"], ["a:0"]), "c:0", {"a:0": 6.0}
    )
    answers["not announced to fetch"] = one(
        "was not specified in partial_run_setup.", (d, {a: 1.0}), setup=((c,), (a, b))
    )
    answers["not announced to feed"] = one(
        "was not specified in partial_run_setup.", (c, {b: 1.0}), setup=((c,), (a,))
    )
    answers["fed twice"] = one("has already been fed.", (c, {a: 1.0}), (d, {a: 1.0, b: 1.0}))
    answers["fetched twice"] = one("has already been fetched.", (c, {a: 1.0}), (c, {b: 1.0}))
    answers["needs another feed"] = one(
        "can't be computed from the feeds that have been fed so far.", (d, {b: 1.0})
    )
    answers["no such handle"] = says(
        "Must run 'setup' before performing partial runs!", sess.partial_run, "tomato", c, {a: 1.0}
    )
    handle = sess.partial_run_setup([c], [a])
    sess.partial_run(handle, c, {a: 1.0})
    answers["over"] = says(
        "Must run 'setup' before performing partial runs!", sess.partial_run, handle, c, {a: 1.0}
    )
    answers["wrong shape"] = says(
        "Cannot feed value of shape (1,) for Tensor a:0",
        sess.partial_run,
        sess.partial_run_setup([c], [a]),
        c,
        {a: [1]},
    )
    answers["setup of nothing"] = says(
        "specify at least one target to fetch or execute", sess.partial_run_setup, [], []
    )
    return answers


@question
def closing(tf):
    a = tf.constant(1)
    sess = tf.Session()
    sess.run(a)
    first = sess.close()
    closed = "Attempted to use a closed Session."
    with tf.Session() as scoped:
        scoped.run(a)
    return {
        "closed": first,
        "twice": sess.close(),
        "run": says(closed, sess.run, a),
        "in a with": says(closed, scoped.run, a),
        "partial": says(closed, sess.partial_run_setup, [a], []),
        "eval": says(closed, a.eval, session=sess),
    }


@question
def defaults(tf):
    a = tf.constant(1.5, name="a")
    graph = tf.get_default_graph()
    answers = {"none": tf.get_default_session()}
    with tf.Session() as sess:
        answers["in a with"] = [tf.get_default_session() is sess, a.eval(), a.op.run()]
        with tf.Session() as inner:
            answers["nested"] = tf.get_default_session() is inner
        answers["back"] = tf.get_default_session() is sess
        seen = []
        thread = threading.Thread(target=lambda: seen.append(tf.get_default_session()))
        thread.start()
        thread.join()
        answers["another thread"] = seen
        other = tf.Graph()
        with other.as_default():
            b = tf.constant(2)
        answers["another graph"] = says(
            "Cannot use the default session to evaluate tensor: the "
            "tensor's graph is different from the session's graph.",
            b.eval,
        )
        answers["another graph, run"] = says(
            "Cannot use the default session to execute "
            "operation: the operation's graph is different from "
            "the session's graph.",
            b.op.run,
        )
        answers["given, another graph"] = says(
            "Cannot use the given session to evaluate tensor: "
            "the tensor's graph is different from the "
            "session's graph.",
            b.eval,
            session=sess,
        )
        answers["again"] = says("Session context managers are not re-entrant.", sess.__enter__)
    free = tf.Session()
    with free.as_default() as entered:
        answers["as default"] = [entered is free, tf.get_default_session() is free]
    answers["still open"] = free.run(a)
    answers["given"] = a.eval(session=free)
    answers["given a feed"] = tf.identity(a).eval({a: 3.0}, free)
    other_session = tf.Session(graph=other)
    with other_session:
        answers["graph of the session"] = tf.get_default_graph() is other
    answers["graph after"] = tf.get_default_graph() is graph
    answers["attributes"] = [free.graph is graph, len(free.graph_def.node)]
    return answers


@question
def interactive(tf):
    a = tf.constant(1.5)
    sess = tf.InteractiveSession()
    answers = {"eval": a.eval(), "default": tf.get_default_session() is sess}
    sess.close()
    answers["after"] = tf.get_default_session()
    graph = tf.Graph()
    with graph.as_default():
        b = tf.constant(2)
    sess = tf.InteractiveSession(graph=graph)
    answers["its graph"] = [tf.get_default_graph() is graph, b.eval()]
    sess.close()
    answers["graph after"] = tf.get_default_graph() is graph
    return answers


@question
def arguments(tf):
    tf.constant(1)
    empty = tf.Session(graph=tf.Graph())
    return {
        "empty graph": says(
            "The Session graph is empty. Add operations to the graph before calling run().",
            empty.run,
            [],
        ),
        "graph": says("Argument `graph` must be a tf.Graph", tf.Session, graph=3),
        "config": says("Argument `config` must be a tf.ConfigProto", tf.Session, config=3),
        "target": says("Argument `target` must be a string", tf.Session, 3),
        "no such target": says("", tf.Session, "tomato://x").partition(":")[0],
    }


@question
def placeholders_not_fed(tf):
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.identity(x, name="y")
    message = "You must feed a value for placeholder tensor 'x' with dtype float"
    answers = {"not fed": says(message, tf.Session().run, y)}
    try:
        tf.Session().run(y)
    except tf.errors.InvalidArgumentError as error:
        answers["facts"] = [error.op.name, error.node_def.name, error.error_code]
    return answers


@question
def metadata(tf):
    a = tf.placeholder(tf.float32, name="a")
    b = tf.identity(tf.identity(a, name="b"), name="c")
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    found = tf.RunMetadata()
    with tf.Session() as sess:
        value = sess.run(b, {a: 1.0}, options, found)
    names = [n.node_name for d in found.step_stats.dev_stats for n in d.node_stats]
    devices = [d.device for d in found.step_stats.dev_stats]
    return {
        "value": value,
        "nodes": [sorted(n for n in names if n in ("b", "c"))],
        "device": [d for d in devices if "CPU" in d],
    }
