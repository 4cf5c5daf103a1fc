"""The scopes and collections of the default graph."""

import pytest

import tinytf as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_name_scope():
    with tf.name_scope("layer") as scope:
        assert scope == "layer/"
        assert tf.constant(1, name="c").name == "layer/c:0"
    with tf.name_scope("layer") as scope:
        assert scope == "layer_1/"
    with tf.name_scope("layer/"):
        assert tf.constant(1, name="d").name == "layer/d:0"
    with tf.name_scope("outer"), tf.name_scope(None):
        assert tf.constant(1, name="root").name == "root:0"


def test_name_scope_with_a_default_name():
    with tf.name_scope(None, "dense", [tf.constant(1)]) as scope:
        assert scope == "dense/"
    assert tf.name_scope("mine", "dense").name == "mine"


def test_name_scope_opens_in_the_graph_of_its_values(graph):
    x = tf.constant(1)
    with tf.Graph().as_default(), tf.name_scope("scope", values=[x]):
        assert tf.constant(2).graph is graph


def test_name_scope_may_be_entered_again():
    scope = tf.name_scope("again")
    with scope as first:
        pass
    with scope as second:
        pass
    assert [first, second] == ["again/", "again_1/"]


def test_name_scope_refuses():
    with pytest.raises(TypeError, match="is not a string type"):
        tf.name_scope(None, ["x"])
    with pytest.raises(ValueError, match="At least one of name"):
        tf.name_scope(None, None, [tf.constant(1)])
    with pytest.raises(ValueError, match="is not a valid"), tf.name_scope("a b"):
        pass
    with tf.Graph().as_default():
        other = tf.constant(1)
    with (
        pytest.raises(ValueError, match="must be from the same graph"),
        tf.name_scope("x", values=[other, tf.constant(2)]),
    ):
        pass


def test_a_name_scope_that_fails_to_open_leaves_nothing_behind(graph):
    with pytest.raises(ValueError, match="is not a valid"), tf.name_scope("a b"):
        pass
    assert tf.get_default_graph() is graph
    assert tf.constant(1, name="c").name == "c:0"


def test_device_colocation_and_container():
    with tf.device("/job:ps"), tf.device("/cpu:0"):
        x = tf.constant(1, name="x")
    assert x.device == "/job:ps/device:CPU:0"
    with tf.colocate_with(x):
        y = tf.constant(2)
    assert y.op.colocation_groups() == [b"loc:@x"]
    with tf.container("mine"):
        v = tf.Variable(0, use_resource=False)
    assert v.op.get_attr("container") == b"mine"


def test_control_dependencies():
    first = tf.constant(1)
    with tf.control_dependencies([first]):
        second = tf.constant(2)
        with tf.control_dependencies(None):
            third = tf.constant(3)
    assert second.op.control_inputs == [first.op]
    assert third.op.control_inputs == []
    with tf.control_dependencies([tf.IndexedSlices(second, tf.constant([0]))]):
        fourth = tf.constant(4)
    assert fourth.op.control_inputs == [second.op]


def test_collections():
    tf.add_to_collection("mine", 1)
    tf.add_to_collections(["mine", "yours"], 2)
    assert tf.get_collection("mine") == [1, 2]
    tf.get_collection("mine").append(3)
    assert tf.get_collection("mine") == [1, 2]
    tf.get_collection_ref("yours").append(4)
    assert tf.get_collection("yours") == [2, 4]
    with tf.name_scope("a"):
        x = tf.constant(1)
    tf.add_to_collection("tensors", x)
    assert tf.get_collection("tensors", "a/") == [x]
    assert tf.get_collection("tensors", "b/") == []


@pytest.mark.parametrize(
    ("name", "meant"),
    [("gpu0", "/gpu:0"), ("/gpus:1", "/gpu:1"), ("CPU 2", "/cpu:2"), ("/device:GPU", "/gpu:0")],
)
def test_a_device_without_its_colon(name, meant):
    with pytest.raises(ValueError, match=f"Did you mean '{meant}'"):
        tf.DeviceSpec.from_string(name)


def test_other_names_that_do_not_parse_are_not_guessed():
    with pytest.raises(ValueError, match="Unknown attribute 'tomato'") as caught:
        tf.DeviceSpec.from_string("/tomato:0")
    assert "Did you mean" not in str(caught.value)


def builds_operations(op):
    return tf.constant(1.0).device


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda: "/cpu:0", TypeError),
        (lambda op: op.tomato, AttributeError),
        (builds_operations, RecursionError),
    ],
)
def test_a_device_function_that_raises_is_named(function, error):
    with tf.Graph().as_default(), tf.device(function), pytest.raises(error) as caught:
        tf.constant(1.0)
    (note,) = caught.value.__notes__
    assert note.startswith(f"The device function {function.__name__!r} raised it. tf.device calls")
    assert "each operation built inside" in note
