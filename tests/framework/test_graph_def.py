"""Graphs out and in: what is exported comes back; what is malformed changes nothing."""

import re

import numpy as np
import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tests.effort import examples
from tests.framework.temporary_ops import temporary_op
from tinytf.framework import tensor_value
from tinytf.framework.graph_import import add_nodes
from tinytf.protos import graph_pb2


@st.composite
def graphs(draw):
    """A random graph: constants, identities, packs; names, devices, control edges, groups."""
    graph = tf.Graph()
    with graph.as_default():
        tensors = [tf.constant(draw(st.floats(-9, 9, width=32)), name="start")]
        for _ in range(draw(st.integers(0, 8))):
            picked = draw(st.lists(st.sampled_from(tensors), min_size=1, max_size=3))
            scope = draw(st.sampled_from(["a", "b", "a/b", ""]))
            device = draw(st.sampled_from([None, "/cpu:0", "/job:ps/task:1"]))
            controls = draw(st.lists(st.sampled_from(tensors), max_size=2))
            with tf.name_scope(scope), tf.device(device), tf.control_dependencies(controls):
                kind = draw(st.sampled_from(["identity", "constant", "group", "placeholder"]))
                if kind == "identity":
                    with graph.colocate_with(picked[0].op):
                        tensors.append(tf.identity(picked[0]))
                elif kind == "constant":
                    tensors.append(tf.constant(draw(st.lists(st.integers(0, 3))), tf.float32))
                elif kind == "placeholder":
                    tensors.append(tf.placeholder(tf.float32, [None, 2]))
                else:
                    tf.group(*picked)
    return graph


def nodes(graph):
    return [op.node_def for op in graph.get_operations()]


@given(graphs())
def test_a_graph_comes_back(graph):
    exported = graph.as_graph_def()
    exported = graph_pb2.GraphDef.FromString(exported.SerializeToString())
    with tf.Graph().as_default() as again:
        tf.import_graph_def(exported, name="")
    assert nodes(again) == nodes(graph)
    assert [str(t) for o in again.get_operations() for t in o.outputs] == [
        str(t) for o in graph.get_operations() for t in o.outputs
    ]


@given(graphs(), st.randoms())
def test_the_order_of_nodes_does_not_matter(graph, random):
    exported = graph.as_graph_def()
    shuffled = list(exported.node)
    random.shuffle(shuffled)
    with tf.Graph().as_default() as again:
        tf.import_graph_def(graph_pb2.GraphDef(node=shuffled), name="p")
    assert {op.name for op in again.get_operations()} == {
        f"p/{op.name}" for op in graph.get_operations()
    }
    for op in again.get_operations():
        original = graph.get_operation_by_name(op.name.removeprefix("p/"))
        assert [t.name for t in op.inputs] == [f"p/{t.name}" for t in original.inputs]


def facts(graph):
    return (
        [str(op.node_def) for op in graph.get_operations()],
        dict(graph._names_in_use),
        [[c.name for c in t.consumers()] for o in graph.get_operations() for t in o.outputs],
        graph.version,
        graph.get_name_scope(),
    )


DAMAGES = ["drop", "twice", "rename", "op", "input", "output", "attr", "kind", "cut", "control"]


def damage(exported, index, how):
    node = exported.node[index % len(exported.node)]
    if how == "drop":
        exported.node.remove(node)
    elif how == "twice":
        exported.node.add().CopyFrom(node)
    elif how == "rename":
        node.name = "no name"
    elif how == "op":
        node.op = "Pack"
    elif how == "input":
        node.input.append("start")
    elif how == "output":
        node.input.insert(0, "start:7")
    elif how == "attr":
        node.attr.clear()
    elif how == "kind":
        for value in node.attr.values():
            value.f = 1.5
    elif how == "cut":
        del node.input[:]
    else:
        node.input.append(f"^{exported.node[-1].name}")


@given(graphs(), st.lists(st.tuples(st.integers(0, 9), st.sampled_from(DAMAGES)), max_size=2))
@examples(200)
def test_a_damaged_graph_is_imported_whole_or_changes_nothing(graph, damages):
    exported = graph.as_graph_def()
    for index, how in damages:
        if exported.node:
            damage(exported, index, how)
    with tf.Graph().as_default() as target:
        tf.constant(1.0, name="start")
        tf.constant(1.0, name="import")
        before = facts(target)
        try:
            tf.import_graph_def(exported)
        except (ValueError, tf.errors.NotFoundError):
            assert facts(target) == before
        else:
            assert len(target.get_operations()) == len(exported.node) + 2


def test_an_import_that_fails_late_frees_its_names():
    """Shapes are only found to be wrong when other nodes have been added."""
    with tf.Graph().as_default() as source:
        tf.stack([tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2])], name="s")
    exported = source.as_graph_def()
    exported.node[1].attr["shape"].shape.dim[0].size = 3
    with tf.Graph().as_default() as target, target.name_scope("outer"):
        c = tf.constant(1.0)
        with tf.control_dependencies([c]) as _, pytest.raises(ValueError, match="Node 's'"):
            tf.import_graph_def(exported, {"Placeholder:0": [1.0, 2.0]})
        assert [op.name for op in target.get_operations()] == ["outer/Const"]
        assert target.unique_name("import") == "outer/import"
        assert c.consumers() == []


def test_sessions_on_a_server_add_to_their_graph():
    with tf.Graph().as_default() as source:
        x = tf.constant(1.0, name="x")
        first = source.as_graph_def()
        version = source.version
        tf.identity(x, name="y")
        second = source.as_graph_def(from_version=version)
    target = tf.Graph()
    add_nodes(target, first)
    with pytest.raises(ValueError, match="Node 'x': Duplicate node name in graph: 'x'"):
        add_nodes(target, first)
    add_nodes(target, second)
    assert [op.name for op in target.get_operations()] == ["x", "y"]
    assert target.get_tensor_by_name("y:0").op.inputs[0].op.name == "x"


def test_plain_numbers_may_stand_for_inputs():
    with tf.Graph().as_default() as source:
        tf.identity(tf.placeholder(tf.float32, name="x"), name="y")
    with tf.Graph().as_default(), tf.Session() as sess:
        (y,) = tf.import_graph_def(source.as_graph_def(), {"x": 2.5}, ["y:0"])
        assert sess.run(y) == np.float32(2.5)


def test_text_format_has_tensorflows_field_names():
    with tf.Graph().as_default() as graph:
        tf.identity(tf.constant([1, 2], name="c"), name="i")
    text = text_format.MessageToString(graph.as_graph_def())
    assert re.search(r'node \{\s+name: "i"\s+op: "Identity"\s+input: "c"', text)
    parsed = text_format.Parse(text, graph_pb2.GraphDef())
    assert parsed == graph.as_graph_def()


def test_shapes_are_exported_on_request():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, name="x")
        x.set_shape([None, 2])
    node = graph.as_graph_def(add_shapes=True).node[0]
    assert [d.size for d in node.attr["_output_shapes"].list.shape[0].dim] == [-1, 2]
    with tf.Graph().as_default() as again:
        tf.import_graph_def(graph.as_graph_def(add_shapes=True), name="")
    assert again.get_tensor_by_name("x:0").shape.as_list() == [None, 2]
    assert "_output_shapes" not in again.get_operation_by_name("x").node_def.attr


def test_imported_nodes_know_the_line_that_imported_them():
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="c")
    with tf.Graph().as_default() as again:
        tf.import_graph_def(graph.as_graph_def())  # this very line
    line = again.get_operation_by_name("import/c").traceback[0]
    assert "this very line" in line.text


def test_quantized_constants_keep_their_type():
    with tf.Graph().as_default() as graph:
        tf.constant(3, tf.qint8, name="c")
    node = graph.as_graph_def().node[0]
    assert node.attr["value"].tensor.dtype == tf.qint8.as_datatype_enum
    with tf.Graph().as_default() as again:
        tf.import_graph_def(graph.as_graph_def(), name="")
    assert nodes(again) == nodes(graph)


def test_the_value_of_a_constant_has_the_type_it_says():
    with tf.Graph().as_default() as graph:
        tf.constant(3, name="c")
    exported = graph.as_graph_def()
    exported.node[0].attr["dtype"].type = 1
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"Node 'c'.*int32.*float32"):
        tf.import_graph_def(exported)


def test_unknown_ops_come_with_suggestions():
    with pytest.raises(tf.errors.NotFoundError, match="Did you mean 'Identity'"):
        tf.Graph().create_op("Identty", [], [])


def test_a_graph_with_another_threads_nodes_keeps_them():
    """An import that fails takes back its own nodes only: it has held the lock."""
    target = tf.Graph()
    with temporary_op("TestFails", "-> y: float") as card:

        @card.shape
        def _(c):
            raise ValueError("no shape today")

        exported = graph_pb2.GraphDef()
        exported.node.add(name="fails", op="TestFails")
        with target.as_default():
            kept = tf.constant(1.0)
            with pytest.raises(ValueError, match="no shape today"):
                tf.import_graph_def(exported)
    assert target.get_operations() == [kept.op]


def test_what_no_message_can_hold_is_said(monkeypatch):
    monkeypatch.setattr(tensor_value, "MAX_BYTES", 1000)  # for 2 GB
    with tf.Graph().as_default() as graph, tf.Session() as session:
        with pytest.raises(ValueError, match=r"larger than 2GB: shape \(250,\), float32, 1,000 by"):
            tf.constant(np.zeros(250, np.float32))
        tf.constant(np.zeros(100, np.float32), name="a")
        graph.as_graph_def()
        b = tf.constant(np.zeros(150, np.float32), name="b")
        assert session.run(b).shape == (150,)  # here it needs no message
        with pytest.raises(ValueError, match=r"cannot be larger than 2GB.* are b \(600 bytes\), a"):
            graph.as_graph_def()
