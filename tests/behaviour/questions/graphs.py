"""Graphs: their elements, collections, seeds, finalizing, GraphDef."""

import threading

import numpy as np

from tests.behaviour.asking import question, says


def node(tf, name=None, **kwargs):
    return tf.placeholder(tf.float32, name=name, **kwargs).op


@question
def elements(tf):
    graph = tf.get_default_graph()
    t = tf.placeholder(tf.float32, [2], name="a")
    with tf.Graph().as_default():
        foreign = tf.placeholder(tf.float32, name="a")
    element = graph.as_graph_element
    return {
        "tensor": element(t),
        "operation": element(t.op),
        "tensor name": element("a:0"),
        "operation name": element("a"),
        "by name": graph.get_tensor_by_name("a:0"),
        "operation by name": graph.get_operation_by_name("a"),
        "no tensor": says(
            "refers to a Tensor which does not exist. The operation, 'b', does not "
            "exist in the graph.",
            graph.get_tensor_by_name,
            "b:0",
        ),
        "no such output": says(
            "refers to a Tensor which does not exist. The operation, 'a', "
            "exists but only has 1 outputs.",
            graph.get_tensor_by_name,
            "a:1",
        ),
        "no operation": says(
            "The name 'b' refers to an Operation not in the graph.",
            graph.get_operation_by_name,
            "b",
        ),
        "operation for tensor": says(
            "The name 'a' refers to an Operation, not a Tensor. Tensor "
            'names must be of the form "<op_name>:<output_index>".',
            graph.get_tensor_by_name,
            "a",
        ),
        "unknown operation for tensor": says("", graph.get_tensor_by_name, "b"),
        "tensor for operation": says(
            "Name 'a:0' appears to refer to a Tensor, not a Operation.",
            graph.get_operation_by_name,
            "a:0",
        ),
        "two colons": says(
            "looks a like a Tensor name, but is not a valid one. Tensor names must "
            'be of the form "<op_name>:<output_index>".',
            graph.get_tensor_by_name,
            "a:0:0",
        ),
        "no number": says(
            "looks a like a Tensor name, but is not a valid one.", graph.get_tensor_by_name, "a:x"
        ),
        "number for a tensor": says(
            "Tensor names are strings (or similar), not int.", graph.get_tensor_by_name, 3
        ),
        "number for an operation": says(
            "Operation names are strings (or similar), not int.", graph.get_operation_by_name, 3
        ),
        "a number": says("Can not convert a int into a Tensor or Operation.", element, 3),
        "none": says("Can not convert a NoneType into a Tensor or Operation.", element, None),
        "tensor refused": says("Can not convert a", element, t, False, True),
        "operation refused": says(
            "Can not convert a Operation into a Tensor.", element, t.op, True, False
        ),
        "foreign tensor": says("is not an element of this graph.", element, foreign),
        "foreign operation": says("is not an element of this graph.", element, foreign.op),
        "variable": element(tf.Variable(1.0, name="v", use_resource=False)),
    }


@question
def tensors(tf):
    t = tf.placeholder(tf.float32, [None, 3], name="t")
    with tf.device("/gpu:0"):
        d = tf.placeholder(tf.int32, name="d")
    s = tf.placeholder(tf.float32, name="s")
    s.set_shape([None, 3])
    first = str(s.shape)
    s.set_shape([2, None])
    u = tf.identity(t)
    return {
        "text": [str(t), repr(t), str(d), repr(d)],
        "facts": [
            t.name,
            t.op.name,
            t.value_index,
            t.dtype,
            str(t.shape),
            t.device,
            d.device,
            t.graph is tf.get_default_graph(),
            str(t.get_shape()),
            t.op.type,
        ],
        "set shape": [first, str(s.shape)],
        "set a contradicting shape": says("", s.set_shape, [3, None]),
        "consumers": [op.name for op in t.consumers()],
        "equal": [t == t, t == u, t != u, t in [u, t], len({t, u, t})],
        "bool": says("`tf.Tensor` as a Python `bool` is not allowed", bool, t),
        "if": says("`tf.Tensor` as a Python `bool` is not allowed", lambda: 1 if t else 2),
        "len": says("len is not well defined for a symbolic Tensor (t:0)", len, t),
        "array": says("to a numpy array", np.array, t),
        "int": says("", int, t).partition(":")[0],
        "attributes": says("object has no attribute", lambda: t.tomato),
        "eval": says(
            "Cannot evaluate tensor using `eval()`: No default session is registered. "
            "Use `with sess.as_default()` or pass an explicit session to "
            "`eval(session=sess)`",
            t.eval,
        ),
        "run": says(
            "Cannot execute operation using `run()`: No default session is registered. "
            "Use `with sess.as_default()",
            t.op.run,
        ),
    }


@question
def operations(tf):
    c = tf.constant([1.0, 2.0], name="c")
    with tf.control_dependencies([c]):
        i = tf.identity(c, name="i")
    return {
        "text": [repr(i.op), str(i.op)],
        "facts": [
            i.op.name,
            i.op.type,
            i.op.device,
            i.op.inputs[0] is c,
            len(i.op.inputs),
            len(i.op.outputs),
            [o.name for o in i.op.outputs],
            [o.name for o in i.op.control_inputs],
            i.op.values()[0] is i,
        ],
        "node": i.op.node_def,
        "op def": [i.op.op_def.name, [a.name for a in i.op.op_def.input_arg]]
        if hasattr(i.op.op_def, "input_arg")
        else ["Identity", ["input"]],
        "dtype": [c.op.get_attr("dtype"), i.op.get_attr("T")],
        "value": c.op.get_attr("value"),
        "shape": tf.placeholder(tf.int32, [1, None]).op.get_attr("shape"),
        "no attribute": says("Operation 'i' has no attr named 'tomato'.", i.op.get_attr, "tomato"),
        "groups": i.op.colocation_groups(),
    }


@question
def collections(tf):
    graph = tf.get_default_graph()
    answers = {"empty": [graph.get_collection("a"), graph.get_all_collection_keys()]}
    graph.add_to_collection("a", 1)
    graph.add_to_collection("a", 1)
    graph.add_to_collections(["a", "b"], 2)
    graph.add_to_collections("word", 3)
    graph.add_to_collections(["b", "b"], 4)
    answers["several"] = [graph.get_collection(key) for key in ("a", "b", "word", "w")]
    graph.get_collection("a").append(9)
    answers["a copy"] = graph.get_collection("a")
    graph.get_collection_ref("a").append(5)
    answers["the list itself"] = graph.get_collection("a")
    graph.get_collection_ref("new").append(1)
    answers["a new list"] = graph.get_collection("new")
    answers["keys"] = sorted(graph.get_all_collection_keys())
    graph.clear_collection("a")
    answers["cleared"] = [graph.get_collection("a"), sorted(graph.get_all_collection_keys())]
    graph.clear_collection("never there")
    for name in ("s/x", "s/y", "t/x", "st"):
        graph.add_to_collection("nodes", node(tf, name))
    graph.add_to_collection("nodes", 3)
    for scope in ("s", "s/", ".*x", "x", "", "t|s/y", None):
        answers[f"scope {scope!r}"] = [
            getattr(i, "name", i) for i in graph.get_collection("nodes", scope)
        ]
    answers["function"] = tf.get_collection("b")
    tf.add_to_collection("c", 1)
    answers["functions"] = [tf.get_collection_ref("c"), tf.get_collection("nodes", "t")[0].name]
    graph.finalize()
    answers["finalized"] = says(
        "Graph is finalized and cannot be modified.", graph.add_to_collection, "a", 1
    )
    return answers


@question
def finalizing(tf):
    graph = tf.get_default_graph()
    node(tf, "x")
    before = graph.finalized
    graph.finalize()
    finalized = "Graph is finalized and cannot be modified."
    return {
        "state": [before, graph.finalized],
        "a node": says(finalized, node, tf),
        "a constant": says(finalized, tf.constant, 1),
        "still there": graph.get_operation_by_name("x"),
        "nothing was added": len(graph.get_operations()),
        "twice": graph.finalize(),
    }


@question
def default_graphs(tf):
    outer = tf.get_default_graph()
    inner = tf.Graph()
    answers = {}
    with inner.as_default() as entered:
        answers["inner"] = [entered is inner, tf.get_default_graph() is inner]
        with outer.as_default():
            answers["again"] = tf.get_default_graph() is outer
        answers["back"] = tf.get_default_graph() is inner
        answers["nested reset"] = says(
            "Do not use tf.reset_default_graph() to clear nested graphs", tf.reset_default_graph
        )
    seen = []
    thread = threading.Thread(target=lambda: seen.append(tf.get_default_graph()))
    thread.start()
    thread.join()
    answers["another thread"] = [seen[0] is outer, seen[0] is inner]
    answers["versions"] = outer.graph_def_versions
    answers["version grows"] = [outer.version, node(tf).name, outer.version]
    return answers


@question
def two_graphs(tf):
    a = tf.placeholder(tf.float32, name="a")
    with tf.Graph().as_default():
        b = tf.placeholder(tf.float32, name="b")
    same = "must be from the same graph as"
    return {
        "list": says(same + ' Tensor("a:0", dtype=float32) (graphs are', tf.stack, [a, b]),
        "control": says("is not an element of this graph", lambda: tf.control_dependencies([b])),
        "inputs decide": tf.identity(b).graph is b.graph,
    }


@question
def creating_ops(tf):
    graph = tf.get_default_graph()
    x = tf.placeholder(tf.float32, [2], name="x")
    op = graph.create_op(
        "Identity", [x], [tf.float32], name="made", attrs={"T": tf.AttrValue(type=1)}
    )
    return {
        "made": [op, op.outputs[0], op.node_def],
        "default name": graph.create_op("NoOp", [], []).name,
        "unknown op": says("Op type not registered 'Tomato'", graph.create_op, "Tomato", [], []),
        "not a tensor": says("", graph.create_op, "Identity", [3], [tf.int32]).partition(":")[0],
    }


@question
def graph_defs(tf):
    graph = tf.get_default_graph()
    tf.constant([[1, 2], [3, 4]], name="c")
    with tf.device("/job:ps"), tf.name_scope("s"):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        tf.identity(x, name="y")
    return {
        "all": graph.as_graph_def().node,
        "shapes": graph.as_graph_def(add_shapes=True).node,
        "versions": graph.as_graph_def().versions,
    }


@question
def seeds(tf):
    graph = tf.get_default_graph()
    answers = {"none": [graph.seed, *tf.get_seed(None)], "op": list(tf.get_seed(7))}
    tf.set_random_seed(5)
    answers["graph"] = [graph.seed, *tf.get_seed(None)]
    node(tf)
    answers["later"] = list(tf.get_seed(None))
    answers["both"] = list(tf.get_seed(7))
    answers["zero"] = list(tf.get_seed(0))
    tf.set_random_seed(0)
    answers["both zero"] = list(tf.get_seed(0))
    answers["large"] = list(tf.get_seed(2**31 + 5))
    return answers


_CLASS = "a TypeError there, too, but of a class of its own that tells of AutoGraph"
_BOOL = "TypeError: `tf.Tensor` as a Python `bool` is not allowed"
DIFFERENCES = {
    ("tensors", "bool"): (_BOOL, _CLASS),
    ("tensors", "if"): (_BOOL, _CLASS),
    ("creating_ops", "unknown op"): (
        "NotFoundError: Op type not registered 'Tomato'",
        "the class that TensorFlow's own code and older releases give",
    ),
}
