"""Kernels that are split by rows, by images, along axes that a reduction keeps."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.effort import examples
from tests.kernels.sharding_cases import (
    ALL_TYPES,
    BFLOAT16,
    COMPLEX,
    FLOATS,
    CountingPool,
    check_same,
    kernels,
    lower_thresholds,
    node,
    numbers,
)
from tinytf.framework import registry
from tinytf.kernels.in_blocks import max_pool
from tinytf.kernels.sharding import slices, table


@pytest.fixture(autouse=True)
def small_is_large(monkeypatch):
    lower_thresholds(monkeypatch)
    monkeypatch.setattr(slices, "_FEW_COLUMNS", 64)
    monkeypatch.setattr(max_pool, "_BLOCK_ITEMS", 1000)


@pytest.fixture(scope="module")
def pool():
    pool = CountingPool(3)
    yield pool
    pool.close()


# Rows ---------------------------------------------------------------------------------------------

MATRICES = [(100, 10), (100, 1000), (7, 20000), (1000, 2), (5, 5)]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("shape", MATRICES, ids=str)
def test_rows(dtype, shape, pool):
    x = numbers(shape, dtype)
    for op_type in ("Softmax", "LogSoftmax"):
        assert check_same(op_type, [x], pool)
        check_same(op_type, [np.asfortranarray(x)], pool)
    labels = np.random.default_rng(0).integers(0, shape[1], shape[0])
    assert check_same("SoftmaxCrossEntropyWithLogits", [x, abs(numbers(shape, dtype, 3))], pool)
    assert check_same("SparseSoftmaxCrossEntropyWithLogits", [x, labels], pool)
    assert check_same("BiasAdd", [x, numbers(shape[1:], dtype)], pool)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_vector_chooses_rows(dtype, pool):
    t, e = numbers((100, 7), dtype), numbers((100, 7), dtype, 2)
    assert check_same("Select", [numbers((100,), bool), t, e], pool)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_pooling(dtype, padding, data_format, pool):
    x = numbers((9, 12, 14, 5) if data_format == "NHWC" else (9, 5, 12, 14), dtype)
    for window, stride in ((2, 2), (3, 1), (3, 2), (1, 1)):
        ksize, strides = ([1, n, n, 1] for n in (window, stride))
        if data_format == "NCHW":
            ksize, strides = ([1, 1, n, n] for n in (window, stride))
        attrs = {"ksize": ksize, "strides": strides, "padding": padding, "data_format": data_format}
        # The largest of one pixel is that pixel: there is nothing to split.
        assert check_same("MaxPool", [x], pool, **attrs) == (window > 1)
        assert check_same("AvgPool", [x], pool, **attrs)
        largest = kernels(node("MaxPool", [x], **attrs), pool)[0](x)
        above = numbers(largest.shape, dtype, 4)
        assert check_same("MaxPoolGrad", [x, largest, above], pool, **attrs)


# Reductions ---------------------------------------------------------------------------------------

AXES = [
    ((40, 50), [1]),
    ((300, 2), [1]),
    ((20, 300), [0]),
    ((6, 7, 8, 32), [1, 3]),
    ((6, 7, 8, 320), [0, 2]),
    ((5, 9000), [1]),
    ((9, 3, 300), [-1, 1]),
    ((8, 90, 3), [1]),
]


@pytest.mark.parametrize("op_type", table.REDUCTIONS)
def test_reductions(op_type, pool):
    split = seen = 0
    for shape, axes in AXES:
        for keep in (False, True):
            where, attrs = np.array(axes, np.int32), {"keep_dims": keep}
            if op_type.startswith("Arg"):
                if keep or len(axes) > 1:
                    continue
                where, attrs = np.array(axes[0], np.int32), {}
            for dtype in ALL_TYPES:
                x = numbers(shape, dtype)
                try:
                    op = node(op_type, [x, where], **attrs)
                except TypeError:
                    continue
                if registry.find_kernel(op_type, "CPU", op.attrs) is not None:
                    split += check_same(op_type, [x, where], pool, **attrs)
                    seen += 1
    assert split > seen / 2


@examples(60)
@given(
    shape=st.lists(st.integers(1, 40), min_size=2, max_size=4),
    axes=st.sets(st.integers(-2, 1), min_size=1),
    op_type=st.sampled_from(["Sum", "Mean", "Max", "Prod"]),
    dtype=st.sampled_from([*FLOATS, *COMPLEX]),
    keep=st.booleans(),
)
@example(shape=[1, 5, 2, 1], axes={-2}, op_type="Prod", dtype=np.dtype("f2"), keep=False)
def test_any_reduction(shape, axes, op_type, dtype, keep):
    axes = {axis % len(shape) for axis in axes}
    x = numbers(shape, dtype)
    if x.dtype.kind == "c" and op_type == "Max":
        return
    pool = CountingPool(3)
    check_same(op_type, [x, np.array([*axes], np.int32)], pool, keep_dims=keep)
    pool.close()


def test_a_reduction_over_everything_is_not_split(pool):
    for axes in ([0, 1], [-1, 0]):
        assert not check_same("Sum", [numbers((50, 60), "f4"), np.array(axes, np.int32)], pool)


def test_the_gradient_of_a_bias(pool):
    for shape, data_format in (((100, 640), "NHWC"), ((6, 70, 8, 64), "NCHW"), ((9, 5), "NHWC")):
        for dtype in FLOATS:
            split = check_same(
                "BiasAddGrad", [numbers(shape, dtype)], pool, data_format=data_format
            )
            assert split == (shape[-1] > 5)


def test_sixteen_bits_round_as_ever(pool):
    x = np.full((8, 3000), 1.001, BFLOAT16)
    assert check_same("Sum", [x, np.array([1], np.int32)], pool)
