"""Casts: what the recordings cannot show."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework import errors
from tinytf.testing.evaluator import evaluate
from tinytf.testing.gradient_checker import check_gradients


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_what_has_the_dtype_is_the_same_tensor(graph):
    x = tf.constant(1.0)
    assert tf.cast(x, tf.float32) is x
    assert tf.cast(x, np.float32) is x
    assert len(graph.get_operations()) == 1


def test_a_variable_is_read_only_if_it_has_another_dtype():
    v = tf.Variable([1.7], use_resource=True)
    converted = tf.cast(v, tf.int32)
    assert converted.op.type == "Cast"
    assert converted.op.inputs[0].op.type == "ReadVariableOp"
    assert tf.cast(v, tf.float32) is v


def test_slices_stay_slices():
    x = tf.IndexedSlices(tf.constant([[1.7]]), tf.constant([4]))
    y = tf.cast(x, tf.int32)
    assert y.indices is x.indices
    assert y.values.dtype == tf.int32


def test_complex_numbers_lose_their_imaginary_part_without_a_warning():
    (value,) = evaluate([tf.cast(tf.constant([1.5 + 2j]), tf.int32)])
    assert value.tolist() == [1]


def test_strings_are_refused_in_a_run():
    with pytest.raises(errors.UnimplementedError, match="Cast string to int64 is not supported"):
        evaluate([tf.cast(tf.constant("7"), tf.int64)])


def test_gradients():
    x = tf.placeholder(tf.float64, [2])
    z = tf.cast(x, tf.complex128)
    check_gradients(z * z, x, [[1.5, -2.0]])
