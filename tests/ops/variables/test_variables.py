"""tf.Variable: both kinds, their members, and how they meet tensors and graphs."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework.errors import FailedPreconditionError
from tinytf.ops.variables.ref_variable import RefVariable
from tinytf.ops.variables.resource_variable import ResourceVariable
from tinytf.protos import meta_graph_pb2

KINDS = [False, True]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph
    tf.disable_resource_variables()


@pytest.fixture(params=KINDS, ids=["reference", "resource"])
def v(request):
    return tf.Variable([1.0, 2.0], name="v", use_resource=request.param)


def test_which_kind_is_made():
    assert isinstance(tf.Variable(1.0), RefVariable)
    assert isinstance(tf.Variable(1.0, use_resource=True), ResourceVariable)
    tf.enable_resource_variables()
    assert tf.resource_variables_enabled()
    assert isinstance(tf.Variable(1.0), ResourceVariable)
    assert isinstance(tf.Variable(1.0, use_resource=False), RefVariable)
    with tf.variable_scope("s", use_resource=False):
        assert isinstance(tf.Variable(1.0), RefVariable)
        assert isinstance(tf.get_variable("v", [2]), RefVariable)
    assert isinstance(tf.get_variable("v", [2]), ResourceVariable)


def test_members(v, graph):
    resource = isinstance(v, ResourceVariable)
    assert isinstance(v, tf.Variable)
    assert v.name == "v:0"
    assert v.op.name == "v"
    assert v.graph is graph
    assert v.device == ""
    assert v.shape.as_list() == v.get_shape().as_list() == [2]
    assert v.dtype == (tf.float32 if resource else tf.as_dtype("float32_ref"))
    assert v.dtype.base_dtype == tf.float32
    assert v.trainable
    assert v.constraint is None
    assert v.initializer.name == "v/Assign"
    assert v.initial_value.dtype == tf.float32
    suffix = "" if resource else "_ref"
    assert repr(v) == f"<tf.Variable 'v:0' shape=(2,) dtype=float32{suffix}>"


def test_a_session_runs_it(v):
    with tf.Session() as session:
        v.initializer.run()
        assert session.run(v).tolist() == [1.0, 2.0]
        assert v.eval().tolist() == [1.0, 2.0]
        assert session.run({"v": [v, v.value()]})["v"][1].tolist() == [1.0, 2.0]
        v.load([5.0, 6.0])
        assert v.eval(session).tolist() == [5.0, 6.0]
        nodes = len(v.graph.get_operations())
        v.load(np.array([7.0, 8.0]), session)
        assert session.run(v).tolist() == [7.0, 8.0]
        assert len(v.graph.get_operations()) == nodes


def test_an_uninitialized_variable_says_what_to_do(v):
    with tf.Session() as session, pytest.raises(FailedPreconditionError) as caught:
        session.run(v.read_value())
    assert "global_variables_initializer" in caught.value.message
    assert caught.value.op is not None
    assert "test_variables.py" in str(caught.value)


def test_operators_take_the_value(v):
    total = v + v * 2.0 - 1.0 / v
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(total).tolist() == [2.0, 5.5]
        assert session.run(v[1]) == 2.0
        assert session.run(np.array([10.0, 20.0], np.float32) + v).tolist() == [11.0, 22.0]
        assert session.run(-v).tolist() == [-1.0, -2.0]
        assert session.run(v > 1.5).tolist() == [False, True]


def test_it_is_a_key_and_no_sequence(v):
    w = tf.Variable([1.0, 2.0])
    assert {v: 1, w: 2}[v] == 1
    assert v != w
    with pytest.raises(TypeError, match="'Variable' object is not iterable"):
        iter(v)
    with pytest.raises(NotImplementedError, match=r"sess\.run\(variable\)"):
        np.asarray(v)


def test_conversion(v):
    assert tf.convert_to_tensor(v).dtype == tf.float32
    assert tf.convert_to_tensor(v, tf.float32).shape.as_list() == [2]
    with pytest.raises(ValueError, match="Incompatible type conversion requested to type 'int32'"):
        tf.convert_to_tensor(v, tf.int32)
    if isinstance(v, RefVariable):
        assert tf.convert_to_tensor(v, as_ref=True) is v._ref()


def test_it_is_built_in_the_graph_of_its_initial_value():
    other = tf.Graph()
    with other.as_default():
        start = tf.constant(1.0)
    v = tf.Variable(start, use_resource=False)
    assert v.graph is other
    assert tf.global_variables() == []
    with other.as_default():
        assert tf.global_variables() == [v]


def test_it_stands_outside_of_control_dependencies(graph):
    gate = tf.constant(True)
    with tf.control_dependencies([gate]):
        a = tf.Variable([1.0], name="a", use_resource=False)
        b = tf.Variable([1.0], name="b", use_resource=True)
    for variable in (a, b):
        for op in graph.get_operations():
            if op.name.startswith(variable.op.name):
                assert op.control_inputs == []


def test_a_variable_inside_a_branch_needs_a_function():
    def branch():
        with pytest.raises(ValueError, match="use a lambda as the"):
            tf.Variable(tf.constant(1.0) * 2.0, use_resource=False)
        return tf.Variable(lambda: tf.constant(3.0), name="inside", use_resource=False).value()

    chosen = tf.cond(tf.placeholder_with_default(True, []), branch, lambda: tf.constant(0.0))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(chosen) == 3.0


def test_what_depends_on_another_variable_initializes_in_any_order():
    v = tf.Variable([1.0, 2.0], use_resource=False)
    w = tf.Variable(v * 2.0, use_resource=False)
    with tf.Session() as session:
        session.run(w.initializer)
        assert session.run(w).tolist() == [2.0, 4.0]
        session.run(v.assign([5.0, 5.0]).op)
        session.run(w.initializer)
        assert session.run(w).tolist() == [10.0, 10.0]


def test_shape_argument():
    v = tf.Variable([1.0], use_resource=True, shape=[None])
    assert v.shape.as_list() == [None]
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(v.assign([1.0, 2.0]).value()).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="not compatible with the explicitly supplied"):
        tf.Variable([1.0], use_resource=True, shape=[2])


def test_an_assignment_is_a_variable_that_waits():
    v = tf.Variable([1.0], name="v", use_resource=True)
    assigned = v.assign([2.0], name="first")
    twice = assigned.assign_add([5.0])
    assert repr(assigned).startswith("<tf.Variable 'first' ")
    assert assigned.op.type == "AssignVariableOp"
    assert assigned.op in twice.op.inputs[1].op.control_inputs
    with tf.control_dependencies([twice]):
        after = tf.identity(v)
    with tf.Session() as session:
        assert session.run(after).tolist() == [7.0]
        assert session.run([assigned, twice + 1.0])[1].tolist() == [8.0]


@pytest.mark.parametrize("use_resource", KINDS)
def test_as_a_message(use_resource, graph):
    with tf.name_scope("model"):
        v = tf.Variable([1.0, 2.0], name="v", use_resource=use_resource, trainable=False)
    message = v.to_proto()
    assert isinstance(message, meta_graph_pb2.VariableDef)
    assert message.is_resource is use_resource
    assert message.trainable is False
    assert v.to_proto(export_scope="elsewhere") is None
    assert v.to_proto(export_scope="model").variable_name == "v:0"
    same = tf.Variable.from_proto(message)
    assert type(same) is type(v)
    assert (same.name, same.shape, same.dtype) == (v.name, v.shape, v.dtype)
    assert not same.trainable
    definition = graph.as_graph_def()
    with tf.Graph().as_default():
        tf.import_graph_def(definition, name="imported")
        copy = tf.Variable.from_proto(message, import_scope="imported")
        assert copy.name == "imported/model/v:0"
        with tf.Session() as session:
            session.run(copy.initializer)
            assert session.run(copy.assign_add([1.0, 1.0]).op) is None
            assert session.run(copy).tolist() == [2.0, 3.0]
    with pytest.raises(ValueError, match="mutually exclusive"):
        tf.Variable(1.0, variable_def=message)


def test_lists_of_variables():
    a = tf.Variable(1.0, name="a")
    b = tf.Variable(1.0, name="b", trainable=False)
    c = tf.Variable(1.0, name="c", collections=[tf.GraphKeys.LOCAL_VARIABLES, "mine"])
    assert tf.global_variables() == [a, b]
    assert tf.trainable_variables() == [a, c]
    assert tf.local_variables() == [c]
    assert tf.global_variables("b") == [b]
    assert tf.model_variables() == tf.moving_average_variables() == []
    assert tf.variables_initializer([]).type == "NoOp"


@pytest.mark.parametrize("use_resource", KINDS)
def test_report_of_uninitialized_variables(use_resource):
    a = tf.Variable(1.0, name="a", use_resource=use_resource)
    tf.Variable(1.0, name="b", use_resource=use_resource)
    report, nothing = tf.report_uninitialized_variables(), tf.report_uninitialized_variables([])
    with tf.Session() as session:
        session.run(a.initializer)
        assert session.run(report).tolist() == [b"b"]
        assert session.run(nothing).tolist() == []
        session.run(tf.global_variables_initializer())
        assert session.run(report).tolist() == []


def test_caching_device(graph):
    a = tf.Variable([1.0], name="a", caching_device="/cpu:0", use_resource=False)
    b = tf.Variable([1.0], name="b", caching_device="/cpu:0", use_resource=True)
    assert a.value().device == "/device:CPU:0"
    assert b.value().device == "/device:CPU:0"
    assert b.value() is b.value()
