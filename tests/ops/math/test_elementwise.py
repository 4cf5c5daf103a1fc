"""Elementwise ops: against numpy on many shapes, and what the recordings cannot show."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import tinytf as tf
from tests.effort import examples
from tests.oracle import tables
from tinytf.framework import dtypes, errors, registry
from tinytf.testing.evaluator import evaluate
from tinytf.testing.gradient_checker import check_gradients


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


BINARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


def numbers(shape, dtype=np.float64):
    return hnp.arrays(dtype, shape, elements=st.integers(-9, 9))


@given(
    data=st.data(), shapes=hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3)
)
@examples(60)
def test_broadcasting_is_numpys(data, shapes):
    name = data.draw(st.sampled_from(sorted(BINARY)))
    dtype = data.draw(st.sampled_from([np.int32, np.float32, np.int64]))
    first, second = (data.draw(numbers(shape, dtype)) for shape in shapes.input_shapes)
    known = [data.draw(st.booleans()) for _ in range(2)]
    with tf.Graph().as_default():
        x, y = (
            tf.placeholder(dtype, value.shape if static else None)
            for value, static in zip((first, second), known, strict=True)
        )
        z = getattr(tf, name)(x, y)
        (value,) = evaluate([z], {x: first, y: second})
    if all(known):
        assert z.shape.as_list() == list(shapes.result_shape)
    np.testing.assert_array_equal(value, BINARY[name](first, second), strict=True)


@given(
    data=st.data(), shapes=hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3)
)
@examples(30)
def test_gradients_of_broadcasting_are_right(data, shapes):
    values = [data.draw(numbers(shape)) for shape in shapes.input_shapes]
    # Sizes may be known, unknown, or not even their number.
    static = [
        data.draw(st.sampled_from([shape, [None] * len(shape), None]))
        for shape in shapes.input_shapes
    ]
    with tf.Graph().as_default():
        x, y = (tf.placeholder(tf.float64, shape) for shape in static)
        check_gradients(x * y - y, [x, y], values, atol=1e-6)


@given(
    dtype=st.sampled_from([np.int8, np.int32, np.int64]),
    x=st.integers(-100, 100),
    y=st.integers(-100, 100).filter(bool),
)
@examples(100)
def test_quotient_and_remainder_belong_together(dtype, x, y):
    with tf.Graph().as_default():
        a, b = tf.constant(x, dtype), tf.constant(y, dtype)
        pairs = [(a // b, a % b), (tf.truncatediv(a, b), None)]
        down, rest, towards_zero = evaluate([pairs[0][0], pairs[0][1], pairs[1][0]])
    assert (int(down), int(rest)) == divmod(x, y)
    assert int(towards_zero) == int(x / y)


UNARY = [
    "square",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "exp",
    "expm1",
    "log",
    "log1p",
    "sin",
    "cos",
    "negative",
    "abs",
]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("name", UNARY)
def test_gradients_of_one(name, dtype):
    x = tf.placeholder(dtype, [3])
    value = [0.5, 1.25, 3.0] if dtype == "float64" else [0.5 + 1j, 1.25 - 0.5j, 2j + 1]
    check_gradients(getattr(tf, name)(x), x, [value])


@pytest.mark.parametrize("name", ["square", "sqrt", "rsqrt", "reciprocal", "exp", "log", "sin"])
def test_second_gradients(name):
    x = tf.placeholder(tf.float64, [3])
    first = tf.gradients(getattr(tf, name)(x), x)[0]
    check_gradients(first, x, [[0.5, 1.25, 3.0]])


@pytest.mark.parametrize(
    "name",
    [
        "add",
        "subtract",
        "multiply",
        "realdiv",
        "maximum",
        "minimum",
        "squared_difference",
        "pow",
        "div_no_nan",
    ],
)
def test_gradients_of_two(name):
    x, y = tf.placeholder(tf.float64, [2, 1]), tf.placeholder(tf.float64, [3])
    check_gradients(getattr(tf, name)(x, y), [x, y], [[[1.5], [2.5]], [1.25, 2.0, 3.0]])


@pytest.mark.parametrize("name", ["multiply", "realdiv", "pow"])
def test_complex_gradients_of_two(name):
    x, y = tf.placeholder(tf.complex128, [2]), tf.placeholder(tf.complex128, [])
    check_gradients(getattr(tf, name)(x, y), [x, y], [[1.5 + 1j, 2.5 - 1j], 1.25 + 0.5j])


def test_gradients_through_complex_parts():
    x, y = tf.placeholder(tf.float64, [2]), tf.placeholder(tf.float64, [])
    z = tf.complex(x, y)
    check_gradients(tf.abs(z) + tf.real(z) * tf.imag(z), [x, y], [[3.0, 0.5], 4.0])


def test_single_numbers_stay_numpy_scalars():
    x = tf.constant(2.0)
    for value in evaluate([x + 1.0, tf.exp(x), x / 3.0, -x, tf.add_n([x, x])]):
        assert isinstance(value, np.float32)


def test_add_n_does_not_write_into_its_inputs():
    x = tf.placeholder(tf.float32, [2])
    given_value = np.array([1.0, 2.0], np.float32)
    given_value.flags.writeable = False
    total, same = evaluate([tf.add_n([x, x, x, x]), tf.identity(x)], {x: given_value})
    np.testing.assert_array_equal(total, [4.0, 8.0])
    np.testing.assert_array_equal(same, [1.0, 2.0])


def test_an_error_in_a_run_names_the_op_and_both_shapes():
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = tf.add(x, y, name="total")
    with pytest.raises(errors.InvalidArgumentError) as caught:
        evaluate([z], {x: np.ones([2]), y: np.ones([3, 1, 4])})
    assert "Incompatible shapes: [2] vs. [3,1,4]" in caught.value.message
    assert caught.value.op is z.op


def test_a_division_by_zero_is_found_wherever_it_is():
    x = tf.placeholder(tf.int64)
    for z in (6 // x, 6 % x, tf.truncatediv(tf.constant(6, tf.int64), x)):
        with pytest.raises(errors.InvalidArgumentError, match="Integer division by zero"):
            evaluate([z], {x: [1, 0, 2]})


def test_add_n_takes_slices():
    x = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 2]), tf.constant([3, 1]))
    (value,) = evaluate([tf.add_n([x, tf.ones([3, 1])])])
    np.testing.assert_array_equal(value, [[2.0], [1.0], [3.0]])


def test_scalar_mul_keeps_slices():
    x = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([4]))
    scaled = tf.scalar_mul(3, x)
    assert scaled.indices is x.indices
    np.testing.assert_array_equal(evaluate([scaled.values])[0], [[3.0]])


def test_accumulate_n_says_what_does_not_fit():
    x = tf.constant([1.0])
    with pytest.raises(ValueError, match="same dtype and shape"):
        tf.accumulate_n([x, tf.constant([1])])
    with pytest.raises(TypeError, match="The `tensor_dtype` argument is"):
        tf.accumulate_n([x], tensor_dtype=tf.int32)
    with pytest.raises(ValueError, match="not compatible"):
        tf.accumulate_n([x], shape=[2])


OPS = [
    "AddV2",
    "Add",
    "Sub",
    "Mul",
    "AddN",
    "SquaredDifference",
    "Maximum",
    "Minimum",
    "RealDiv",
    "Div",
    "DivNoNan",
    "FloorDiv",
    "TruncateDiv",
    "FloorMod",
    "Mod",
    "TruncateMod",
    "Pow",
    "Neg",
    "Abs",
    "ComplexAbs",
    "Sign",
    "Square",
    "Sqrt",
    "Rsqrt",
    "Reciprocal",
    "Inv",
    "SqrtGrad",
    "RsqrtGrad",
    "ReciprocalGrad",
    "InvGrad",
    "Exp",
    "Expm1",
    "Log",
    "Log1p",
    "Sin",
    "Cos",
    "Floor",
    "Ceil",
    "Rint",
    "Round",
    "IsNan",
    "IsInf",
    "IsFinite",
    "Equal",
    "NotEqual",
    "Less",
    "LessEqual",
    "Greater",
    "GreaterEqual",
    "Select",
    "SelectV2",
    "Where",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Invert",
    "Sum",
    "Mean",
    "Prod",
    "Max",
    "Min",
    "ArgMax",
    "ArgMin",
    "Cumsum",
    "Cumprod",
    "UnsortedSegmentSum",
    "MatMul",
    "BatchMatMulV2",
    "BatchMatMul",
    "Conj",
    "Complex",
    "Real",
    "Imag",
]


@pytest.mark.parametrize("op_type", OPS)
def test_there_is_a_kernel_for_every_type_that_tensorflow_has_one_for(op_type):
    types = tables.kernel_types(op_type, "CPU").get("T", set()) - {"variant", "resource"}
    for name in sorted(types):
        assert registry.find_kernel(op_type, "CPU", {"T": dtypes.as_dtype(name)}), name
