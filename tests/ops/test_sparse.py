"""Sparse tensors through the session, and what only they are asked."""

import numpy as np
import pytest

import tinytf as tf

VALUE = tf.SparseTensorValue([[0, 1]], [4.0], [2, 2])


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


@pytest.mark.parametrize("value", [VALUE, tuple(VALUE)])
def test_a_placeholder_is_fed_as_a_whole(session, value):
    x = tf.sparse_placeholder(tf.float32)
    dense = tf.sparse_tensor_to_dense(x)
    assert session.run(dense, {x: value}).tolist() == [[0.0, 4.0], [0.0, 0.0]]
    fetched = session.run(x, {x: value})
    assert isinstance(fetched, tf.SparseTensorValue)
    assert [np.asarray(part).tolist() for part in fetched] == [[[0, 1]], [4.0], [2, 2]]


def test_what_was_fetched_can_be_fed(session):
    x = tf.sparse_placeholder(tf.string)
    parts = session.run(tf.string_split(["a b", "c"]))
    dense = session.run(tf.sparse_tensor_to_dense(x, "-"), {x: parts})
    assert dense.tolist() == [[b"a", b"b"], [b"c", b"-"]]


def test_eval_and_nested_fetches(session):
    x = tf.SparseTensor([[1]], [2], [3])
    assert x.eval().values.tolist() == [2]
    found = session.run({"x": x, "more": [x.values, x.dense_shape]})
    assert found["x"].dense_shape.tolist() == [3]
    assert [v.tolist() for v in found["more"]] == [[2], [3]]


def test_properties(session):
    x = tf.SparseTensor([[0, 1]], [1.5], [2, 3])
    assert (x.shape.as_list(), x.dtype, x.graph) == ([2, 3], tf.float32, tf.get_default_graph())
    assert x.get_shape() == x.shape
    assert x.op is x.values.op
    y = tf.sparse_tensor_to_dense(x)
    assert x.consumers() == [y.op]
    assert repr(x).startswith("SparseTensor(indices=Tensor(")


def test_a_sparse_tensor_is_no_tensor(session):
    with pytest.raises(TypeError):
        tf.convert_to_tensor(tf.SparseTensor([[0]], [1], [1]))
    with pytest.raises(TypeError, match="Input must be a SparseTensor"):
        tf.sparse_tensor_to_dense(tf.constant([1]))


def test_splitting_says_what_is_missing(session):
    with pytest.raises(ValueError, match="which tinytf does not have"):
        tf.strings.split([["a b"]])
    with pytest.raises(NotImplementedError, match="tinytf has no ragged tensors"):
        tf.string_split(["a b"], result_type="RaggedTensor")
    with pytest.raises(AttributeError, match=r"tf\.sparse\.add is not part of tinytf yet"):
        tf.sparse.add  # noqa: B018
