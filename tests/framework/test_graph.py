"""Graphs beyond what the questions of tests/behaviour ask: call sites, threads, registries."""

import pickle  # noqa: TID251 - what is tested: errors and types cross processes
import re
import sys
import threading

import numpy as np
import pytest

import tinytf as tf
from tests.framework.temporary_ops import temporary_op
from tinytf.framework import attr_value, registry
from tinytf.framework.op_def import make_op_def
from tinytf.protos import node_def_pb2


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


# Where an operation was built ---------------------------------------------------------------------


def built_by_a_helper(name):
    return tf.identity(tf.constant(1.0), name=name)  # the helper's line


def test_an_operation_knows_the_line_that_built_it():
    op = built_by_a_helper("x").op  # the caller's line
    inner, outer = op.traceback[:2]
    assert inner.file == outer.file == __file__
    assert (inner.function, outer.function) == (
        "built_by_a_helper",
        "test_an_operation_knows_the_line_that_built_it",
    )
    assert inner.text.endswith("# the helper's line")
    assert outer.text.endswith("# the caller's line")
    assert str(inner).startswith(f'File "{__file__}", line {inner.line}, in built_by_a_helper')


def test_constants_made_on_the_way_have_the_users_line():
    stacked = tf.stack([1.0, tf.constant(2.0)])  # one line builds several nodes
    for op in stacked.graph.get_operations():
        assert op.traceback[0].text.endswith("# one line builds several nodes")
        assert f"{op.name} ({op.type}) was built at:" in op.describe_origin()


def test_code_without_a_file_has_a_line_number():
    namespace = {"tf": tf}
    exec(compile("\n\nx = tf.constant(1.0)\n", "<cell>", "exec"), namespace)  # noqa: S102
    line = namespace["x"].op.traceback[0]
    assert (line.file, line.line, line.function, line.text) == ("<cell>", 3, "<module>", "")


def test_both_lines_are_shown_when_graphs_are_mixed(graph):
    a = tf.constant(1.0, name="a")  # a is from here
    with tf.Graph().as_default():
        b = tf.constant(2.0, name="b")  # b is from there
    with pytest.raises(ValueError, match="must be from the same graph as") as caught:
        tf.stack([a, b])
    assert "# a is from here" in str(caught.value)
    assert "# b is from there" in str(caught.value)


# A failure leaves nothing -------------------------------------------------------------------------


def test_an_operation_that_cannot_be_built_leaves_nothing_behind(graph):
    a, b = tf.placeholder(tf.float32, [2], name="a"), tf.placeholder(tf.float32, [3], name="b")
    with pytest.raises(ValueError, match=r"'{{node s(_1)?}} = Pack"):
        tf.stack([a, b], name="s")
    assert [op.name for op in graph.get_operations()] == ["a", "b"]
    assert a.consumers() == b.consumers() == []


def test_finalized_graphs_refuse_changes_of_nodes(graph):
    op = tf.no_op()
    graph.finalize()
    for change in (
        lambda: op._set_attr("_a", b"b"),
        lambda: op._set_device("/cpu:0"),
        lambda: op._add_control_input(op),
        lambda: graph.add_to_collection("c", 1),
        lambda: graph.clear_collection("c"),
    ):
        with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
            change()
    assert "_a" not in op.attrs
    assert op.device == ""
    assert op.control_inputs == []


# Threads ------------------------------------------------------------------------------------------


def test_threads_build_in_one_graph_without_losing_names(graph):
    def build():
        with graph.as_default():
            for _ in range(200):
                tf.constant(1.0, name="c")

    threads = [threading.Thread(target=build) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = {op.name for op in graph.get_operations()}
    assert len(names) == 800
    assert names == {"c", *(f"c_{i}" for i in range(1, 800))}


def test_a_new_thread_starts_with_the_global_graph(graph):
    seen = []
    thread = threading.Thread(target=lambda: seen.append(tf.constant(1).graph is graph))
    thread.start()
    thread.join()
    assert seen == [False]
    assert graph.get_operations() == []


# Registries ---------------------------------------------------------------------------------------


def test_an_op_type_can_be_registered_once():
    with temporary_op("TestOnce") as card:
        with pytest.raises(KeyError, match="Registering two ops with name 'TestOnce'"):
            registry.op_defs.register("TestOnce", card.op_def)
        registry.op_defs.register("TestOnce", card.op_def, replace=True)
    assert "TestOnce" not in registry.op_defs


def test_near_names_are_suggested():
    with pytest.raises(tf.errors.NotFoundError, match="Did you mean 'Placeholder'"):
        registry.op_defs.lookup("Placholder")
    with pytest.raises(tf.errors.NotFoundError) as caught:
        registry.op_defs.lookup("Zqxwv")
    assert "Did you mean" not in str(caught.value)
    graph = tf.get_default_graph()
    tf.constant(1.0, name="weights")
    with pytest.raises(KeyError, match="Did you mean 'weights'"):
        graph.get_operation_by_name("wieghts")


@pytest.mark.parametrize(
    ("signature", "attrs", "phrase"),
    [
        ("x float", "", "cannot parse the argument 'x float'"),
        ("x: tomato", "", "'tomato' is neither a type nor an attribute"),
        ("", "n int", "cannot parse the attribute 'n int'"),
        ("", "n: int > 3", "cannot parse"),
        ("", "f: func = x", "a default of type func is not supported"),
    ],
)
def test_schemas_that_do_not_parse(signature, attrs, phrase):
    with pytest.raises(ValueError, match=f"In the schema of op Bad: .*{phrase}"):
        make_op_def("Bad", signature, attrs)


def test_sets_of_types_stand_inside_others():
    schema = make_op_def("Any", "x: T -> y: U", "T: {complextype, string}, U: floattype = DT_FLOAT")
    assert schema.attrs["T"].allowed == (tf.complex64, tf.complex128, tf.string)
    assert schema.attrs["U"].allowed == (tf.bfloat16, tf.float16, tf.float32, tf.float64)


# Attributes ---------------------------------------------------------------------------------------

VALUES = {
    "type": tf.int32,
    "int": -(2**62),
    "float": 1.5,
    "bool": True,
    "string": b"\xff\x00",
    "shape": tf.TensorShape([None, 2]),
    "list(type)": (tf.int32, tf.string),
    "list(int)": (1, 2),
    "list(float)": (0.5,),
    "list(bool)": (True, False),
    "list(string)": (b"a", b""),
    "list(shape)": (tf.TensorShape(None), tf.TensorShape([])),
    "list(func)": (),
}


@pytest.mark.parametrize("kind", VALUES)
def test_attributes_come_back(kind):
    proto = attr_value.to_proto(VALUES[kind])
    proto = node_def_pb2.AttrValue.FromString(proto.SerializeToString())
    back = attr_value.from_proto(proto, kind)
    assert back == VALUES[kind]
    assert type(back) is type(VALUES[kind])
    for other in VALUES:
        # An empty list does not tell what it is a list of; nothing else is taken for another.
        if other != kind and not (kind == "list(func)" and other.startswith("list(")):
            with pytest.raises(ValueError, match=re.escape(f"when '{other}' expected")):
                attr_value.from_proto(proto, other)


def test_tensors_in_attributes_are_read_only():
    proto = attr_value.to_proto(np.arange(3))
    array = attr_value.from_proto(proto, "tensor")
    assert array.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1


def test_attributes_are_checked_where_they_are_given(graph):
    with pytest.raises(TypeError, match="axis"):
        graph.create_op("Pack", [tf.constant(1)], attrs={"axis": "one"})
    with pytest.raises(ValueError, match="when 'type' expected"):
        graph.create_op("Placeholder", [], attrs={"dtype": tf.AttrValue(i=3)})
    with pytest.raises(TypeError, match="unexpected attribute 'tomato'"):
        graph.create_op("NoOp", [], attrs={"tomato": 3})
    assert [op.type for op in graph.get_operations()] == ["Const"]


# Across processes ---------------------------------------------------------------------------------


def test_types_shapes_and_errors_can_be_pickled():
    for value in (tf.float32, tf.as_dtype("int32_ref"), tf.TensorShape([None, 2])):
        again = pickle.loads(pickle.dumps(value))  # noqa: S301
        assert repr(again) == repr(value)
    assert pickle.loads(pickle.dumps(tf.float32)) is tf.float32  # noqa: S301
    error = tf.errors.NotFoundError(None, tf.no_op(), "gone")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(again), again.message, again.op) == (type(error), "gone", None)


def test_types_that_do_not_match_come_with_line_and_remedy():
    x = tf.constant(1)
    y = tf.constant(1.0)  # y is a float
    with pytest.raises(TypeError, match="does not match type int32 of argument 'x'") as caught:
        x + y
    assert "tf.cast(..., tf.float32)" in str(caught.value)
    assert "# y is a float" in str(caught.value)


def test_scopes_belong_to_the_thread_that_entered_them():
    graph = tf.Graph()
    inside, built = threading.Event(), []

    def elsewhere():
        inside.wait(20)
        with graph.as_default():
            built.append(tf.no_op(name="elsewhere"))

    other = threading.Thread(target=elsewhere)
    other.start()
    with graph.as_default(), tf.name_scope("scope"), tf.device("/cpu:0"):
        first = tf.no_op(name="first")
        with tf.control_dependencies([first]):
            inside.set()
            other.join()
            here = tf.no_op(name="here")
    assert (built[0].name, built[0].device, built[0].control_inputs) == ("elsewhere", "", [])
    assert (here.name, here.device) == ("scope/here", "/device:CPU:0")
    assert here.control_inputs == [first]


def test_threads_that_build_together_get_names_of_their_own():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # hand over within functions as well
    graph, wrong = tf.Graph(), []

    def build():
        try:
            with graph.as_default():
                for _ in range(200):
                    tf.no_op(name="same")
        except ValueError as error:
            wrong.append(error)

    threads = [threading.Thread(target=build) for _ in range(4)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []
    names = [op.name for op in graph.get_operations()]
    assert sorted(names) == sorted(["same", *(f"same_{i}" for i in range(1, 800))])


class TestNamesThatAreNearlyRight:
    @pytest.fixture
    def graph(self):
        with tf.Graph().as_default() as graph:
            with tf.name_scope("train"):
                tf.constant(1.0, name="loss")
            tf.split(tf.constant([1.0, 2.0]), 2, name="parts")
            tf.no_op(name="step")
            yield graph

    @pytest.mark.parametrize(
        ("name", "kind", "said", "meant"),
        [
            ("train/los:0", KeyError, "does not exist in the graph.", "'train/loss:0'"),
            ("loss:0", KeyError, "does not exist in the graph.", "'train/loss:0'"),
            ("loss", ValueError, "looks like an (invalid) Operation name", "'train/loss:0'"),
            ("train/loss", ValueError, "refers to an Operation, not a Tensor", "'train/loss:0'"),
            ("parts:5", KeyError, "exists but only has 2 outputs.", "'parts:1'"),
        ],
    )
    def test_of_a_tensor(self, graph, name, kind, said, meant):
        with pytest.raises(kind) as info:
            graph.get_tensor_by_name(name)
        assert f"{said}" in str(info.value)
        assert f"Did you mean {meant}?" in str(info.value)

    def test_of_an_operation(self, graph):
        for name, meant in (("train/los", "train/loss"), ("stepp", "step"), ("loss", "train/loss")):
            with pytest.raises(KeyError, match=f"not in the graph. Did you mean '{meant}'"):
                graph.get_operation_by_name(name)
        with pytest.raises(ValueError, match=r"refer to a Tensor, not a Operation.*mean 'step'"):
            graph.get_operation_by_name("step:0")
        with pytest.raises(KeyError, match=r"only has 0 outputs\. Did you mean 'step'"):
            graph.get_tensor_by_name("step:0")

    def test_in_a_step(self, graph):
        with tf.Session() as sess:
            with pytest.raises(ValueError, match=r"cannot be interpreted.*mean 'train/loss:0'"):
                sess.run("train/los:0")
            with pytest.raises(TypeError, match=r"feed_dict key as Tensor.*mean 'train/loss:0'"):
                sess.run("train/loss:0", {"los:0": 1.0, "loss:0": 1.0})
