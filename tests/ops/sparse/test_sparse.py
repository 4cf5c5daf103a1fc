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


def test_what_has_no_gradient_says_so(session):
    x = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
    for function in (tf.sparse.maximum, tf.sparse.minimum):
        with pytest.raises(NotImplementedError, match=r"Gradient for SparseSparseM\w+ is not"):
            tf.gradients(function(x, x).values, x.values)
    softmax = tf.sparse.softmax(x).values
    (first,) = tf.gradients(softmax, x.values)
    with pytest.raises(NotImplementedError, match="SparseDenseCwiseAdd is not implemented"):
        tf.gradients(first, x.values)


def test_static_shapes_can_be_added_to(session):
    x = tf.sparse_placeholder(tf.float32, [None, 2])
    assert x.shape.as_list() == [None, 2]
    x.set_shape([3, None])
    assert x.get_shape().as_list() == [3, 2]
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape([4, 2])


def test_a_long_edit_distance_ends_with_its_step(session):
    letters = np.zeros(20_000, np.int64)
    places = np.stack([letters, np.arange(len(letters))], axis=1)
    word = tf.SparseTensor(places, letters, [1, len(letters)])
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(tf.edit_distance(word, word), options=tf.RunOptions(timeout_in_ms=50))


def test_huge_sparse_tensors_need_no_more_than_their_elements(session):
    size = 2**40
    x = tf.SparseTensor([[1, 5], [size - 1, size - 2]], [1.0, 2.0], [size, size])
    y = tf.sparse.add(x, x)
    found = session.run(
        [
            tf.sparse.concat(0, [x, y]),
            tf.sparse.transpose(x),
            tf.sparse.maximum(x, y),
            tf.sparse.slice(x, [1, 0], [size, size]),
            x * 3.0,
            x / [2.0],
            tf.sparse.reduce_sum_sparse(x, 0),
            tf.sparse.softmax(x),
            tf.sparse.reset_shape(x),
        ]
    )
    assert found[0].dense_shape.tolist() == [2 * size, size]
    assert found[4].values.tolist() == [3.0, 6.0]
    assert found[6].indices.tolist() == [[5], [size - 2]]


def test_what_1_x_takes_and_2_15_does_not(session):
    x = tf.SparseTensor([[0, 1], [1, 0]], [5, 6], [2, 2])
    y = tf.SparseTensor([[0, 2]], [7], [1, 3])
    unknown = tf.sparse_placeholder(tf.float32)
    results = [
        tf.sparse.concat(0, (x, x)),
        tf.sparse.concat(0, [x, y], expand_nonconcat_dims=True),
        tf.sparse.split(sp_input=x, num_split=2, split_dim=1)[1],
        tf.sparse.expand_dims(unknown, 0),
    ]
    shapes = [result.dense_shape for result in results]
    found = [shape.tolist() for shape in session.run(shapes, {unknown: VALUE})]
    assert found == [[4, 2], [3, 3], [2, 1], [1, 2, 2]]


def test_places_outside_are_errors(session):
    outside = tf.SparseTensor([[0, 5], [1, 0]], [1.0, 2.0], [2, 3])
    with pytest.raises(tf.errors.InternalError, match="which is outside of bounds of"):
        session.run(tf.sparse.reduce_sum(outside, 0))
    mixed = tf.SparseTensor([[1, 0], [0, 0]], ["a", "b"], [2, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf\.sparse\.reorder puts them"):
        session.run(tf.sparse.cross([mixed]))


def test_pieces_of_a_row_belong_together(session):
    word = tf.SparseTensor([[0, 0], [1, 0], [0, 1]], ["a", "x", "b"], [2, 2])
    truth = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["a", "b", "x"], [2, 2])
    assert session.run(tf.edit_distance(word, truth)).tolist() == [0.0, 0.0]
    sizes = tf.sets.size(
        tf.SparseTensor([[0, 0], [1, 0], [0, 1]], [1, 2, 3], [2, 2]), validate_indices=False
    )
    assert session.run(sizes).tolist() == [2, 1]
