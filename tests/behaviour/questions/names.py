"""Names of operations, scopes and others: as bytes, empty, and where TensorFlow refuses them."""

import numpy as np

from tests.behaviour.asking import question, says


def cond(tf, name):
    p = tf.constant(True, name="p")
    return tf.cond(p, lambda: tf.constant(1), lambda: tf.constant(2), name=name)


def loop(tf, name):
    return tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0, name="p")], name=name)


def image(tf):
    return tf.ones([1, 2, 2, 1]), tf.ones([1, 1, 1, 1])


#: function -> how an operation with this name is built
OPERATIONS = {
    "add": lambda tf, n: tf.add(1, 2, name=n),
    "add_n": lambda tf, n: tf.add_n([tf.constant(1), tf.constant(2)], name=n),
    "Assert": lambda tf, n: tf.Assert(True, [1], name=n),
    "assign": lambda tf, n: tf.assign(tf.Variable(1, name="v", use_resource=False), 2, name=n),
    "case": lambda tf, n: tf.case(
        [(tf.constant(True), lambda: tf.constant(1))], lambda: tf.constant(2), name=n
    ),
    "cast": lambda tf, n: tf.cast(tf.constant(1), tf.float32, name=n),
    "clip_by_value": lambda tf, n: tf.clip_by_value(1.0, 0.0, 1.0, name=n),
    "concat": lambda tf, n: tf.concat([[1], [2]], 0, name=n),
    "cond": cond,
    "conv2d": lambda tf, n: tf.nn.conv2d(*image(tf), [1, 1, 1, 1], "SAME", name=n),
    "dropout": lambda tf, n: tf.nn.dropout([1.0], 0.5, name=n),
    "embedding_lookup": lambda tf, n: tf.nn.embedding_lookup(tf.ones([2, 2]), [0], name=n),
    "enqueue": lambda tf, n: tf.FIFOQueue(1, tf.int32, name="q").enqueue(1, name=n),
    "expand_dims": lambda tf, n: tf.expand_dims(1, 0, name=n),
    "fill": lambda tf, n: tf.fill([2], 1, name=n),
    "get_next": lambda tf, n: tf.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next(
        name=n
    ),
    "gradients": lambda tf, n: (lambda x: tf.gradients(x * x, x, name=n)[0])(tf.constant(1.0)),
    "group": lambda tf, n: tf.group(tf.no_op("a"), name=n),
    "identity": lambda tf, n: tf.identity(1, name=n),
    "map_fn": lambda tf, n: tf.map_fn(lambda x: x, tf.constant([1]), name=n),
    "matmul": lambda tf, n: tf.matmul([[1.0]], [[1.0]], name=n),
    "moments": lambda tf, n: tf.nn.moments(tf.ones([2, 2]), [0], name=n)[0],
    "no_op": lambda tf, n: tf.no_op(name=n),
    "one_hot": lambda tf, n: tf.one_hot([1], 2, name=n),
    "placeholder": lambda tf, n: tf.placeholder(tf.float32, name=n),
    "placeholder_with_default": lambda tf, n: tf.placeholder_with_default(1.0, [], name=n),
    "Print": lambda tf, n: tf.Print(1, [1], name=n),
    "py_func": lambda tf, n: tf.py_func(lambda: 1, [], tf.int64, name=n),
    "queue": lambda tf, n: tf.FIFOQueue(1, tf.int32, name=n).queue_ref,
    "random_normal": lambda tf, n: tf.random_normal([2], name=n),
    "range": lambda tf, n: tf.range(3, name=n),
    "reader": lambda tf, n: tf.TextLineReader(name=n).reader_ref,
    "reduce_sum": lambda tf, n: tf.reduce_sum(tf.placeholder(tf.float32, [2]), name=n),
    "reshape": lambda tf, n: tf.reshape([1], [1], name=n),
    "shape": lambda tf, n: tf.shape(tf.placeholder(tf.int32), name=n),
    "softmax": lambda tf, n: tf.nn.softmax([1.0, 2.0], name=n),
    "split": lambda tf, n: tf.split([1, 2], 2, name=n)[0],
    "string_join": lambda tf, n: tf.string_join(["a", "b"], name=n),
    "TensorArray": lambda tf, n: tf.TensorArray(tf.int32, 1, name=n).handle,
    "transpose": lambda tf, n: tf.transpose([[1]], name=n),
    "tuple": lambda tf, n: tf.tuple([tf.constant(1, name="a")], name=n)[0],
    "unstack": lambda tf, n: tf.unstack([1, 2], name=n)[0],
    "variables_initializer": lambda tf, n: tf.variables_initializer([], name=n),
    "where": lambda tf, n: tf.where([True], name=n),
    "while_loop": loop,
}


def named(tf, build, name):
    with tf.Graph().as_default():
        result = build(tf, name)
        return result[0].name if isinstance(result, list | tuple) else result.name


@question
def bytes_for_operations(tf):
    more = {
        "constant": lambda tf, n: tf.constant(1, name=n),
        "convert_to_tensor": lambda tf, n: tf.convert_to_tensor(1, name=n),
        "ones": lambda tf, n: tf.ones([2], name=n),
        "stack": lambda tf, n: tf.stack([tf.constant(1), 2], name=n),
        "xent": lambda tf, n: tf.nn.softmax_cross_entropy_with_logits_v2(
            labels=[[1.0, 0.0]], logits=[[1.0, 0.0]], name=n
        ),
        "zeros": lambda tf, n: tf.zeros([2], name=n),
        "Variable": lambda tf, n: tf.Variable(1, name=n, use_resource=False),
        "a resource Variable": lambda tf, n: tf.Variable(1, name=n, use_resource=True),
        "get_variable": lambda tf, n: tf.get_variable(n, [2]),
        "get_local_variable": lambda tf, n: tf.get_local_variable(n, [2]),
        "create_op": lambda tf, n: tf.get_default_graph().create_op("NoOp", [], [], name=n),
    }
    table = {**OPERATIONS, **more}
    return {label: named(tf, build, b"x") for label, build in table.items()}


@question
def no_name_for_operations(tf):
    """An empty name is the scope around, and the operation has the name of its type."""
    names = {label: named(tf, build, "") for label, build in OPERATIONS.items()}
    names |= {f"{k}, bytes": named(tf, OPERATIONS[k], b"") for k in ("cond", "while_loop", "fill")}
    with tf.name_scope("around"):
        inside = [cond(tf, "").name, cond(tf, "").name]
    wrong = "is not a valid"

    def create(name):
        return tf.get_default_graph().create_op("NoOp", [], [], name=name)

    return {
        **names,
        "within a scope": inside,
        "a constant": says(wrong, tf.constant, 1, name=""),
        "a constant, bytes": says(wrong, tf.constant, 1, name=b""),
        "converted": says(wrong, tf.convert_to_tensor, 1, name=""),
        "an array": says(wrong, tf.constant, np.ones([2]), name=""),
        "create_op": says(wrong, create, ""),
        "a number": says("", tf.constant, 1, name=3),
        "no name": [tf.constant(1, name=None), create(None)],
    }


@question
def bytes_for_the_rest(tf):
    a = tf.constant(1, name="a")
    graph = tf.get_default_graph()
    node = tf.NodeDef(name="n", op="NoOp")
    tf.add_to_collection(b"bytes", 1)
    tf.add_to_collections([b"both", "both"], 2)

    def scoped(scope):
        with scope as name:
            return [name, tf.no_op(name="z").name]

    def contained():
        with tf.container(b"box"):
            return tf.FIFOQueue(1, tf.int32).queue_ref.op.get_attr("container")

    def controlled():
        with tf.control_dependencies([b"a", "a:0"]):
            return [op.name for op in tf.no_op(name="after").control_inputs]

    def mapped():
        identity = tf.NodeDef(name="m", op="Identity", input=["n:0"])
        identity.attr["T"].type = 3
        graph_def = tf.GraphDef(node=[identity])
        (found,) = tf.import_graph_def(graph_def, input_map={b"n:0": a}, return_elements=[b"m:0"])
        return found.op.inputs[0].name

    def entered(scope):
        with scope:
            return 1

    with tf.Session() as sess:
        return {
            "as_graph_element": graph.as_graph_element(b"a:0"),
            "its operation": graph.as_graph_element(b"a").name,
            "an unknown one": says(
                "The name 'b:0' refers to a Tensor which does not exist.",
                graph.as_graph_element,
                b"b:0",
            ),
            "get_tensor_by_name": says(
                "Tensor names are strings (or similar), not bytes.",
                graph.get_tensor_by_name,
                b"a:0",
            ),
            "get_operation_by_name": says(
                "Operation names are strings (or similar), not bytes.",
                graph.get_operation_by_name,
                b"a",
            ),
            "fetched": [sess.run(b"a:0"), sess.run([b"a", "a:0"]), sess.run({b"k": b"a:0"})],
            "fed": sess.run("a:0", {b"a:0": 3}),
            "a callable": sess.make_callable(b"a:0", [b"a:0"])(4),
            "control inputs": controlled(),
            "get_attr": a.op.get_attr(b"dtype"),
            "name_scope": scoped(tf.name_scope(b"s")),
            "graph.name_scope": scoped(graph.name_scope(b"s")),
            "a default name": says("is not a string type", tf.name_scope, None, b"s"),
            "variable_scope": says(
                "name_or_scope must be a string or VariableScope",
                lambda: entered(tf.variable_scope(b"s")),
            ),
            "a device": says("", lambda: entered(tf.device(b"/cpu:0"))),
            "shared_name": tf.FIFOQueue(1, tf.int32, shared_name=b"q").queue_ref.op.get_attr(
                "shared_name"
            ),
            "container": contained(),
            "collections": [
                tf.get_collection(b"bytes"),
                tf.get_collection("bytes"),
                tf.get_collection("both"),
                tf.get_collection(b"both"),
            ],
            "import": tf.import_graph_def(
                tf.GraphDef(node=[node]), name=b"i", return_elements=[b"n"]
            )[0].name,
            "input_map": mapped(),
        }
