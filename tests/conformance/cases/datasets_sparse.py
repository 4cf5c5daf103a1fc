"""Sparse tensors as components of datasets, and serialised."""

import numpy as np

from tests.conformance.cases.datasets import initialised, one_shot
from tests.conformance.nodes import node
from tests.conformance.registry import case


def matrix(tf, kind="float32"):
    values = ["a", "bc", "d"] if kind == "string" else [1, 2, 3]
    return tf.SparseTensor([[0, 1], [1, 0], [1, 2]], tf.constant(values, kind), [2, 3])


@case("SerializeSparse", "DeserializeSparse", each=["float32", "int64", "string", "bool"])
def sparse_elements(tf, kind):
    values = matrix(tf, "int32" if kind == "bool" else kind)
    if kind == "bool":
        values = values.with_values(tf.cast(values.values, tf.bool))
    return one_shot(tf.data.Dataset.from_tensors(values))


@case("SerializeManySparse", "DeserializeSparse")
def sparse_rows(tf):
    rows = {"sparse": matrix(tf), "dense": [5, 6]}
    return one_shot(tf.data.Dataset.from_tensor_slices(rows), runs=2)


@case("SerializeManySparse")
def sparse_rows_in_batches(tf):
    rows = tf.data.Dataset.from_tensor_slices((matrix(tf, "string"), [5, 6])).repeat(3)
    return one_shot(rows.batch(4), runs=2)


@case("DeserializeSparse")
def sparse_batches_of_batches(tf):
    rows = tf.data.Dataset.from_tensor_slices(matrix(tf)).repeat().batch(2)
    return one_shot(rows.batch(2))


@case("DeserializeSparse")
def mapped_to_sparse(tf):
    def ones(x):
        return {"at": tf.SparseTensor([[x]], [x * 2], [5]), "x": x}

    return one_shot(tf.data.Dataset.range(4).map(ones).batch(3), runs=2)


@case("DeserializeSparse")
def mapped_from_sparse(tf):
    def dense(features, weight):
        return tf.sparse_tensor_to_dense(features) * weight, features

    rows = tf.data.Dataset.from_tensor_slices((matrix(tf), [2.0, 10.0]))
    return one_shot(rows.map(dense), runs=2)


@case("DeserializeSparse")
def sparse_through_filter_and_shuffle(tf):
    def has_more_than_one(row):
        return tf.greater(tf.size(row.values), 1)

    rows = tf.data.Dataset.from_tensor_slices(matrix(tf)).repeat(2)
    return one_shot(rows.filter(has_more_than_one).shuffle(3, seed=1), runs=2)


@case("DeserializeSparse")
def sparse_of_unknown_shape(tf):
    parts = [
        tf.placeholder_with_default(np.array(value), shape)
        for value, shape in (([[1, 1]], [None, 2]), ([4.5], [None]), ([2, 2], [2]))
    ]
    return initialised(tf.data.Dataset.from_tensors(tf.SparseTensor(*parts)))


@case("IteratorV2", "DeserializeSparse")
def sparse_reinitialised(tf):
    rows = tf.data.Dataset.from_tensor_slices(matrix(tf))
    from_structure = tf.data.Iterator.from_structure
    iterator = from_structure(rows.output_types, rows.output_shapes, None, rows.output_classes)
    initialiser = iterator.make_initializer(rows)
    program = one_shot(rows)
    program.fetches, program.setup = iterator.get_next(), [initialiser]
    return program


@case("SerializeSparse", "DeserializeManySparse")
def serialised_as_strings(tf):
    one = tf.serialize_sparse(matrix(tf))
    return tf.deserialize_many_sparse(tf.stack([one, one]), tf.float32, rank=3)


@case("SerializeManySparse", "DeserializeManySparse", each=["int32", "string", "float64"])
def rows_serialised_as_strings(tf, kind):
    return tf.deserialize_many_sparse(tf.serialize_many_sparse(matrix(tf, kind)), kind)


@case("DeserializeManySparse", error="Requested SparseTensor of type int64")
def deserialised_as_another_type(tf):
    return tf.deserialize_many_sparse(tf.serialize_many_sparse(matrix(tf)), tf.int64)


@case("DeserializeManySparse", error="")
def deserialised_nonsense(tf):
    return tf.deserialize_many_sparse([["a", "b", "c"]], tf.int64)


@case("DeserializeSparse")
def deserialised_strings(tf):
    one = tf.serialize_sparse(matrix(tf))
    return node(tf, "DeserializeSparse", [one], dtype=tf.float32)
