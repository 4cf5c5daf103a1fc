"""What splitting a kernel over two threads gains: each kind of kernel, just above where it begins.

Plain and split runs alternate, BLAS on one thread; what counts is the time that a quarter of the
runs stayed below. Products and convolutions are held against OpenBLAS on its own two threads as
well. The numbers in `tinytf/kernels/sharding/sizes.py` come from here.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import tinytf as tf
from benchmarks.programs import seconds
from tinytf.framework import registry
from tinytf.framework.kernel_binding import bind
from tinytf.framework.op_builder import build
from tinytf.framework.tensor_shape import TensorShape
from tinytf.kernels.sharding import sharded, sizes
from tinytf.resources.variable import Variable
from tinytf.runtime import blas
from tinytf.runtime.intra_op import IntraOpPool

RANDOM = np.random.default_rng(0)
REPEATS = 21
SIDES = "split", "whole"
PRODUCT_SIDES = "split", "OpenBLAS's own threads", "whole"
#: part -> how many times what is just worth splitting.
TIMES = {"just worth it": 1.1, "four times that": 4.0}
PARTS = dict.fromkeys(TIMES, "s")
Inputs = tuple[list[Any], dict[str, Any]]


def numbers(*shape: int) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def variable(name: str, size: int) -> Variable:
    result = Variable(name, tf.float32, TensorShape((size,)))
    result.assign(np.abs(numbers(size)))
    return result


def elements(op_type: str, times: float) -> int:
    """How many elements take `times` as long as what is just worth splitting."""
    worth = sizes.WORTH_NS + (sizes.calls_of(op_type) - 1) * sizes.CALL_NS
    return int(times * worth / sizes.cost_of(op_type))


def alike(count: int, name: str, times: float) -> Inputs:
    """So many inputs of positive numbers."""
    return [np.abs(numbers(elements(name, times))) for _ in range(count)], {}


def select(times: float) -> Inputs:
    size = elements("Select", times)
    return [numbers(size) > 0, numbers(size), numbers(size)], {}


def reduction(name: str, axis: int, times: float) -> Inputs:
    where: Any = np.array([axis] if name != "ArgMax" else axis, np.int32)
    return [numbers(elements(name, times) // 512, 512), where], {}


def softmax(name: str, times: float) -> Inputs:
    rows = elements(name, times) // 100
    other: list[Any] = [np.abs(numbers(rows, 100))] if name.startswith("SoftmaxC") else []
    if name.startswith("Sparse"):
        other = [RANDOM.integers(0, 100, rows)]
    return [numbers(rows, 100), *other], {}


def pool(name: str, times: float) -> Inputs:
    images = numbers(max(4, elements(name, times) // (28 * 28 * 32)), 28, 28, 32)
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    if name != "MaxPoolGrad":
        return [images], window
    largest = images.reshape(len(images), 14, 2, 14, 2, 32).max((2, 4))
    return [images, largest, largest], window


@cache
def products(times: float) -> dict[str, Inputs]:
    """Products of matrices, and convolutions."""
    all_products = times * sizes.PRODUCTS_WORTH_NS * sizes.PRODUCTS_PER_NS["float32"]
    side = int(all_products ** (1 / 3)) + 1
    batch = int(all_products / (784 * 300)) + 1
    work = times * sizes.CONVOLUTIONS_WORTH_NS * sizes.PRODUCTS_PER_NS["float32"]
    images = int(work / (28 * 28 * 25 * 32 * 16)) + 4
    above = numbers(images, 28, 28, 32)
    filter = numbers(5, 5, 16, 32)
    attrs = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    of_images, of_filter = (np.array(s, np.int32) for s in ((images, 28, 28, 16), filter.shape))
    return {
        "MatMul square": ([numbers(side, side), numbers(side, side)], {}),
        "MatMul layer": ([numbers(batch, 784), numbers(784, 300)], {}),
        "MatMul gradient": ([numbers(batch, 784), numbers(batch, 300)], {"transpose_a": True}),
        "BatchMatMulV2": ([numbers(batch, 28, 28), numbers(batch, 28, 300)], {}),
        "Conv2D": ([numbers(images, 28, 28, 16), filter], attrs),
        "Conv2DBackpropInput": ([of_images, filter, above], attrs),
        "Conv2DBackpropFilter": ([numbers(images, 28, 28, 16), of_filter, above], attrs),
    }


def optimizer(name: str, times: float) -> Inputs:
    """Inputs of an optimizer's step."""
    size = elements(name, times)
    inputs = [
        variable(arg.name, size)
        if arg.is_ref
        else numbers(size)
        if arg.name in ("grad", "delta")
        else np.float32(0.01)
        for arg in registry.op_defs.lookup(name).inputs
    ]
    return inputs, {}


SOFTMAXES = "Softmax", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"
OPTIMIZERS = "ApplyGradientDescent", "ApplyMomentum", "ApplyAdam", "ApplyRMSProp"
PRODUCTS = (
    *("MatMul square", "MatMul layer", "MatMul gradient", "BatchMatMulV2"),
    *("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"),
)
UNARY = "Relu", "Tanh", "Exp", "Sigmoid", "Elu", "Softplus", "Sqrt"
BINARY = "AddV2", "Maximum", "Greater", "ReluGrad", "SigmoidGrad", "TanhGrad", "Pow"
#: title -> its inputs and attributes, of a size that is so many times what is worth splitting.
CASES: dict[str, Callable[[float], Inputs]] = {
    **{name: partial(alike, 1, name) for name in UNARY},
    **{name: partial(alike, 2, name) for name in BINARY},
    "Select": select,
    "Cast": lambda times: ([numbers(elements("Cast", times * 2))], {"DstT": tf.float64}),
    "BiasAdd": lambda times: ([numbers(elements("BiasAdd", times) // 256, 256), numbers(256)], {}),
    **{
        f"{name} axis {axis}": partial(reduction, name, axis)
        for name, axis in (("Sum", 0), ("Sum", 1), ("Max", 1), ("ArgMax", 1))
    },
    **{name: partial(softmax, name) for name in SOFTMAXES},
    **{name: lambda times, name=name: products(times)[name] for name in PRODUCTS},
    **{name: partial(pool, name) for name in ("MaxPool", "AvgPool", "MaxPoolGrad")},
    **{name: partial(optimizer, name) for name in OPTIMIZERS},
}


def make_kernels(op_type: str, inputs: list[Any], attrs: dict[str, Any], pool: Any) -> Any:
    """The plain kernel and the sharded one."""
    with tf.Graph().as_default():
        tensors = [
            tf.get_variable(v.name, [1], use_resource=False)._ref()
            if isinstance(v, Variable)
            else tf.placeholder(v.dtype)
            for v in inputs
        ]
        op = build(registry.op_defs.lookup(op_type), tensors, None, attrs)
    kernel = registry.find_kernel(op_type, "CPU", op.attrs)
    assert kernel is not None
    function = bind(kernel, op)
    return function, sharded(op, function, pool)


def in_turns(*calls: Callable[[], Any]) -> list[float]:
    """The lower quartile of each, in seconds."""
    found: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(REPEATS):
        for call, times in zip(calls, found):
            times.append(seconds(call))
    return [statistics.quantiles(times, n=4)[0] for times in found]


@cache
def two_threads() -> IntraOpPool:
    """The pool that kernels are split over."""
    return IntraOpPool(2, holds_blas=True)


def compare(title: str, tf: Any, folder: str) -> dict[str, list[float]]:
    """Seconds on each side, for both sizes."""
    found: dict[str, list[float]] = {}
    for times in TIMES.values():
        with np.errstate(all="ignore"):
            inputs, attrs = CASES[title](times)
            plain, split = make_kernels(title.split()[0], inputs, attrs, two_threads())
            with blas.limit(1):
                taken = in_turns(partial(split, *inputs), partial(plain, *inputs))
            sides = list(zip(SIDES, taken))
            if title in PRODUCTS:
                sides += zip(PRODUCT_SIDES[1:2], in_turns(partial(plain, *inputs)))
        for side, value in sides:
            found.setdefault(side, []).append(value)
    return found


PROGRAMS = {title: partial(compare, title) for title in CASES}
