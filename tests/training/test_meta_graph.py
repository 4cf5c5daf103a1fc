"""MetaGraphs: all or nothing, and what cannot be written or read. Much is in tests/behaviour."""

import functools

import pytest
from google.protobuf import text_format

import tinytf as tf
from tinytf.protos import meta_graph_pb2
from tinytf.training.meta_graph_import import import_scoped_meta_graph


def state(graph):
    """What an import may change."""
    return (
        [op.name for op in graph.get_operations()],
        dict(graph._names_in_use),
        {key: list(items) for key, items in graph._collections.items()},
    )


def model():
    v = tf.get_variable("v", [], initializer=tf.ones_initializer())
    y = tf.while_loop(lambda i: i < 3.0, lambda i: i + v, [0.0])
    tf.add_to_collection("outs", y)
    return v, y


def exported():
    with tf.Graph().as_default():
        model()
        return tf.train.export_meta_graph()


def no_item(meta):
    meta.collection_def["variables"].bytes_list.value[0] = b"\xff\xff"


def unknown_node(meta):
    meta.collection_def["outs"].node_list.value.append("nothing:0")


def unknown_variable(meta):
    variable = meta_graph_pb2.VariableDef(variable_name="w:0", initializer_name="w/Assign")
    meta.collection_def["variables"].bytes_list.value.append(variable.SerializeToString())


def unknown_loop(meta):
    values = meta.collection_def["while_context"].bytes_list.value
    loop = meta_graph_pb2.WhileContextDef.FromString(values[0])
    loop.pivot_name = "nothing:0"
    values[0] = loop.SerializeToString()


def malformed_name(meta):
    values = meta.collection_def["while_context"].bytes_list.value
    loop = meta_graph_pb2.WhileContextDef.FromString(values[0])
    loop.loop_exit_names[0] = "while/Exit"
    values[0] = loop.SerializeToString()


MALFORMED = {
    no_item: "An item of the collection 'variables' is not a VariableDef",
    unknown_node: "nothing:0' refers to a Tensor which does not exist",
    unknown_variable: "A VariableDef of the collection 'variables' names what the graph does not",
    unknown_loop: "A WhileContextDef of the collection 'while_context' names what the graph",
    malformed_name: "while/Exit' refers to an Operation, not a Tensor",
}


@pytest.mark.parametrize("damage", MALFORMED)
@pytest.mark.parametrize("scope", [None, "s"])
def test_a_malformed_meta_graph_changes_nothing(damage, scope):
    meta = exported()
    damage(meta)
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="before")
        tf.add_to_collection("outs", 7)
        before = state(graph)
        with pytest.raises((ValueError, KeyError), match=MALFORMED[damage]):
            tf.train.import_meta_graph(meta, import_scope=scope)
        assert state(graph) == before
        assert tf.constant(1, name="while").name == "while:0"


def facts(meta):
    """A MetaGraph in a form that can be compared: maps and imported nodes have no fixed order."""
    loops = meta.collection_def["while_context"].bytes_list.value
    return {
        "nodes": {node.name: node for node in meta.graph_def.node},
        "loops": list(map(meta_graph_pb2.WhileContextDef.FromString, loops)),
        "info": meta.meta_info_def,
        "rest": {k: v for k, v in meta.collection_def.items() if k != "while_context"},
    }


def test_a_graph_is_exported_imported_and_exported_again():
    meta = exported()
    with tf.Graph().as_default():
        import_scoped_meta_graph(meta)  # the other way adds a saver
        assert facts(tf.train.export_meta_graph()) == facts(meta)


def test_an_import_can_be_built_upon_and_trained():
    with tf.Graph().as_default():
        tf.train.import_meta_graph(exported(), import_scope="s")
        [y] = tf.get_collection("outs")
        train = tf.train.GradientDescentOptimizer(0.1).minimize(y)
        [v] = tf.trainable_variables()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            assert session.run(v) == pytest.approx(0.7)


def test_one_variable_is_one_object_in_all_collections():
    with tf.Graph().as_default():
        tf.train.import_meta_graph(exported())
        assert tf.global_variables()[0] is tf.trainable_variables()[0]


def test_a_graph_with_variables_comes_with_a_saver(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(exported())
        session.run(tf.global_variables_initializer())
        path = saver.save(session, tmp_path / "model")
    assert tf.train.load_variable(path, "v") == 1.0
    with tf.Graph().as_default():
        tf.constant(1)
        assert tf.train.import_meta_graph(tf.train.export_meta_graph()) is None


def test_a_collection_that_cannot_be_written_is_left_out_with_a_warning(caplog):
    with tf.Graph().as_default():
        tf.add_to_collection("strange", object())
        tf.add_to_collection("mixed", 1)
        tf.add_to_collection("mixed", "text")
        meta = tf.train.export_meta_graph()
    assert list(meta.collection_def) == []
    assert "The collection 'strange' is left out of the MetaGraphDef" in caplog.text
    assert "The collection 'mixed' is left out" in caplog.text


def test_only_some_collections():
    from tinytf.training.meta_graph_import import import_scoped_meta_graph

    with tf.Graph().as_default():
        variables, elements = import_scoped_meta_graph(
            exported(),
            import_scope="s",
            return_elements=["v:0"],
            restore_collections_predicate=lambda key: key == "variables",
        )
        assert list(variables) == ["v:0"]
        assert elements[0].name == "s/v:0"
        assert tf.trainable_variables() == []


def test_nodes_of_other_savers_can_be_left_out():
    saver = tf.train.SaverDef(save_tensor_name="save/control:0", restore_op_name="save/all")
    nodes = {"save/SaveV2": "SaveV2", "save_1/SaveV2": "SaveV2", "save_1/x": "NoOp", "x": "NoOp"}
    graph_def = tf.GraphDef()
    for name, op in nodes.items():
        graph_def.node.add(name=name, op=op)
    meta = tf.train.export_meta_graph(
        graph_def=graph_def, saver_def=saver, clear_extraneous_savers=True, collection_list=[]
    )
    assert [node.name for node in meta.graph_def.node] == ["save/SaveV2", "x"]


def test_files_that_are_none(tmp_path):
    path = tmp_path / "garbage"
    path.write_bytes(b"\xff\xfe\x00garbage")
    with tf.Graph().as_default() as graph:
        with pytest.raises(OSError, match=r"Cannot parse file .*garbage"):
            tf.train.import_meta_graph(path)
        with pytest.raises(TypeError, match="Expected a MetaGraphDef or the path of a file, got 3"):
            tf.train.import_meta_graph(3)
        assert graph.get_operations() == []


def test_a_failed_export_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "graph.meta"
    with tf.Graph().as_default():
        tf.constant(1, name="old")
        tf.train.export_meta_graph(path)
        before = path.read_bytes()
        tf.constant(2, name="new")
        monkeypatch.setattr("os.replace", lambda *paths: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(tf.errors.ResourceExhaustedError):
            tf.train.export_meta_graph(path)
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["graph.meta"]


def test_a_frozen_graph_needs_initialised_variables():
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
        tf.multiply(v, 2.0, name="y")
        with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError):
            tf.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])


def test_a_node_behind_a_check_keeps_its_input():
    checked = tf.NodeDef(name="c", op="CheckNumerics", input=["x"])
    after = tf.NodeDef(name="y", op="Neg", input=["c"])
    graph_def = tf.GraphDef(node=[tf.NodeDef(name="x", op="Placeholder"), checked, after])
    stripped = tf.graph_util.remove_training_nodes(graph_def)
    assert [(node.name, list(node.input)) for node in stripped.node] == [("x", []), ("y", ["x"])]


def test_only_messages_and_graphs_are_written(tmp_path):
    with pytest.raises(TypeError, match="Expected a Graph or a GraphDef to write, got 3"):
        tf.train.write_graph(3, tmp_path, "graph.pb")
    assert list(tmp_path.iterdir()) == []


def test_a_graph_as_text_is_what_protobuf_writes(tmp_path):
    with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
        half = tf.constant([0.5, 1.5])
        tf.add_n([half, tf.identity(half)], name="sum")
        tf.Print(tf.constant('quo"ted \n \u00e9'), [half])
    tf.train.write_graph(graph, tmp_path, "graph.pbtxt")
    expected = text_format.MessageToString(graph.as_graph_def())
    assert (tmp_path / "graph.pbtxt").read_text() == expected


def test_an_exported_graph_is_of_this_moment():
    graph = tf.Graph()
    exported = functools.partial(tf.train.export_meta_graph, graph=graph)
    with graph.as_default():
        x = tf.placeholder(tf.float32)
        for change in (
            lambda: None,
            lambda: x.set_shape([2]),
            lambda: tf.control_dependencies([x]),
            lambda: x.op._set_attr("note", b"new"),
            lambda: x.op._set_attr("note", b"newer"),
            lambda: tf.negative(x),
        ):
            change()
            assert exported().graph_def == graph.as_graph_def(add_shapes=True)
    exported().graph_def.node[0].name = "mine"
    assert exported().graph_def == graph.as_graph_def(add_shapes=True)
