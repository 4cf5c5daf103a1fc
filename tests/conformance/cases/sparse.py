"""Sparse tensors: built, fetched, fed, written out."""

import numpy as np

from tests.conformance.registry import Program, case
from tests.conformance.values import fed


def sparse(tf):
    return tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])


@case("Const")
def fetched(tf):
    x = sparse(tf)
    value = tf.SparseTensorValue([[0]], [1], [2])
    return [
        x,
        x.values,
        tf.SparseTensor.from_value(x),
        x.with_values([3.0, 4.0]),
        tf.convert_to_tensor_or_sparse_tensor(value),
    ]


@case("SparseToDense")
def dense(tf):
    x = sparse(tf)
    return [
        tf.sparse_tensor_to_dense(x),
        tf.sparse.to_dense(x, -1.0, name="named"),
        tf.sparse_tensor_to_dense(tf.SparseTensor([[0]], ["a"], [2])),
        tf.sparse_tensor_to_dense(tf.SparseTensor([[1], [0]], [1, 2], [2]), validate_indices=False),
    ]


@case("SparseToDense")
def sparse_to_dense(tf):
    return [
        tf.sparse_to_dense([0, 2], [4], [5, 6]),
        tf.sparse_to_dense(1, [4], 5, -1, name="named"),
        tf.sparse_to_dense([[0, 1], [1, 0]], [2, 2], 7.0),
        tf.sparse_to_dense([0, 2], [4], ["a", "b"], "-"),
        tf.sparse_to_dense([2, 0], [4], [5, 6], validate_indices=False),
        tf.sparse_to_dense([2, 2], [4], [5, 6], validate_indices=False),
        tf.sparse_to_dense(np.zeros([0, 2], np.int64), np.array([2, 2]), np.zeros([0], bool), True),
    ]


@case("SparseToDense")
def sparse_to_dense_unknown_shapes(tf):
    at, one = fed(tf, [[0, 1], [1, 0]], "int32")
    shape, two = fed(tf, [2, 2], "int32", [2])
    values, three = fed(tf, [1.0, 2.0])
    return Program(tf.sparse_to_dense(at, shape, values, 0.5), feed={**one, **two, **three})


@case("SparseToDense", "GatherNd")
def gradients(tf):
    v, d = tf.constant([1.0, 2.0]), tf.constant(0.5)
    y = tf.sparse_to_dense([[0], [2]], [4], v, d)
    return tf.gradients(y * tf.constant([1.0, 2.0, 3.0, 4.0]), [v, d])


@case(
    "SparseToDense",
    each=[
        ([2, 0], "indices[1] = [0] is out of order"),
        ([0, 0], "indices[1] = [0] is repeated"),
        ([0, 4], "indices[1] = [4] is out of bounds: need 0 <= index < [4]"),
        ([0, -1], "indices[1] = [-1] is out of bounds: need 0 <= index < [4]"),
    ],
    error="indices[1] = ",
)
def wrong_indices(tf, indices, message):
    return tf.sparse_to_dense(indices, [4], [5, 6])


@case("SparseToDense", error="Indices are not valid (out of bounds).  Shape: [4]")
def unchecked_indices_outside(tf):
    return tf.sparse_to_dense([2, 7], [4], [5, 6], validate_indices=False)


@case("SparseToDense", error="output_shape has incorrect number of elements: 1 should be: 2")
def wrong_rank(tf):
    return tf.sparse_to_dense([[0, 1]], [4], [5])


@case("SparseToDense", error="sparse_values has incorrect shape [2], should be [] or [1]")
def wrong_number_of_values(tf):
    return tf.sparse_to_dense([[0, 1]], [4, 4], [5, 6])


@case(
    "SparseToDense", error="sparse_indices should be a scalar, vector, or matrix, got shape [1,1,2]"
)
def wrong_rank_of_indices(tf):
    return tf.sparse_to_dense([[[0, 1]]], [4, 4], [5])


@case("SparseToDense", error="default_value should be a scalar.")
def wrong_default(tf):
    return tf.sparse_to_dense([0], [4], [5], [1])


@case("SparseToDense", error="Shape must be rank 1 but is rank 2")
def wrong_shape(tf):
    return tf.sparse_to_dense([[0, 1]], [[4, 4]], [5])


@case("SparseToDense", error="output_shape must be rank 1, got shape [1,2]")
def wrong_fed_shape(tf):
    shape, feed = fed(tf, [[4, 4]], "int32")
    return Program(tf.sparse_to_dense([[0, 1]], shape, [5]), feed=feed)


@case(error="Invalid value in tensor used for shape: -4")
def negative_shape(tf):
    return tf.sparse_to_dense([0], [-4], [5])


# Placeholders -------------------------------------------------------------------------------------


@case("Placeholder")
def placeholders(tf):
    x = tf.sparse_placeholder(tf.float32)
    parts = (np.array([[0, 1]]), np.array([4.0]), np.array([2, 2]))
    feed = dict(zip((x.indices, x.values, x.dense_shape), parts))
    return Program([x, tf.sparse_tensor_to_dense(x)], feed=feed)


@case("Placeholder", "PlaceholderWithDefault")
def placeholders_with_shapes(tf):
    x = tf.sparse_placeholder(tf.float32, [None, 2], name="named")
    y = tf.sparse.placeholder(tf.int32, shape=[3, 2])
    parts = (np.array([[0, 1]]), np.array([4]), np.array([3, 2]))
    feed = dict(zip((x.indices, x.values, x.dense_shape), parts))
    return Program([x, y], feed=feed | dict(zip((y.indices, y.values, y.dense_shape), parts)))


# Errors -------------------------------------------------------------------------------------------


@case(error="Shape (2,) must have rank 2")
def indices_that_are_a_vector(tf):
    return tf.SparseTensor([0, 1], [1.0, 2.0], [3, 2])


@case(error="Dimensions 1 and 2 are not compatible")
def too_many_values(tf):
    return tf.SparseTensor([[0, 1]], [1.0, 2.0], [3, 2])


@case(error="Shape (1, 1) must have rank 1")
def values_that_are_a_matrix(tf):
    return tf.SparseTensor([[0, 1]], [[1.0]], [3, 2])


@case(error="Dimensions 2 and 3 are not compatible")
def too_long_a_shape(tf):
    return tf.SparseTensor([[0, 1]], [1.0], [3, 2, 1])


@case(error="Sparse dtype mismatch. Requested: int32,  Actual: float32")
def another_type(tf):
    return tf.convert_to_tensor_or_sparse_tensor(sparse(tf), tf.int32)
