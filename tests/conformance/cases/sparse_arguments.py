"""Sparse tensors where functions take tensors, and what datasets make of sparse values."""

import numpy as np

from tests.conformance.cases.datasets import initialised, one_shot
from tests.conformance.registry import Program, case


def matrix(tf, kind="float32"):
    values = tf.cast(tf.constant([1.0, -2.0, 0.5]), kind)
    return tf.SparseTensor([[0, 1], [1, 0], [1, 2]], values, [2, 3])


@case("Cast", each=["float64", "int32", "complex64"])
def absolute_values(tf, kind):
    return tf.abs(matrix(tf, kind))


@case("Abs", each=["square", "sign", "negative", "tanh", "sqrt", "erf"])
def elements(tf, name):
    function = getattr(tf, name)
    return [function(tf.abs(matrix(tf))), function(matrix(tf).with_values([1.0, 0.0, 2.0]))]


@case("Abs", "BesselI0e", "BesselI1e")
def named_elements(tf):
    first = [tf.abs(matrix(tf), name="size"), tf.abs(tf.constant(-1.0)), tf.sign(matrix(tf), "sgn")]
    return [*first, tf.math.bessel_i0e(matrix(tf)), tf.math.bessel_i1e(matrix(tf), name="i1")]


@case("Cast", each=["int32", "float64", "float32", "complex64"])
def casts(tf, kind):
    return [tf.cast(matrix(tf), kind), tf.cast(matrix(tf), kind, name="named")]


@case("Cast")
def old_casts(tf):
    return [tf.to_float(matrix(tf, "int32")), tf.to_double(matrix(tf)), tf.to_int64(matrix(tf))]


@case("Cast", "Prod", "Size")
def sizes(tf):
    sparse = matrix(tf)
    wide = [tf.shape(sparse, out_type=tf.int64), tf.size(sparse, out_type=tf.int64)]
    return [tf.shape(sparse), tf.size(sparse), tf.rank(sparse), tf.rank(sparse, name="r"), *wide]


@case("Cast", "Prod", "Size")
def sizes_that_are_fed(tf):
    indices, values = tf.placeholder(tf.int64, [None, 3]), tf.placeholder(tf.float32, [None])
    sizes = tf.placeholder(tf.int64, [3])
    sparse = tf.SparseTensor(indices, values, sizes)
    feed = {indices: [[1, 1, 0]], values: [1.0], sizes: [2, 3, 4]}
    return Program([tf.shape(sparse), tf.size(sparse), tf.rank(sparse)], feed=feed)


@case("Identity", "StopGradient")
def passed_on(tf):
    sparse, rows = matrix(tf), tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 3]))
    together = tf.tuple([sparse, tf.constant(1.0)])
    passed = [tf.identity(sparse), tf.identity(sparse, name="i"), tf.stop_gradient(sparse)]
    return [*passed, tf.identity(rows).values, *together]


@case("Const")
def zeros_like_sparse(tf):
    return [tf.zeros_like(matrix(tf)), tf.zeros_like(matrix(tf), tf.int32)]


@case("Square", "Mul")
def gradient_of_the_elements(tf):
    sparse = matrix(tf)
    return tf.gradients(tf.square(sparse).values, sparse.values)


def value(tf):
    return tf.SparseTensorValue(
        np.array([[0, 0], [1, 2], [3, 0]], np.int64),
        np.array([1, 2, 3]),
        np.array([4, 3], np.int64),
    )


@case("MapDataset", each=["alone", "in a tuple", "in a dictionary"])
def values_of_functions(tf, form):
    made = {
        "alone": lambda x: value(tf),
        "in a tuple": lambda x: (x, value(tf)),
        "in a dictionary": lambda x: {"a": value(tf)},
    }
    return one_shot(tf.data.Dataset.range(2).map(made[form]), runs=2)


# TensorFlow makes its constants twice.
@case("MapDataset", graph="any")
def values_of_tensors(tf):
    def function(x):
        return tf.SparseTensorValue([[0, 0]], tf.stack([x]), [2, 2])

    return one_shot(tf.data.Dataset.range(2).map(function), runs=2)


@case("SparseTensorSliceDataset", each=["float32", "int64", "string"])
def slices(tf, kind):
    values = tf.constant(["a", "bc", "d"]) if kind == "string" else tf.constant([1, 2, 3], kind)
    sparse = tf.SparseTensor([[0, 1], [2, 0], [2, 2]], values, [4, 3])
    return initialised(tf.data.Dataset.from_sparse_tensor_slices(sparse), runs=4)


@case("SparseTensorSliceDataset")
def slices_of_three_dimensions(tf):
    sparse = tf.SparseTensor([[0, 0, 1], [0, 1, 0], [2, 1, 1]], [1.0, 2.0, 3.0], [4, 2, 2])
    return one_shot(tf.data.Dataset.from_sparse_tensor_slices(sparse), runs=4)


@case("SparseTensorSliceDataset")
def slices_of_one_dimension(tf):
    sparse = tf.SparseTensor([[0], [2], [5]], [1, 2, 3], [3])
    return one_shot(tf.data.Dataset.from_sparse_tensor_slices(sparse), runs=3)


@case("SparseTensorSliceDataset", error="The SparseTensor must be ordered in the batch dimension")
def slices_out_of_order(tf):
    sparse = tf.SparseTensor([[1, 0], [0, 1]], [1.0, 2.0], [2, 2])
    return initialised(tf.data.Dataset.from_sparse_tensor_slices(sparse))


@case("SparseTensorSliceDataset", error="`sparse_tensor` must be a `tf.sparse.SparseTensor`")
def slices_of_a_tensor(tf):
    return tf.data.Dataset.from_sparse_tensor_slices(tf.ones([2, 2]))
