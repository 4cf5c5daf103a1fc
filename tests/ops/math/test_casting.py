"""Casts: what the recordings cannot show."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework import errors
from tinytf.ops.math.cast import cast_op, expand_to_float32, truncate_to_bfloat16
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


#: Patterns of float32, and what is left of them: recorded from TensorFlow's Cast with Truncate.
TRUNCATED = [
    (0x3F80FFFF, 0x3F80),
    (0x3F808000, 0x3F80),
    (0x3F818000, 0x3F81),
    (0xBFFFFFFF, 0xBFFF),
    (0x7F7FFFFF, 0x7F7F),
    (0xFF7FFFFF, 0xFF7F),
    (0x7F800000, 0x7F80),
    (0xFF800000, 0xFF80),
    (0x7F800001, 0x7FC0),
    (0xFF800001, 0xFFC0),
    (0x7FC00000, 0x7FC0),
    (0xFFFFFFFF, 0xFFC0),
    (0x7F810000, 0x7FC0),
    (0x0000FFFF, 0x0000),
    (0x80000001, 0x8000),
    (0x00018000, 0x0001),
]


def test_truncation_to_sixteen_bits():
    patterns, expected = np.array(TRUNCATED, np.uint32).T
    numbers = patterns.view(np.float32).reshape(2, 8)
    x = tf.placeholder(tf.float32)
    cut = cast_op(x, DstT=tf.bfloat16, Truncate=True)
    result = evaluate([cut], {x: numbers})[0]
    assert result.dtype == tf.bfloat16.as_numpy_dtype
    assert result.view(np.uint16).reshape(-1).tolist() == expected.tolist()
    assert evaluate([cut], {x: np.float32(1.9999)})[0] == 1.9921875
    transposed = truncate_to_bfloat16(numbers.T)
    assert transposed.T.tobytes() == result.tobytes()
    assert truncate_to_bfloat16(numbers[:0]).shape == (0, 8)


def test_expansion_is_exact():
    patterns = np.arange(1 << 16, dtype=np.uint16)
    patterns = patterns[patterns & 0x7FFF <= 0x7F80]  # the others are no numbers
    expanded = expand_to_float32(patterns.view(tf.bfloat16.as_numpy_dtype))
    assert expanded.dtype == np.float32
    assert (expanded.view(np.uint32) == patterns.astype(np.uint32) << 16).all()
    assert (truncate_to_bfloat16(expanded).view(np.uint16) == patterns).all()


@pytest.mark.parametrize(
    ("source", "target", "bits"),
    [("float64", "float32", 29), ("float64", "float16", 42), ("float32", "float16", 13)],
)
def test_truncation_between_other_types(source, target, bits):
    numbers = np.array([1.99999999, -1 / 3, 1000.1, 0, np.inf, -np.inf], source)
    x = tf.placeholder(source)
    cut = cast_op(x, DstT=tf.as_dtype(target), Truncate=True)
    result = evaluate([cut], {x: numbers})[0]
    assert result.dtype == target
    assert (np.abs(result) <= np.abs(numbers)).all()
    patterns = numbers.view(f"u{numbers.itemsize}") >> bits << bits
    assert (result == patterns.view(source)).all()
    # All that makes this one not a number is in the bits that go.
    barely = np.array([np.inf], source).view(f"u{numbers.itemsize}") + 1
    assert np.isnan(evaluate([cut], {x: barely.view(source)})[0]).all()


def test_strings_are_refused_in_a_run():
    with pytest.raises(errors.UnimplementedError, match="Cast string to int64 is not supported"):
        evaluate([tf.cast(tf.constant("7"), tf.int64)])


def test_gradients():
    x = tf.placeholder(tf.float64, [2])
    z = tf.cast(x, tf.complex128)
    check_gradients(z * z, x, [[1.5, -2.0]])
