"""Nodes to shard in tests, with their kernels, and pools that count."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tinytf as tf
from tinytf.framework import registry
from tinytf.framework.kernel_binding import bind
from tinytf.framework.op_builder import build
from tinytf.framework.tensor_shape import TensorShape
from tinytf.kernels.sharding import products, sharded, sizes
from tinytf.resources.variable import Variable
from tinytf.runtime import blas
from tinytf.runtime.intra_op import IntraOpPool

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype(t) for t in ("float32", "float64", "float16")] + [BFLOAT16]
COMPLEX = [np.dtype("complex64"), np.dtype("complex128")]
INTEGERS = [np.dtype("int32"), np.dtype("int64"), np.dtype("uint8")]
ALL_TYPES = [*FLOATS, *COMPLEX, *INTEGERS, np.dtype(bool)]


class CountingPool(IntraOpPool):
    """A pool that knows how often a kernel was split, and how often BLAS was held."""

    splits = 0

    def __init__(self, threads):
        super().__init__(threads, holds_blas=True)

    def run(self, count, work):
        self.splits += 1
        super().run(count, work)


def lower_thresholds(monkeypatch) -> None:
    """Have everything split, however small, into two shards a thread."""
    monkeypatch.setattr(sizes, "WORTH_NS", 1)
    monkeypatch.setattr(sizes, "CALL_NS", 1)
    monkeypatch.setattr(products, "PRODUCTS_WORTH_NS", 1)
    monkeypatch.setattr(products, "CONVOLUTIONS_WORTH_NS", 1)
    monkeypatch.setattr(sizes, "LONG_CALL_NS", 1)


def node(op_type: str, inputs: Any, **attrs: Any) -> Any:
    """A node of this type for arrays (a list among them for a list input)."""
    with tf.Graph().as_default():
        tensors = [
            [tf.placeholder(tf.as_dtype(v.dtype)) for v in value]
            if isinstance(value, list)
            else _tensor(value)
            for value in inputs
        ]
        return build(registry.op_defs.lookup(op_type), tensors, None, attrs)


def _tensor(value: Any) -> Any:
    if isinstance(value, Variable):
        return tf.get_variable(
            value.name, value.read().shape, value.dtype, use_resource=False
        )._ref()
    return tf.placeholder(tf.as_dtype(value.dtype))


def kernels(op: Any, pool: Any) -> tuple[Any, Any]:
    """The plain kernel of a node, and the sharded one."""
    kernel = registry.find_kernel(op.type, "CPU", op.attrs)
    assert kernel is not None, op.type
    function = bind(kernel, op)
    return function, sharded(op, function, pool)


def flat(inputs: Any) -> list[Any]:
    """The arguments of a kernel: lists written out."""
    return [v for value in inputs for v in (value if isinstance(value, list) else [value])]


def check_same(op_type: str, inputs: Any, pool: CountingPool, **attrs: Any) -> bool:
    """Compare both ways, bits and order in memory; whether the work was split."""
    plain, split = kernels(node(op_type, inputs, **attrs), pool)
    assert split is not None, op_type
    before = pool.splits
    # BLAS adds up in another order on two threads: what is promised are the bits of one.
    with np.errstate(all="ignore"), blas.limit(1):
        expected, result = plain(*flat(inputs)), split(*flat(inputs))
    if not isinstance(expected, tuple):
        expected, result = (expected,), (result,)
    for a, b in zip(expected, result, strict=True):
        assert_identical(a, b, op_type)
    return pool.splits > before


def assert_identical(expected: Any, result: Any, what: str = "") -> None:
    """The same shape, dtype, strides and bits."""
    assert type(result) is type(expected), what
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype), what
    # The order in memory: what reads the result may round differently for another.
    assert steps(result) == steps(expected), what
    assert result.tobytes() == expected.tobytes(), what


def steps(array: np.ndarray) -> list[int]:
    """The strides; an axis of size 1 may have any."""
    return [step for step, size in zip(array.strides, array.shape) if size > 1]


def numbers(shape: Any, dtype: Any, seed: int = 0) -> np.ndarray:
    """Numbers with some zeros, of both signs, some large, and no order."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return random.integers(1, 100, shape).astype(dtype)
    values = random.standard_normal(shape) * 3
    if dtype.kind == "c":
        return (values + 1j * random.standard_normal(shape)).astype(dtype)
    values = np.asarray(values)
    values[random.random(shape) < 0.1] = 0.0
    values[random.random(shape) < 0.1] *= -1.0
    return values.astype(dtype)


def variable(name: str, value: np.ndarray) -> Variable:
    """A variable with a value."""
    result = Variable(name, tf.as_dtype(value.dtype), TensorShape(value.shape))
    result.assign(value.copy())
    return result


def check_errors(plain, split, inputs, kind) -> None:
    """Both raise an error of this kind, with the same text."""
    with pytest.raises(kind) as expected:
        plain(*inputs)
    with pytest.raises(kind) as found:
        split(*inputs)
    assert type(found.value) is type(expected.value)
    assert str(found.value) == str(expected.value)
