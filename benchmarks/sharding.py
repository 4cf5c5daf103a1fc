"""What splitting a kernel over two threads gains: each kind of kernel, just above where it begins.

Run as `python benchmarks/sharding.py [OP...]`. Plain and split runs alternate, so that other work
on the machine slows both; of each the time is printed that a quarter of the runs stayed below, and
the gain, which is the ratio. The numbers in `tinytf/kernels/sharding/sizes.py` come from here.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tinytf as tf
from tinytf.framework import registry
from tinytf.framework.kernel_binding import bind
from tinytf.framework.op_builder import build
from tinytf.framework.tensor_shape import TensorShape
from tinytf.kernels.sharding import sharded, sizes
from tinytf.resources.variable import Variable
from tinytf.runtime import blas
from tinytf.runtime.intra_op import IntraOpPool

RANDOM = np.random.default_rng(0)
REPEATS = 41


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


def make_cases(times: float) -> dict[str, tuple[list[Any], dict[str, Any]]]:
    """Op type -> inputs and attributes, of a size that is so many times what is worth splitting."""
    cases: dict[str, tuple[list[Any], dict[str, Any]]] = {}
    for name in ("AddV2", "Maximum", "Greater"):
        cases[name] = [numbers(elements(name, times)) for _ in range(2)], {}
    for name in ("Relu", "Tanh", "Exp", "Sigmoid", "Elu", "Softplus", "Sqrt"):
        cases[name] = [numbers(elements(name, times))], {}
    for name in ("ReluGrad", "SigmoidGrad", "TanhGrad", "Pow"):
        cases[name] = [np.abs(numbers(elements(name, times))) for _ in range(2)], {}
    size = elements("Select", times)
    cases["Select"] = [numbers(size) > 0, numbers(size), numbers(size)], {}
    cases["Cast"] = [numbers(elements("Cast", times * 2))], {"DstT": tf.float64}
    cases["BiasAdd"] = [numbers(elements("BiasAdd", times) // 256, 256), numbers(256)], {}
    for name, axis in (("Sum", 0), ("Sum", 1), ("Max", 1), ("ArgMax", 1)):
        rows = elements(name, times) // 512
        where: Any = np.array([axis] if name != "ArgMax" else axis, np.int32)
        cases[f"{name} axis {axis}"] = [numbers(rows, 512), where], {}
    for name in ("Softmax", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"):
        rows = elements(name, times) // 100
        logits = numbers(rows, 100)
        other: list[Any] = [np.abs(numbers(rows, 100))] if name.startswith("SoftmaxC") else []
        if name.startswith("Sparse"):
            other = [RANDOM.integers(0, 100, rows)]
        cases[name] = [logits, *other], {}
    cases.update(products(times))
    images = numbers(max(4, elements("MaxPool", times) // (28 * 28 * 32)), 28, 28, 32)
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    cases["MaxPool"], cases["AvgPool"] = ([images], window), ([images], window)
    small = images[: max(4, elements("MaxPoolGrad", times) // (28 * 28 * 32))]
    largest = small.reshape(len(small), 14, 2, 14, 2, 32).max((2, 4))
    cases["MaxPoolGrad"] = [small, largest, largest], window
    for name in ("ApplyGradientDescent", "ApplyMomentum", "ApplyAdam", "ApplyRMSProp"):
        cases[name] = optimizer(name, elements(name, times)), {}
    return cases


def products(times: float) -> dict[str, tuple[list[Any], dict[str, Any]]]:
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


def optimizer(name: str, size: int) -> list[Any]:
    """Inputs of an optimizer's step."""
    return [
        variable(arg.name, size)
        if arg.is_ref
        else numbers(size)
        if arg.name in ("grad", "delta")
        else np.float32(0.01)
        for arg in registry.op_defs.lookup(name).inputs
    ]


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


def compare(first: Callable[[], Any], second: Callable[[], Any]) -> tuple[float, float]:
    """The lower quartiles of both, in microseconds."""
    first(), second()
    times: list[tuple[float, float]] = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        first()
        middle = time.perf_counter()
        second()
        times.append((middle - start, time.perf_counter() - middle))
    a, b = (statistics.quantiles(column, n=4)[0] * 1e6 for column in zip(*times))
    return a, b


def show(title: str, inputs: list[Any], attrs: dict[str, Any], pool: IntraOpPool) -> None:
    """Measure one kernel, and print its line."""
    plain, split = make_kernels(title.split()[0], inputs, attrs, pool)

    def whole() -> None:
        plain(*inputs)

    def in_shards() -> None:
        split(*inputs)

    with blas.limit(1):
        a, b = compare(whole, in_shards)
    shapes = " ".join("x".join(map(str, v.shape)) for v in inputs[:2] if hasattr(v, "shape"))
    if isinstance(inputs[0], Variable):
        shapes = str(inputs[0].read().size)
    line = f"{title:38} {shapes:32} {a:9.0f} {b:9.0f} {a / b:6.2f}"
    if "Mat" in title or "Conv" in title:
        own, _ = compare(whole, dict)
        line += f"  [{own:.0f}]"
    print(line, flush=True)


def main(wanted: list[str]) -> None:
    """Print the table."""
    pool = IntraOpPool(2, holds_blas=True)
    print("Plain and split over two threads, BLAS on one; [OpenBLAS on its own two threads]\n")
    print(f"{'kernel':38} {'inputs':32} {'plain us':>9} {'split us':>9} {'gain':>6}")
    with np.errstate(all="ignore"):
        for times in (1.1, 4.0):
            for title, (inputs, attrs) in make_cases(times).items():
                if not wanted or title.split()[0] in wanted:
                    show(title, inputs, attrs, pool)


if __name__ == "__main__":
    main(sys.argv[1:])
