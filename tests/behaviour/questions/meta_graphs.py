"""MetaGraphs: what is written, what comes back, scopes, and files that are none."""

import os
import tempfile

from tests.behaviour.asking import question, says


def kinds(meta_graph):
    return {
        key: meta_graph.collection_def[key].WhichOneof("kind")
        for key in sorted(meta_graph.collection_def)
    }


def nodes(graph):
    return [
        [op.name, op.device, [t.name for t in op.inputs], [c.name for c in op.control_inputs]]
        for op in graph.get_operations()
    ]


def definition(graph_def):
    return [[node.name, node.op, node.device, list(node.input)] for node in graph_def.node]


def model(tf):
    """A graph with a bit of everything."""
    x = tf.placeholder(tf.float32, [], name="x")
    with tf.variable_scope("a"), tf.device("/job:ps/task:1"):
        v = tf.get_variable("v", [], initializer=tf.ones_initializer(), use_resource=False)
    with tf.name_scope("a/"):
        y = tf.while_loop(
            lambda i, t: i < 3,
            lambda i, t: (i + 1, tf.cond(t > 9.0, lambda: t, lambda: t * v)),
            [0, x],
        )[1]
        y = tf.identity(y, name="y")
    return x, v, y


@question
def what_is_written(tf):
    _x, _v, y = model(tf)
    for key, value in {"outs": y, "ops": y.op, "ints": 3, "texts": "t", "floats": 1.5}.items():
        tf.add_to_collection(key, value)
    tf.add_to_collection("bytes", b"b")
    tf.add_to_collection(("a", "tuple"), 3)
    meta = tf.train.export_meta_graph()
    return {
        "kinds": kinds(meta),
        "values": [meta.collection_def[key] for key in ("outs", "ops", "ints", "texts", "bytes")],
        "ops": [op.name for op in meta.meta_info_def.stripped_op_list.op],
        "version": meta.meta_info_def.tensorflow_version,
        "versions": meta.graph_def.versions,
        "shapes": meta.graph_def.node[0].attr["_output_shapes"],
        "chosen": kinds(tf.train.export_meta_graph(collection_list=["outs", "nothing"])),
        "saver": tf.train.export_meta_graph(saver_def=tf.train.SaverDef(max_to_keep=3)).saver_def,
    }


@question
def stripped_attributes(tf):
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    tf.matmul(x, x, name="plain")
    tf.matmul(x, x, transpose_a=True, name="turned")
    meta = tf.train.export_meta_graph(strip_default_attrs=True)
    return {
        "attributes": [[node.name, sorted(node.attr)] for node in meta.graph_def.node],
        "said": meta.meta_info_def.stripped_default_attrs,
        "imported": says_nothing(tf, meta),
    }


def says_nothing(tf, meta):
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(meta)
        return graph.get_operation_by_name("plain").get_attr("transpose_a")


@question
def devices(tf):
    model(tf)
    plain, cleared = (tf.train.export_meta_graph(clear_devices=c) for c in (False, True))

    def used(graph_def):
        return sorted({node.device for node in graph_def.node})

    kept = used(plain.graph_def)  # TensorFlow's import takes them out of the message itself
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(plain, clear_devices=True)
        imported = sorted({op.device for op in graph.get_operations() if "save" not in op.name})
    return {"kept": kept, "cleared": used(cleared.graph_def), "import": imported}


@question
def what_comes_back(tf):
    x, v, _ = model(tf)
    tf.add_to_collection("outs", x)
    tf.add_to_collection("texts", "t")
    meta = tf.train.export_meta_graph()
    answers = {}
    for scope in (None, "s", "s/t"):
        with tf.Graph().as_default() as graph:
            tf.train.import_meta_graph(meta, import_scope=scope)
            [back] = tf.global_variables()
            answers[str(scope)] = [
                back.name,
                back.initializer.name,
                back.value().name,
                back.trainable,
                tf.trainable_variables()[0] is back,
                tf.get_collection("outs"),
                tf.get_collection("texts"),
                sorted(graph.get_all_collection_keys()),
                [context.name for context in tf.get_collection("while_context")],
                [op.name for op in graph.get_operations()][:4],
            ]
    return {**answers, "name": v.name}


@question
def gradients_of_what_comes_back(tf):
    x, v, y = model(tf)
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(meta, clear_devices=True, import_scope="s")
        x, y = (graph.get_tensor_by_name(f"s/{name}:0") for name in ("x", "a/y"))
        [v] = tf.trainable_variables()
        slopes = tf.gradients(y, [x, v])
        with tf.Session() as session:
            session.run(v.initializer)
            return {"values": session.run([y, *slopes], {x: 2.0})}


@question
def an_exported_scope(tf):
    x = tf.placeholder(tf.float32, [], name="x")
    with tf.variable_scope("a"):
        v = tf.get_variable("v", [], initializer=tf.ones_initializer(), use_resource=False)
        total = tf.add(v, x, name="total")
        with tf.control_dependencies([x]):
            tf.identity(total, name="last")
    tf.get_variable("elsewhere", [], use_resource=False)
    meta = tf.train.export_meta_graph(export_scope="a")
    answers = {
        "nodes": definition(meta.graph_def),
        "unbound": meta.collection_def["unbound_inputs"],
        "groups": [node.attr["_class"] for node in meta.graph_def.node if "_class" in node.attr],
        "variables": len(meta.collection_def["variables"].bytes_list.value),
    }
    with tf.Graph().as_default() as graph:
        answers["not given"] = says(
            "Graph contains unbound inputs: $unbound_inputs_x",
            tf.train.import_meta_graph,
            meta,
            import_scope="b",
        )
        answers["left behind"] = len(graph.get_operations())
        y = tf.placeholder(tf.float32, [], name="y")
        names = [n.decode() for n in meta.collection_def["unbound_inputs"].bytes_list.value]
        mapped = {name: y for name in names if not name.startswith("^")}
        answers["a control input"] = says(
            "Unknown input node '^$unbound_inputs_x'",
            tf.train.import_meta_graph,
            meta,
            import_scope="b",
            input_map=mapped,
        )
        answers["before"] = nodes(graph)
    return answers


@question
def an_exported_scope_that_is_complete(tf):
    with tf.variable_scope("a"):
        v = tf.get_variable("v", [], initializer=tf.ones_initializer(), use_resource=False)
        tf.while_loop(lambda i: i < 3.0, lambda i: i * 2.0 + v, [1.0], name="loop")
    meta = tf.train.export_meta_graph(export_scope="a")
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(meta, import_scope="b")
        frames = {op.get_attr("frame_name") for op in graph.get_operations() if op.type == "Enter"}
        return {
            "kinds": kinds(meta),
            "first": definition(meta.graph_def)[:6],
            "frames": sorted(frames),
            "variables": [variable.name for variable in tf.global_variables()],
            "nodes": nodes(graph)[:6],
        }


@question
def files(tf):
    tf.constant(1, name="c")
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "new", "graph.meta")
    text = os.path.join(folder, "graph.txt")
    tf.train.export_meta_graph(path)
    tf.train.export_meta_graph(text, as_text=True)
    garbage = os.path.join(folder, "garbage")
    with open(garbage, "wb") as file:
        file.write(b"garbage")

    def back(name):
        with tf.Graph().as_default() as graph:
            saver = tf.train.import_meta_graph(name)
            return [saver, [op.name for op in graph.get_operations()]]

    with open(text) as file:
        first = file.readline()
    return {
        "files": [sorted(os.listdir(folder)), os.listdir(os.path.dirname(path))],
        "text": first,
        "binary file": back(path),
        "text file": back(text),
        "no file": says("File does not exist", tf.train.import_meta_graph, folder + "/nothing"),
        "garbage": says("Cannot parse file", tf.train.import_meta_graph, garbage),
    }


@question
def wrong_arguments(tf):
    return {
        "saver": says(
            "saver_def must be of type SaverDef", tf.train.export_meta_graph, saver_def=3
        ),
        "info": says(
            "meta_info_def must be of type MetaInfoDef", tf.train.export_meta_graph, meta_info_def=3
        ),
    }


@question
def malformed(tf):
    model(tf)
    good = tf.train.export_meta_graph()

    def changed(change):
        meta = tf.MetaGraphDef.FromString(good.SerializeToString())
        change(meta)
        return meta

    def refused(phrase, meta):
        with tf.Graph().as_default():
            return says(phrase, tf.train.import_meta_graph, meta)

    def lose_a_node(meta):
        del meta.graph_def.node[0]

    def unknown_op(meta):
        meta.graph_def.node[0].op = "Tomato"

    return {
        "a node is missing": refused("Unknown input node 'x'", changed(lose_a_node)),
        "an op is unknown": refused("Op type not registered 'Tomato'", changed(unknown_op)),
    }
