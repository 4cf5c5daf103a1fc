"""Damaged GraphDefs and MetaGraphs: a clear error, and the graph as it was; or a graph."""

import random

import pytest
from google.protobuf.message import DecodeError

import tinytf as tf
from tinytf.framework import registry


def state(graph):
    return (
        [op.name for op in graph.get_operations()],
        dict(graph._names_in_use),
        {key: list(items) for key, items in graph._collections.items()},
        set(graph._functions),
    )


def model():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    v = tf.get_variable("v", [3], initializer=tf.ones_initializer())

    def body(i, a):
        return i + 1, tf.cond(i > 1, lambda: a * v, lambda: a + 1.0)

    y = tf.while_loop(lambda i, a: i < 3, body, [0, x])[1]
    tf.add_to_collection("outs", y)
    tf.split(y, 3, axis=1)
    tf.strings.format("{}", y)


@pytest.fixture(scope="module")
def whole():
    with tf.Graph().as_default():
        model()
        return tf.train.export_meta_graph()


def attribute(chance):
    """An attribute that has nothing to do with where it will stand."""
    value = tf.AttrValue()
    kind = chance.choice(["i", "type", "s", "shape", "tensor", "types", "texts", "f", "func"])
    if kind == "i":
        value.i = chance.choice([-1, 0, 1, 2**62, -(2**63)])
    elif kind == "type":
        value.type = chance.choice([0, 1, 3, 7, 9, 20, 101, 103, 999])
    elif kind == "s":
        value.s = chance.choice([b"", b"\xff", b"x"])
    elif kind == "shape":
        value.shape.dim.add(size=chance.choice([-1, -5, 0, 2**40]))
    elif kind == "tensor":
        value.tensor.dtype = chance.choice([1, 3, 7, 99])
        value.tensor.tensor_shape.dim.add(size=chance.choice([-1, 3, 2**50]))
        value.tensor.tensor_content = b"abc"
    elif kind == "types":
        value.list.type.append(chance.choice([0, 1, 3, 200]))
    elif kind == "texts":
        value.list.s.append(b"loc:@nothing")
    elif kind == "f":
        value.f = float("nan")
    else:
        value.func.name = "f"
    return value


def damage(graph_def, chance):
    """Change one thing."""
    node = chance.choice(graph_def.node)
    names = [other.name for other in graph_def.node]
    attrs = list(node.attr)
    what = chance.randrange(8)
    if what == 0 and attrs:
        node.attr[chance.choice(attrs)].CopyFrom(attribute(chance))
    elif what == 1 and attrs:
        del node.attr[chance.choice(attrs)]
    elif what == 2:
        node.op = chance.choice(list(registry.op_defs))
    elif what == 3 and node.input:
        place = chance.randrange(len(node.input))
        node.input[place] = chance.choice(names) + chance.choice(["", ":0", ":1", ":99"])
    elif what == 4:
        node.name = chance.choice([*names, "/", "a/", "é", "xxx"])
    elif what == 5:
        node.input.append(chance.choice(["^x", "x:0", "^nothing"]))
    elif what == 6:
        key = chance.choice(["_class", "_output_shapes", "dtype", "T", "shape", "value"])
        node.attr[key].CopyFrom(attribute(chance))
    else:
        node.device = chance.choice(["/gpu:x", "cpu", "/job:a/task:-1", "/device:CPU:*"])


def test_a_number_of_outputs_that_nobody_has():
    graph_def = tf.GraphDef()
    with tf.Graph().as_default() as graph:
        tf.unstack(tf.placeholder(tf.float32, [2], name="x"), name="y")
        graph_def.CopyFrom(graph.as_graph_def())
    graph_def.node[1].attr["num"].i = 2**31
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Number of outputs is too big"):
        tf.import_graph_def(graph_def)


def test_a_rank_that_nobody_has():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="too many dimensions"):
        tf.fill(tf.placeholder(tf.int32, [2**29]), 1)


@pytest.mark.parametrize("seed", range(12))
def test_damaged_nodes(whole, seed):
    chance = random.Random(seed)
    for _ in range(8):
        meta = tf.MetaGraphDef.FromString(whole.SerializeToString())
        for _ in range(chance.choice([1, 1, 2, 3])):
            damage(meta.graph_def, chance)
        for load in (
            lambda meta=meta: tf.import_graph_def(meta.graph_def, name=""),
            lambda meta=meta: tf.train.import_meta_graph(meta),
        ):
            expect_all_or_nothing(load)


def test_a_collection_of_a_tensor_that_is_not_there(whole):
    meta = tf.MetaGraphDef.FromString(whole.SerializeToString())
    meta.collection_def["outs"].node_list.value[0] = "qhile/Exit_1:0"
    with tf.Graph().as_default(), pytest.raises(ValueError, match="'outs' names what the graph"):
        tf.train.import_meta_graph(meta)


@pytest.mark.parametrize("seed", range(12))
def test_damaged_bytes(whole, seed):
    chance = random.Random(seed)
    for _ in range(8):
        content = bytearray(whole.SerializeToString())
        content[chance.randrange(len(content))] = chance.randrange(256)
        try:
            meta = tf.MetaGraphDef.FromString(bytes(content))
        except DecodeError:
            continue
        expect_all_or_nothing(lambda meta=meta: tf.train.import_meta_graph(meta))


def expect_all_or_nothing(load):
    with tf.Graph().as_default() as graph:
        tf.constant(1, name="x")
        before = state(graph)
        try:
            load()
        except (ValueError, tf.errors.NotFoundError):
            assert state(graph) == before
