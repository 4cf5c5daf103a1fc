"""Biases of few channels and many: rows of few numbers are added several at a time."""

import numpy as np
import pytest

from tests.kernels.sharding_cases import kernels, node
from tinytf.ops.nn import bias_add
from tinytf.runtime.intra_op import IntraOpPool

SHAPES = [(8, 4, 4, 16), (3, 5, 7, 3), (2, 300), (64, 256), (16, 1), (6, 257), (0, 4), (4, 0)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int32])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_values(shape, dtype):
    random = np.random.default_rng(0)
    value, bias = (random.integers(-9, 9, s).astype(dtype) for s in (shape, shape[-1:]))
    plain, _ = kernels(node("BiasAdd", [value, bias]), IntraOpPool(1))
    assert np.array_equal(plain(value, bias), value + bias)
    target = np.empty_like(value)
    assert plain(value, bias, out=target) is target
    assert np.array_equal(target, value + bias)
    turned = np.asfortranarray(value)
    assert np.array_equal(plain(turned, bias), value + bias)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients(shape, dtype):
    value = np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)
    plain, _ = kernels(node("BiasAddGrad", [value]), IntraOpPool(1))
    found = plain(value)
    assert found.dtype == dtype
    assert np.array_equal(found, value.sum(tuple(range(len(shape) - 1))))


@pytest.mark.parametrize(
    ("shape", "width"), [((8, 4, 4, 16), 256), ((3, 5, 7, 3), 15), ((6, 257), 0), ((0, 4), 0)]
)
def test_how_many_rows_are_one(shape, width):
    assert bias_add._row_width(np.ones(shape)) == width
    assert bias_add._row_width(np.ones((*shape, 2))[..., 0]) == 0  # not one after the other
