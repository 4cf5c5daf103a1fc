"""`tf.graph_util` and `tf.train.write_graph`."""

import os
import tempfile

from tests.behaviour.asking import question, says


def nodes(graph_def):
    return [[node.name, node.op, list(node.input)] for node in graph_def.node]


@question
def parts(tf):
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.multiply(x, 2.0, name="y")
    with tf.control_dependencies([y]):
        tf.identity(x, name="z")
    tf.add(x, x, name="other")
    graph_def = tf.get_default_graph().as_graph_def()
    part = tf.graph_util.extract_sub_graph
    return {
        "y": nodes(part(graph_def, ["y"])),
        "z": nodes(part(graph_def, ["z"])),
        "versions": part(graph_def, ["y"]).versions,
        "nothing": nodes(part(graph_def, [])),
        "unknown": says("q is not in graph", part, graph_def, ["q"]),
        "a word": says("dest_nodes must be an iterable of strings", part, graph_def, "y"),
        "a number": says("graph_def must be a ", part, 3, ["y"]),
    }


@question
def loops(tf):
    tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], name="loop")
    graph_def = tf.get_default_graph().as_graph_def()
    return {"loop": nodes(tf.graph_util.extract_sub_graph(graph_def, ["loop/Exit"]))}


@question
def without_training_nodes(tf):
    x = tf.placeholder(tf.float32, [2], name="x")
    a = tf.identity(tf.identity(x, name="a"), name="b")
    with tf.control_dependencies([tf.identity(a, name="waited_for")]):
        c = tf.identity(a, name="waits")
    with tf.colocate_with(tf.identity(c, name="neighbour")):
        tf.add(c, a, name="sum")
    tf.identity(a, name="out")
    graph_def = tf.get_default_graph().as_graph_def()
    strip = tf.graph_util.remove_training_nodes
    return {
        "all": nodes(strip(graph_def)),
        "protected": nodes(strip(graph_def, protected_nodes=["out", "b"])),
    }


@question
def frozen(tf):
    answers = {}
    for resource in (False, True):
        with tf.Graph().as_default() as graph:
            v = tf.get_variable("v", initializer=[1.0, 2.0, 3.0], use_resource=resource)
            u = tf.get_variable("u", initializer=2.0, use_resource=resource)
            x = tf.placeholder(tf.float32, [], name="x")
            tf.multiply(u + x, 3.0, name="y")
            tf.while_loop(lambda i: i < 3.0, lambda i, u=u: i * u + 1.0, [x], name="loop")
            tf.gather(v, [0, 2], name="part")
            graph_def = graph.as_graph_def()
            freeze = tf.graph_util.convert_variables_to_constants
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                frozen = freeze(session, graph_def, ["y", "loop/Exit"])
                some = freeze(session, graph_def, ["y"], variable_names_blacklist=["u"])
                chosen = freeze(session, graph_def, ["y"], variable_names_whitelist=["v"])
                unknown = says("q is not in graph", freeze, session, graph_def, ["q"])
                gathered = freeze(session, graph_def, ["part"])
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(frozen, name="")
            tf.import_graph_def(gathered, name="g")
            with tf.Session() as session:
                names = ["y:0", "loop/Exit:0", "g/part:0"]
                values = [session.run(name, {"x:0": 1.0}) for name in names]
        answers[f"resource {resource}"] = {
            "nodes": nodes(frozen),
            "not u": nodes(some),
            "only v": nodes(chosen),
            "unknown": unknown,
            "values": values,
            "attributes": sorted(frozen.node[0].attr),
            "gathered": sorted(nodes(gathered)),
        }
    return answers


@question
def small_ones(tf):
    x = tf.placeholder(tf.float32, [2, None], name="x")
    shape = tf.graph_util.tensor_shape_from_node_def_name
    cpu = tf.graph_util.must_run_on_cpu
    v = tf.get_variable("v", [], use_resource=False)
    return {
        "shape": [str(shape(x.graph, name)) for name in ("x", "x:0")],
        "cpu": [
            cpu(op)
            for op in (
                x.op,
                tf.constant(1).op,
                tf.constant("a").op,
                v.op,
                tf.cast(tf.constant(1), tf.float32).op,
            )
        ],
        "variables": [cpu(op, True) for op in (x.op, v.op, v.initializer)],
        "a node": cpu(tf.constant(1).op.node_def),
    }


@question
def written(tf):
    graph = tf.get_default_graph()
    tf.constant(1.5, name="c")
    folder = tempfile.mkdtemp()
    text = tf.train.write_graph(graph, os.path.join(folder, "a", "b"), "graph.pbtxt")
    binary = tf.io.write_graph(graph.as_graph_def(), folder, "graph.pb", as_text=False)
    again = tf.train.write_graph(tf.GraphDef(), folder, "graph.pb", as_text=False)
    with open(text) as file:
        content = file.read()
    with open(binary, "rb") as file:
        size = len(file.read())
    return {
        "paths": [os.path.relpath(path, folder) for path in (text, binary, again)],
        "files": sorted(os.listdir(folder)),
        "text": content,
        "replaced": size,
        "no folder": says(
            "; No such file or directory", tf.train.write_graph, graph, "/proc/nothing", "graph.pb"
        ),
    }
