"""`tf.contrib.framework`: variables found by name, given values, restored."""

import numpy as np
import pytest

import tinytf as tf

framework = tf.contrib.framework


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def three():
    with tf.variable_scope("old"):
        a = framework.model_variable("weights", [2], initializer=tf.zeros_initializer())
        b = tf.get_variable("biases", [1], initializer=tf.zeros_initializer())
    with tf.variable_scope("older"):
        c = tf.get_variable("weights", [2], initializer=tf.zeros_initializer())
    return a, b, c


def test_found_by_scope_suffix_and_name(three):
    a, b, c = three
    assert framework.get_variables() == [a, b, c]
    assert framework.get_variables("old/") == [a, b]
    assert framework.get_variables("old", suffix="weights") == [a, c]
    assert framework.get_variables_by_name("weights") == [a, c]
    assert framework.get_variables_by_suffix("biases") == [b]
    assert framework.get_model_variables() == [a]
    assert framework.get_unique_variable("old/weights") is a
    assert framework.get_variables_to_restore(include=["old"], exclude=["older"]) == [a, b]
    assert framework.filter_variables([a, b, c], ["weights"], ["^older"]) == [a]


def test_one_that_is_not_there(three):
    with pytest.raises(ValueError, match=r"find variable new\. There are: old/weights"):
        framework.get_unique_variable("new")
    with pytest.raises(ValueError, match="old/w does not uniquely identify a variable"):
        framework.get_unique_variable("old/w")
    with pytest.raises(TypeError, match="exclude must be a list"):
        framework.get_variables_to_restore(exclude="old")


def test_where_variables_are_and_in_which_collections():
    made = framework.variable("v", [1], device="/cpu:0", collections=["mine"], trainable=False)
    assert made.device == "/device:CPU:0"
    assert tf.get_collection("mine") == [made]
    assert tf.global_variables() == []
    seen, steps = framework.local_variable(0, name="seen"), framework.global_variable(0)
    assert tf.local_variables() == [seen]
    assert tf.global_variables() == [steps]
    assert tf.trainable_variables() == []


def test_values_are_assigned(three):
    with tf.Session() as sess:
        framework.assign_from_values_fn({"old/weights": [1.0, 2.0]})(sess)
        assert sess.run(three[0]).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("by", ["operation", "function"])
def test_values_of_a_checkpoint(three, by, tmp_path):
    a, b, c = three
    with tf.Session() as sess:
        sess.run([a.assign([1.0, 2.0]), b.assign([3.0]), c.assign([0.0, 0.0])])
        path = tf.train.Saver([a, b]).save(sess, str(tmp_path / "model"))
    wanted = {"old/weights": c, "old/biases": b}
    with tf.Session() as sess:
        if by == "operation":
            sess.run(*framework.assign_from_checkpoint(path, wanted))
        else:
            framework.assign_from_checkpoint_fn(path, wanted)(sess)
        assert sess.run(c).tolist() == [1.0, 2.0]


def test_a_checkpoint_that_lacks_one(three, tmp_path):
    a, _, c = three
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver([a]).save(sess, str(tmp_path / "model"))
    with pytest.raises(ValueError, match=r"missing variable \[older/weights\]"):
        framework.assign_from_checkpoint(path, [a, c])
    with tf.Session() as sess:
        framework.assign_from_checkpoint_fn(path, [a, c], ignore_missing_vars=True)(sess)
        assert np.isfinite(sess.run(a)).all()
    assert framework.assign_from_checkpoint_fn(path, [c], ignore_missing_vars=True) is None
