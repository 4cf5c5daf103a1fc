"""Graphs with functions, between tinytf and TensorFlow in one process; each serves the other, too.

To be run by TensorFlow's interpreter in a network namespace. Prints what it saw as one line of
JSON, for test_functions.py.
"""

import json

import tensorflow.compat.v1 as tensorflow
from tensorflow.python.framework import function as their_functions

import tinytf
from tinytf.api import function as our_functions

tensorflow.disable_v2_behavior()


def failure(tf, call):
    """The error that a call raises, as [class, name of its operation, text]."""
    try:
        return ["no error", None, repr(call())]
    except tf.errors.OpError as error:
        return [type(error).__name__, error.op and error.op.name, error.message]


def build(tf, functions):
    """The program, in the default graph of either library."""
    defun = functions.Defun
    x = tf.placeholder(tf.float32, [], name="x")
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    factor = tf.constant(10.0, name="factor")

    @defun(tf.float32, func_name="Inner")
    def inner(a):
        return tf.square(a, name="squared") * factor

    @defun(tf.float32, tf.float32, func_name="InnerGradient")
    def given_gradient(a, dy):
        return dy * 1000.0 * a

    @defun(tf.float32, func_name="Outer")
    def outer(a):
        with tf.control_dependencies([v.assign_add(a, read_value=False)]):
            read = v.read_value()
        big = tf.cond(a > 2.0, lambda: a * 2.0, lambda: a - 1.0)
        count = tf.while_loop(
            lambda i: i < 10.0, lambda i: i + a, [a], shape_invariants=[tf.TensorShape(None)]
        )
        return inner(a), read, big, count

    @defun(tf.float32, func_name="WithGradient", grad_func=given_gradient)
    def special(a):
        return a

    y = outer(x, name="call")
    tf.identity_n(list(y), name="results")
    tf.identity_n(tf.gradients([inner(x), special(x)], x), name="slopes")
    tf.variables_initializer([v], name="init")
    zero = tf.placeholder(tf.int32, [], name="zero")

    @defun(tf.int32, func_name="Divide")
    def divide(a):
        return tf.floordiv(1, a, name="divided")

    divide(zero, name="division")


def add_later(tf, functions):
    @functions.Defun(tf.float32, func_name="Later")
    def later(a):
        return a + 100.0

    later(tf.get_default_graph().get_tensor_by_name("x:0"), name="later")


def use(tf, graph, target=""):
    """Run the program in a session; its values, and the error of its division."""
    with tf.Session(target, graph=graph) as session:
        session.run("init")
        values = [float(v) for v in session.run(["results:0", "results:1"], {"x:0": 3.0})]
        values += [float(v) for v in session.run(["results:2", "results:3"], {"x:0": 1.0})]
        values += [float(v) for v in session.run(["slopes:0"], {"x:0": 3.0})]
        division = failure(tf, lambda: session.run("division:0", {"zero:0": 0}))
        return values, division


def extended(tf, functions, graph, target):
    """The same in a session that sees the graph grow by a function and its call."""
    with tf.Session(target, graph=graph) as session:
        session.run("init")
        with graph.as_default():
            add_later(tf, functions)
        return float(session.run("later:0", {"x:0": 1.0}))


def crossed(tf, definition):
    """A graph of the library's own from the other one's definition."""
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(tf.GraphDef.FromString(definition), name="")
    return graph


def sameness(one, other):
    """Names of functions, nodes and parts in which two definitions differ."""
    one, other = map(tinytf.GraphDef.FromString, (one, other))
    for graph in (one, other):
        for node in graph.node:
            node.ClearField("experimental_type")  # what shape inference found out, no more
    differences = []
    functions = [{f.signature.name: f for f in g.library.function} for g in (one, other)]
    nodes = [{n.name: n for n in g.node} for g in (one, other)]
    for mine, theirs in (functions, nodes):
        for name in sorted(mine.keys() | theirs.keys()):
            if mine.get(name) != theirs.get(name):
                differences.append([name, str(mine.get(name)), str(theirs.get(name))])
    if sorted(map(str, one.library.gradient)) != sorted(map(str, other.library.gradient)):
        differences.append("gradients")
    return differences


def main():
    seen = {}
    libraries = {"ours": (tinytf, our_functions), "theirs": (tensorflow, their_functions)}
    servers = {
        "ours": tinytf.train.Server.create_local_server(),
        "theirs": tensorflow.train.Server.create_local_server(),
    }
    for name, (tf, functions) in libraries.items():
        other = "theirs" if name == "ours" else "ours"
        graph = tf.Graph()
        with graph.as_default():
            build(tf, functions)
        definition = graph.as_graph_def().SerializeToString()
        seen[f"{name} at home"] = use(tf, graph)
        there = crossed(libraries[other][0], definition)
        seen[f"{name} abroad"] = use(libraries[other][0], there)
        returned = there.as_graph_def().SerializeToString()
        seen[f"{name} and back"] = sameness(definition, returned)
        seen[f"{name} home again"] = use(tf, crossed(tf, returned))
        seen[f"{name} on the other's server"] = use(tf, graph, servers[other].target)
        seen[f"{name} later"] = extended(tf, functions, graph, servers[other].target)
    print(json.dumps(seen))


main()
