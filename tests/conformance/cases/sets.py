"""Sets in the last dimension: common elements, differences, unions, sizes."""

import numpy as np

from tests.conformance.cases.sparse_arithmetic import fed
from tests.conformance.nodes import node
from tests.conformance.registry import Program, case

KINDS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "string"]
DENSE = ["DenseToDenseSetOperation"]
MIXED = ["DenseToSparseSetOperation"]
SPARSE = ["SparseToSparseSetOperation"]


def dense(tf, rows, kind="int32"):
    values = np.array(rows)
    return tf.constant(values.astype(str).astype(object) if kind == "string" else values, kind)


def sparse(tf, kind="int32"):
    values = [5, 1, 1, 9, 3]
    values = [str(v) for v in values] if kind == "string" else values
    return tf.SparseTensor(
        [[0, 0], [0, 1], [0, 3], [2, 0], [2, 2]], tf.constant(values, kind), [4, 4]
    )


def operations(tf, a, b):
    return [
        tf.sets.intersection(a, b),
        tf.sets.set_intersection(b, a),
        tf.sets.union(a, b),
        tf.sets.difference(a, b),
        tf.sets.set_difference(a, b, aminusb=False),
        tf.sets.set_union(b, a),
        tf.sets.difference(b, a),
    ]


@case(*DENSE, each=KINDS)
def of_dense(tf, kind):
    a = dense(tf, [[1, 5, 1], [2, 2, 2], [7, 8, 9]], kind)
    return operations(tf, a, dense(tf, [[1, 3, 5, 4], [3, 3, 3, 3], [10, 9, 8, 7]], kind))


@case(*MIXED, each=KINDS)
def of_dense_and_sparse(tf, kind):
    return operations(tf, dense(tf, [[1, 5], [2, 2], [3, 3], [7, 1]], kind), sparse(tf, kind))


@case(*SPARSE, each=KINDS)
def of_sparse(tf, kind):
    a = sparse(tf, kind)
    values = ["1", "7", "5", "3"] if kind == "string" else [1, 7, 5, 3]
    b = tf.SparseTensor([[0, 2], [1, 0], [1, 1], [2, 0]], tf.constant(values, kind), [4, 3])
    return operations(tf, a, b)


@case(*DENSE, *SPARSE)
def of_higher_rank(tf):
    a = tf.constant(np.arange(12).reshape(2, 2, 3) % 5)
    b = tf.constant(np.arange(16).reshape(2, 2, 4) % 3)
    s = tf.SparseTensor([[0, 1, 0], [1, 0, 2]], [3, 4], [2, 2, 4])
    return [*operations(tf, a, b), *operations(tf, s, s), tf.sets.size(s)]


@case(*DENSE, *MIXED, *SPARSE)
def of_nothing(tf):
    nothing = tf.SparseTensor(np.zeros([0, 2], np.int64), tf.zeros([0], tf.int32), [2, 3])
    a, no_rows = dense(tf, [[1, 2], [3, 4]]), tf.zeros([0, 2], tf.int32)
    return [
        *operations(tf, a, nothing),
        *operations(tf, nothing, nothing),
        *operations(tf, no_rows, no_rows),
        *operations(tf, a, tf.zeros([2, 0], tf.int32)),
    ]


@case(*MIXED, *SPARSE)
def of_unknown_shapes(tf):
    x, one = fed(tf, ([[0, 0], [1, 1]], [1, 2], [2, 3]), "int32")
    y, two = fed(tf, ([[0, 0], [1, 1]], [1, 5], [2, 2]), "int32", rank=2)
    z = tf.placeholder(tf.int32)
    w = tf.placeholder(tf.int32, [None, None])
    feed = {**one, **two, z: [[1, 2], [3, 2]], w: [[1], [2]]}
    pairs = [(x, y), (z, x), (w, x), (z, y), (z, z), (z, w), (w, w)]
    return Program([tf.sets.union(a, b) for a, b in pairs], feed=feed)


@case("SetSize", each=KINDS)
def sizes(tf, kind):
    return [tf.sets.size(sparse(tf, kind)), tf.sets.set_size(sparse(tf, kind))]


@case("SetSize", *SPARSE)
def not_validated(tf):
    x = tf.SparseTensor([[0, 1], [0, 0], [1, 0]], [3, 1, 1], [2, 2])
    return [tf.sets.size(x, validate_indices=False), tf.sets.union(x, x, validate_indices=False)]


@case("SetSize", error="is out of order. Many sparse ops require sorted indices.")
def size_out_of_order(tf):
    return tf.sets.size(tf.SparseTensor([[0, 1], [0, 0]], [3, 1], [2, 2]))


@case("SetSize", error="Invalid rank 1.")
def size_of_a_vector(tf):
    return tf.sets.size(tf.SparseTensor([[0]], [3], [2]))


@case(error="Expected `SparseTensor`, got ")
def size_of_a_dense_one(tf):
    return tf.sets.size([[1, 2]])


@case(error="Types don't match")
def of_other_types(tf):
    return tf.sets.union([[1]], [["a"]])


@case(error="'a' has invalid dtype")
def of_floats(tf):
    return tf.sets.union([[1.0]], [[2.0]])


@case(error="Dimension 0 in both shapes must be equal, but are 1 and 2")
def of_other_shapes(tf):
    return tf.sets.union([[1]], [[1], [2]])


@case(error="Shape must be at least rank 2 but is rank 1")
def of_vectors(tf):
    return tf.sets.union([1], [2])


@case(*SPARSE, error="Mismatched shapes [2] vs [4]")
def of_other_fed_shapes(tf):
    x = tf.SparseTensor([[0, 0]], [1], [2, 2])
    return tf.sets.union(x, sparse(tf))


@case(*DENSE, error="Invalid set_operation c.")
def of_an_unknown_operation(tf):
    return node(
        tf, "DenseToDenseSetOperation", [tf.constant([[1]]), tf.constant([[2]])], set_operation="c"
    )
