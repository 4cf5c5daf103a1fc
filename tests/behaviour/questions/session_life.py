"""The life of sessions: their nesting, interactive ones, closed ones, and what they measure."""

import threading
import warnings

import numpy as np

from tests.behaviour.asking import question, says


def entered(context):
    context.__enter__()
    return context


def leave(context):
    context.__exit__(None, None, None)


def in_a_thread(function):
    """What a function gives in a thread of its own, whose stacks nobody needs afterwards."""
    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


@question
def nesting(tf):
    """Blocks that are left in another order than they were entered."""
    one, other = tf.Graph(), tf.Graph()
    with one.as_default():
        tf.constant(1)

    def violated(*contexts):
        first, second = map(entered, contexts)
        told = says("Nesting violated for default stack of <class '", leave, first)
        leave(second)
        return told

    def inside():
        both = entered(one.as_default()), entered(tf.Session(graph=one).as_default())
        return [leave(context) for context in reversed(both)]

    return {
        "graphs": in_a_thread(lambda: violated(one.as_default(), other.as_default())),
        "default sessions": in_a_thread(
            lambda: violated(tf.Session(graph=one).as_default(), tf.Session().as_default())
        ),
        "in order": in_a_thread(inside),
    }


@question
def sessions_that_are_closed(tf):
    x = tf.placeholder(tf.float32, name="x")
    y = x * 2
    sess = tf.Session()
    call = sess.make_callable(y, [x])
    partial = sess.partial_run_setup([y], [x])
    sess.close()
    closed, cancelled = "Attempted to use a closed Session.", "Session has been closed."
    return {
        "run": says(closed, sess.run, y, {x: 1}),
        "nothing": says(closed, sess.run, []),
        "partial_run_setup": says(closed, sess.partial_run_setup, [y], [x]),
        "partial_run": says(closed, sess.partial_run, partial, y, {x: 1}),
        "eval": says(closed, y.eval, {x: 1}, sess),
        "list_devices": says(cancelled, sess.list_devices),
        "make_callable": says(cancelled, sess.make_callable, tf.constant(1)),
        "a callable from before": says("", call, 1.0).partition(":")[0] != "",
        "close": sess.close(),
        "graph": [sess.graph is tf.get_default_graph(), len(sess.graph_def.node)],
        "as_default": leave(entered(sess.as_default())),
    }


def pruned(tf, kind, **arguments):
    with tf.Graph().as_default():
        with tf.device("/job:nowhere/task:3"):
            tf.constant(1, name="misplaced")
        good = tf.constant(2)
        sess = kind(**arguments)
        try:
            return sess.run(good)
        finally:
            sess.close()


@question
def interactive_sessions(tf):
    def warned(function):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function()
        told = [str(w.message) for w in caught if "interactive session" in str(w.message)]
        words = [
            "An interactive session is already active. This can cause out-of-memory errors",
            "You must explicitly call `InteractiveSession.close()` to release resources held by "
            "the other session(s)",
        ]
        return result, [w in t.replace(" (1 more in all)", "") for t in told for w in words]

    tf.constant(1)
    first, none = warned(tf.InteractiveSession)
    second, told = warned(tf.InteractiveSession)
    top = tf.get_default_session() is second
    second.close()
    below = tf.get_default_session() is first
    first.close()
    third, again = warned(tf.InteractiveSession)
    third.close()
    third.close()
    config = tf.ConfigProto(graph_options=tf.GraphOptions(place_pruned_graph=True))
    return {
        "the first": none,
        "the second": told,
        "after both are closed": again,
        "the default": [top, below, tf.get_default_session()],
        "misplaced": says("Cannot assign a device for operation misplaced", pruned, tf, tf.Session),
        "misplaced, pruned": pruned(tf, tf.Session, config=config),
        "misplaced, interactive": pruned(tf, tf.InteractiveSession),
        "and with a configuration": pruned(tf, tf.InteractiveSession, config=tf.ConfigProto()),
    }


#: nodes that only TensorFlow has, for its feeds and fetches
_ENDS = ("_SOURCE", "_SINK", "_arg", "_retval")


def measured(metadata):
    return [len(metadata.cost_graph.node) > 0, len(metadata.step_stats.dev_stats) > 0]


@question
def cost_graphs(tf):
    v = tf.Variable(tf.ones([3]), use_resource=False, name="v")
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    _, right = tf.split(x, [1, 2], 1, name="parts")
    update = tf.assign_add(v, [1.0, 1.0, 1.0], name="update")
    with tf.control_dependencies([update]):
        y = tf.add(tf.tanh(right, name="tanh"), 1.0, name="y")

    def session(**options):
        config = tf.ConfigProto(graph_options=tf.GraphOptions(**options))
        # The graph as it is written, in both libraries.
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        config.graph_options.optimizer_options.opt_level = -1
        sess = tf.Session(config=config)
        sess.run(v.initializer)
        return sess

    def runs(count=5, **options):
        sess, found = session(**options), []
        for _ in range(count):
            metadata = tf.RunMetadata()
            sess.run(y, {x: np.ones([4, 3])}, run_metadata=metadata)
            found.append(measured(metadata))
        return found

    metadata = tf.RunMetadata()
    sess = session(build_cost_model=1)
    sess.run(y, {x: np.ones([4, 3])})
    result = sess.run(y, {x: np.ones([4, 3])}, run_metadata=metadata)
    nodes = {n.id: n for n in metadata.cost_graph.node}
    names = {number: n.name for number, n in nodes.items() if not n.name.startswith(_ENDS)}
    described = {
        n.name: [
            n.device,
            [
                (names[i.preceding_node], i.preceding_port)
                for i in n.input_info
                if i.preceding_node in names
            ],
            [(o.dtype, [d.size for d in o.shape.dim]) for o in n.output_info],
            sorted(names[c] for c in n.control_input if c in names),
            n.persistent_memory_size,
        ]
        for n in nodes.values()
        if n.name in names.values()
    }
    return {
        "the result": result,
        "nodes": {name: described[name] for name in sorted(described)},
        "costs": all(n.compute_cost >= 0 for n in nodes.values()),
        "sizes": sorted(
            [n.name, [o.size for o in n.output_info]]
            for n in nodes.values()
            if n.name in ("tanh", "y", "v", "parts")
        ),
        "without": runs(),
        "every step": runs(build_cost_model=1),
        "every second": runs(build_cost_model=2),
        "after two": runs(build_cost_model=1, build_cost_model_after=2),
        "every second after one": runs(build_cost_model=2, build_cost_model_after=1),
        "less than none": runs(build_cost_model=-1),
        "inferred shapes": runs(1, infer_shapes=True),
        "without metadata": sess.run(y, {x: np.ones([1, 3])}),
    }
